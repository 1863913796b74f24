require 'fileutils'

Puppet::Type.type(:base_token).provide(:tool) do
  commands tokenctl: 'tokenctl'
  optional_commands restorecon: 'restorecon'

  mk_resource_methods

  def self.instances
    tokenctl('list').split("\n").map do |line|
      name, bits = line.split(',', 2)
      new(name: name, bits: bits, ensure: :present)
    end
  end

  def self.prefetch(resources)
    known = instances
    resources.each do |name, resource|
      found = known.find { |provider| provider.name == name }
      resource.provider = found if found
    end
  end

  def exists?
    @property_hash[:ensure] == :present
  end

  def create
    FileUtils.mkdir_p(File.dirname(resource[:target]))
    tokenctl('make', resource[:name], resource[:bits])
    restorecon(resource[:target]) if File.exist?('/sbin/restorecon')
  rescue Puppet::ExecutionFailure => e
    raise Puppet::Error, "tokenctl: #{e.message}"
  end

  def destroy
    tokenctl('drop', resource[:name])
    @property_hash.clear
  end
end
