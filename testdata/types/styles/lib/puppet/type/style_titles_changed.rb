# expect: dynamic
Puppet::Type.newtype(:style_titles_changed) do
  newparam(:name) { isnamevar }
  def self.title_patterns
    [[/(.*)/m, [[:name, lambda { |x| x.upcase }]]]]
  end
end
