# A provider of a type that pupc has natively: it keeps the hosts in files of their own.
Puppet::Type.type(:host).provide(:loud) do
  mk_resource_methods

  def self.instances
    Dir['/srv/hosts/*'].sort.map do |file|
      ip, *aliases = File.read(file).split
      new(name: File.basename(file), ensure: :present, ip: ip, host_aliases: aliases.join(' '), target: '/etc/hosts')
    end
  end

  def self.prefetch(hosts)
    instances.each { |found| hosts[found.name].provider = found if hosts[found.name] }
  end

  def exists?
    @property_hash[:ensure] == :present
  end

  def create
    @property_hash = { ensure: :present, ip: resource[:ip], host_aliases: resource[:host_aliases] || '' }
  end

  def destroy
    @property_hash = { ensure: :absent }
  end

  def flush
    file = "/srv/hosts/#{resource[:name]}"
    return File.delete(file) if @property_hash[:ensure] == :absent

    notice("#{ip} #{host_aliases}")
    File.write(file, "#{ip} #{host_aliases}\n")
  end
end
