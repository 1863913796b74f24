# A provider that builds on apt's, as many sites have one: what it says before it installs, and packages that it never removes.
Puppet::Type.type(:package).provide :house, parent: :apt, source: :dpkg do
  has_feature :versionable, :install_options

  def install
    notice("installing #{resource[:name]} for the house")
    super
  end

  def uninstall
    raise Puppet::Error, "#{resource[:name]} stays" if resource[:name] == 'bash'

    super
  end

  def install_options
    ['--house'] + join_options(resource[:install_options])
  end
end
