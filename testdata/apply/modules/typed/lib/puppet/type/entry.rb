# A line of a file.
Puppet::Type.newtype(:entry) do
  ensurable
  newparam(:name, namevar: true)
  newproperty(:value)
  newproperty(:flags, array_matching: :all) do
    def insync?(is)
      is.is_a?(Array) ? is.sort == @should.sort : is == :absent && @should == [:absent]
    end
  end
  newproperty(:target) { defaultto { @resource.class.defaultprovider.ancestors.include?(Puppet::Provider::ParsedFile) ? @resource.class.defaultprovider.default_target : nil } }
end
