Puppet::Type.type(:listed).provide(:ruby) do
  mk_resource_methods
  def self.directory
    "#{Dir.pwd}/listed"
  end

  def directory
    self.class.directory
  end

  def self.instances
    Dir.children(directory).sort.map { |name| new(name: name, ensure: :present, size: File.size("#{directory}/#{name}").to_s) }
  end

  def self.prefetch(resources)
    Puppet.notice("prefetching #{resources.keys.sort.join(' ')}")
    raise Puppet::Error, 'there is a broken one' if File.exist?("#{directory}/broken")

    instances.each { |provider| resources[provider.name].provider = provider if resources[provider.name] }
  end

  def self.post_resource_eval
    Puppet.notice('all are done')
  end

  def exists?
    @property_hash[:ensure] == :present
  end

  def create
    File.write("#{directory}/#{resource[:name]}", 'x' * resource[:size].to_i)
    @property_hash[:ensure] = :present
  end

  def destroy
    File.unlink("#{directory}/#{name}")
    @property_hash.clear
  end

  def size=(value)
    File.write("#{directory}/#{name}", 'x' * value.to_i)
  end
end
