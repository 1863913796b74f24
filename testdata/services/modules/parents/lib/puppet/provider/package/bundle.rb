# Builds on dnf's provider: its own option for each command, packages that stay, and what it says of versions.
Puppet::Type.type(:package).provide(:bundle, parent: :dnf, source: :dnf) do
  has_feature :install_options, :versionable, :virtual_packages, :install_only, :version_ranges
  commands cmd: 'dnf', rpm: 'rpm'

  def install_options
    ['--bundle'] + (super || [])
  end

  def best_version(should)
    super.tap { |version| notice("#{resource[:name]} will be #{version}") }
  end

  def purge
    raise Puppet::Error, "#{resource[:name]} stays" if resource[:name] == 'bash'

    super
  end
end
