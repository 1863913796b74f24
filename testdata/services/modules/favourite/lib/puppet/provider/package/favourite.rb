# The default provider of packages on Debian, where this module is.
Puppet::Type.type(:package).provide(:favourite, parent: :apt, source: :dpkg) do
  defaultfor 'os.family' => :debian, 'kernel' => 'Linux'
  has_feature :versionable

  def install
    notice('my favourite')
    super
  end
end
