# expect: none
Puppet::Type.newtype(:style_right_name) do
  newparam(:name) { isnamevar }
end
