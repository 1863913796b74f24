# expect: dynamic
Puppet::Type.newtype(:style_namevar_condition) do
  newparam(:key) do
    isnamevar unless Puppet.version == '0'
  end
  newparam(:other)
end
