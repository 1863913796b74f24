# Builds on pip's provider, with another command.
Puppet::Type.type(:package).provide(:snake, parent: :pip) do
  has_feature :installable, :uninstallable, :upgradeable, :versionable, :version_ranges, :install_options, :targetable

  def self.cmd
    ['snake']
  end
end
