# Its provider needs a command that the run brings.
Puppet::Type.newtype(:late) do
  newparam(:name, namevar: true)
  newproperty(:ensure) do
    newvalue(:done) { provider.act }
    defaultto :done
    def retrieve
      provider.done? ? :done : :open
    end
  end
end
