# expect: dynamic
if Puppet.version.to_i > 1
  Puppet::Type.newtype(:style_twice) { newparam(:name) { isnamevar } }
else
  Puppet::Type.newtype(:style_twice) { newparam(:other) { isnamevar } }
end
