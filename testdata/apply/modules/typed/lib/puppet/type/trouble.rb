# Fails in the way that its parameter tells.
Puppet::Type.newtype(:trouble) do
  newparam(:name, namevar: true)
  newparam(:at)
  newproperty(:ensure, parent: Puppet::Property::Ensure) { defaultvalues; defaultto :present }
  newproperty(:state)
  newproperty(:last)
  def pre_run_check
    raise Puppet::Error, 'not before the run' if self[:at] == 'check'
  end

  def refresh
    provider.step('refresh')
  end
  autorequire(:trouble) { self[:at] == 'relations' ? raise('relations') : nil }
end
