Puppet::Type.newtype(:style_provided) do
  newparam(:name) { isnamevar }
end
