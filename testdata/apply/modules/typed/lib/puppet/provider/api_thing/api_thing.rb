require 'json'
require 'puppet/resource_api/simple_provider'

class Puppet::Provider::ApiThing::ApiThing < Puppet::ResourceApi::SimpleProvider
  def file
    "#{Dir.pwd}/api.json"
  end

  def all
    File.exist?(file) ? JSON.parse(File.read(file), symbolize_names: true) : []
  end

  def save(all)
    File.write(file, JSON.generate(all))
  end

  def canonicalize(_context, resources)
    resources.each { |resource| resource[:text] = resource[:text].downcase if resource[:text].is_a?(String) }
  end

  def get(context, names = [])
    context.debug("asked for #{names.inspect}")
    all.select { |resource| names.empty? || names.include?(resource[:name]) }
  end

  def create(context, name, should)
    context.notice("creating with #{should[:text].inspect}")
    raise 'cannot be made' if should[:text] == 'bad'

    save(all + [should.slice(:name, :ensure, :text, :number, :flag, :list, :fixed)])
  end

  def update(context, name, should)
    context.warning([name], 'is another now')
    save(all.map { |resource| resource[:name] == name ? should.slice(:name, :ensure, :text, :number, :flag, :list, :fixed) : resource })
  end

  def delete(_context, name)
    save(all.reject { |resource| resource[:name] == name })
  end
end
