Puppet::Type.newtype(:base_token) do
  @doc = 'What a service knows this machine by.'

  ensurable

  newparam(:name, namevar: true) do
    desc 'The name of the token.'
  end

  newparam(:target) do
    desc 'The file that holds it.'
  end

  newproperty(:bits) do
    desc 'Its length.'
    newvalues(/^\d+$/)
  end

  autorequire(:file) do
    self[:target]
  end

  validate do
    raise Puppet::Error, 'target is needed' if self[:bits] && self[:target].nil?
  end
end
