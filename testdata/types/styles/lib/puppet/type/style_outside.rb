# expect: dynamic
Puppet::Type.newtype(:style_outside) do
  newparam(:name) { isnamevar }
end
Puppet::Type.type(:style_outside).newproperty(:outside)
