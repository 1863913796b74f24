# expect: dynamic
Puppet::Type.newtype(:style_titles_computed) do
  newparam(:name) { isnamevar }
  newparam(:other) { isnamevar }
  def self.title_patterns
    key_attributes.permutation.map { |a, b| [/^(.*)-(.*)$/, [[a], [b]]] }
  end
end
