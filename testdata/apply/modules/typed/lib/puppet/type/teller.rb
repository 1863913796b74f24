# Logs from everywhere: lines about an attribute have its name as a tag.
Puppet::Type.newtype(:teller) do
  newparam(:name, namevar: true)
  newproperty(:word) do
    def retrieve
      resource.notice 'the resource reads'
      notice 'the property reads'
      :absent
    end

    def set(_word)
      warning 'the property writes'
    end
  end
end
