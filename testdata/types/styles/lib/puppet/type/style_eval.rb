# expect: dynamic
Puppet::Type.newtype(:style_eval) do
  newparam(:name) { isnamevar }
  class_eval('newparam(:evaluated)')
end
