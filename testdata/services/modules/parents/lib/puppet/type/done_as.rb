# A file that a command makes as another user.
Puppet::Type.newtype(:done_as) do
  ensurable { defaultvalues; defaultto :present }
  newparam(:path, namevar: true)
  newparam(:user)
  newparam(:group)
  newparam(:way) { defaultto 'execute' }
end
