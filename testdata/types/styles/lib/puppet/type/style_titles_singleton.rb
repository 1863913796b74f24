Puppet::Type.newtype(:style_titles_singleton) do
  newparam(:path) { isnamevar }
  class << self
    def title_patterns
      [[/^(.*?)\/*\Z/m, [[:path]]]]
    end
  end
end
