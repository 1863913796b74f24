# Builds on rpm's provider: its files lie in one folder.
Puppet::Type.type(:package).provide(:shelf, parent: :rpm) do
  has_feature :versionable, :install_options, :uninstall_options
  commands rpm: 'rpm'

  def install
    resource[:source] = "/srv/#{resource[:name]}-2.rpm"
    super
  end

  def insync?(is)
    debug("is #{is}")
    super
  end
end
