# expect: dynamic
Puppet::Type.newtype(:style_each_method) do
  newparam(:name) { isnamevar }
  %i[a b].each(&method(:newproperty))
end
