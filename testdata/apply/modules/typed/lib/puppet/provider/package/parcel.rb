require 'puppet/provider/package'

# Packages as files of a directory.
Puppet::Type.type(:package).provide(:parcel, parent: Puppet::Provider::Package) do
  has_feature :versionable, :upgradeable, :install_options, :purgeable
  def self.place
    "#{Dir.pwd}/parcels"
  end

  def place
    self.class.place
  end

  def self.instances
    Dir.glob("#{place}/*").sort.map { |file| new(name: File.basename(file), ensure: File.read(file).strip, provider: name) }
  end

  def query
    file = "#{place}/#{resource[:name]}"
    File.exist?(file) ? { name: resource[:name], ensure: File.read(file).strip, provider: self.class.name } : nil
  end

  def install
    wanted = resource[:ensure]
    Puppet.notice("options #{join_options(resource[:install_options]).inspect}") if resource[:install_options]
    File.write("#{place}/#{resource[:name]}", wanted.is_a?(Symbol) ? '1.0' : wanted)
  end

  def latest
    '2.0'
  end

  def update
    File.write("#{place}/#{resource[:name]}", latest)
  end

  def uninstall
    File.unlink("#{place}/#{resource[:name]}")
  end

  def purge
    uninstall
  end
end
