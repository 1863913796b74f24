Puppet::Type.newtype(:style_no_namevar) do
  newproperty(:value)
end
