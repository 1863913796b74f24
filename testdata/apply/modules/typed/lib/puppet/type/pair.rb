# Two namevars, told by the title.
Puppet::Type.newtype(:pair) do
  newparam(:directory, namevar: true)
  newparam(:file, namevar: true)
  newproperty(:text)
  ensurable
  def self.title_patterns
    [[%r{^(.*)/([^/]+)$}, [[:directory], [:file, ->(name) { name.downcase }]]], [/^([^\/]+)$/, [[:file]]]]
  end
  newparam(:name)
end
