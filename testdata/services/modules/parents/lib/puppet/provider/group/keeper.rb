# Builds on groupadd's provider.
Puppet::Type.type(:group).provide(:keeper, parent: :groupadd) do
  has_features :system_groups
  commands add: 'groupadd', delete: 'groupdel', modify: 'groupmod'

  def addcmd
    super.tap { |words| notice(words.join(' ')) }
  end

  def deletecmd
    super.tap { |words| notice(words.join(' ')) }
  end
end
