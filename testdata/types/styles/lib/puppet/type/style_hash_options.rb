Puppet::Type.newtype(:style_hash_options) do
  common = { :boolean => true }
  newparam(:name, common.merge(:namevar => true))
  newparam(:flag, common)
  newparam(:more, **common)
  newparam :last, { parent: Puppet::Parameter::Boolean }
end
