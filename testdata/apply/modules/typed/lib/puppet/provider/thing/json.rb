require 'json'

Puppet::Type.type(:thing).provide(:json) do
  desc 'Keeps things as JSON.'
  commands cat: 'cat'
  optional_commands no_such: 'no-such-command-of-anybody'
  mk_resource_methods
  defaultfor kernel: 'Linux'
  confine kernel: %w[Linux FreeBSD]
  confine true: -> { true }
  confine any: [false, true]
  has_feature :coloured

  def exists?
    return false unless File.exist?(resource[:path])

    @property_hash = JSON.parse(cat(resource[:path]), symbolize_names: true)
    true
  end

  def create
    notice 'making it'
    resource.properties.each { |property| @property_hash[property.name] = property.should unless property.name == :ensure }
  end

  def destroy
    File.unlink(resource[:path])
    @gone = true
  end

  def flush
    File.write(resource[:path], JSON.generate(@property_hash)) unless @gone
  end

  def poke
    Puppet.warning("poked #{File.basename(resource[:path])} strict=#{resource.strict?.inspect}") if resource.respond_to?(:strict?)
    Puppet.warning("poked #{File.basename(resource[:path])}") unless resource.respond_to?(:strict?)
  end
end
