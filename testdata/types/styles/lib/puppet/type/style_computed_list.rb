# expect: dynamic
Puppet::Type.newtype(:style_computed_list) do
  newparam(:name) { isnamevar }
  [:x, :y].select { |n| n != :y }.each { |n| newparam(n) }
end
