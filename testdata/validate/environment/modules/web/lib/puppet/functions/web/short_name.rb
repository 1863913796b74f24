require 'json'

# The name of a site, as files have it.
Puppet::Functions.create_function(:'web::short_name') do
  dispatch :short_name do
    param 'String[1]', :title
    optional_param 'Integer[1]', :length
    return_type 'String'
  end

  def short_name(title, length = 8)
    path = '/etc/web/names.json'
    names = File.exist?(path) ? JSON.parse(File.read(path)) : {}
    raise Puppet::ParseError, "No name for #{title}" if title.start_with?('.')

    shortened = names.fetch(title) { cut(title, length) }
    Puppet.debug("#{title} is #{shortened}")
    shortened
  end

  def cut(word, length)
    first, *rest = word.split('-')
    ([first] + rest.map { |part| part[0] }).join[0, length]
  end
end
