# A line of a file of notes, one name a line.
Puppet::Type.newtype(:note) do
  ensurable

  newparam(:name, namevar: true)

  newproperty(:text) do
    desc 'What is noted.'
    munge { |value| value.strip }
  end

  autorequire(:file) { '/etc/notes.d' }
end
