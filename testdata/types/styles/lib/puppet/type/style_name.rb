# A parameter called name is a namevar without saying so, a property is not.
Puppet::Type.newtype(:style_name) do
  @isomorphic = false
  newparam(:name)
  newparam(:isnamevar, isnamevar: true)
  newparam(:off, namevar: false)
  newproperty(:other, namevar: true)
end
