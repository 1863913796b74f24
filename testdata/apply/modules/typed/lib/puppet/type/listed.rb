# Files of a directory, which can be listed and purged.
Puppet::Type.newtype(:listed) do
  ensurable
  newparam(:name, namevar: true)
  newproperty(:size)
end
