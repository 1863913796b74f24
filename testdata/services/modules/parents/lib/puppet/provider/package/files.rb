# Builds on dpkg's provider.
Puppet::Type.type(:package).provide(:files, parent: :dpkg, source: :dpkg) do
  def install
    file = resource[:source]
    raise Puppet::Error, "no file #{file}" unless File.exist?(file)

    execute(['/usr/bin/apt-get', 'install', resource[:name]])
  end
end
