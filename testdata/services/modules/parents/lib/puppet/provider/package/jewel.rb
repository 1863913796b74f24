# Builds on gem's provider, with another command.
Puppet::Type.type(:package).provide(:jewel, parent: :gem) do
  has_feature :versionable, :install_options
  has_command(:gemcmd, 'jewel') { is_optional }

  def self.execute_gem_command(command, options, environment = {})
    super(command, options, environment.merge('JEWEL' => 'yes'))
  end
end
