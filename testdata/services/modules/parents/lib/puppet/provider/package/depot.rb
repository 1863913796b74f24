# Builds on yum's provider, with other words for it.
Puppet::Type.type(:package).provide(:depot, parent: :yum) do
  has_feature :install_options, :versionable, :virtual_packages
  commands cmd: 'yum', rpm: 'rpm'

  def self.update_command
    'upgrade'
  end

  def self.latest_package_version(package, *repositories)
    found = super
    Puppet.notice("#{package}: #{found ? found.values_at(:name, :version, :release, :arch).join(' ') : 'none'}")
    found
  end
end
