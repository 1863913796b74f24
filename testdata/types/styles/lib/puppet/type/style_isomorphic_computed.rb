# expect: dynamic
Puppet::Type.newtype(:style_isomorphic_computed) do
  @isomorphic = Puppet.version == '0'
  newparam(:name) { isnamevar }
end
