# The block's parameter is the type.
style = Puppet::Type.newtype(:style_alias) do |type|
  type.newparam(:name) { isnamevar }
  type.ensurable
  type.newproperty(:x)
end
