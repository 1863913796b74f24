require_relative '../../puppet_x/styles/mixin'
module Puppet
  Type.newtype(:style_titles_mixin) do
    newparam(:name) { isnamevar }
    newparam(:part) { isnamevar }
    def self.title_patterns
      PuppetX::Styles.patterns(:name, :part)
    end
  end
end
