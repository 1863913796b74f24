# expect: dynamic
Puppet::Type.newtype(:style_condition_block) do
  newparam(:name) { isnamevar }
  if Puppet.version.to_i > 1
    newparam(:modern)
  end
end
