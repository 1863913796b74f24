# Says that it is the default one elsewhere.
Puppet::Type.type(:package).provide(:never, parent: Puppet::Provider::Package) do
  defaultfor 'os.family' => :solaris
end
