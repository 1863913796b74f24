Puppet::Type.type(:note).provide(:files) do
  desc 'One file a note.'
  mk_resource_methods

  def self.directory
    '/etc/notes.d'
  end

  def self.instances
    Dir.glob("#{directory}/*.note").sort.map do |file|
      new(name: File.basename(file, '.note'), ensure: :present, text: File.read(file).strip)
    end
  end

  def self.prefetch(resources)
    instances.each { |provider| resources[provider.name].provider = provider if resources[provider.name] }
  end

  def exists?
    @property_hash[:ensure] == :present
  end

  def create
    File.write(path, "#{resource[:text]}\n")
    @property_hash[:ensure] = :present
  end

  def destroy
    File.unlink(path)
    @property_hash.clear
  end

  def text=(value)
    File.write(path, "#{value}\n")
  end

  def path
    File.join(self.class.directory, "#{resource[:name]}.note")
  end
end
