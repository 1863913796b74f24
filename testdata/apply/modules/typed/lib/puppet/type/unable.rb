Puppet::Type.newtype(:unable) do
  newparam(:name, namevar: true)
  ensurable
end
