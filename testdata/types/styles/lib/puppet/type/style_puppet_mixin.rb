# expect: dynamic
# A module that is not found may have a hook.
module Puppet::StyleElsewhere; end
Puppet::StyleElsewhere.define_singleton_method(:included) { |type| type.newparam(:from_hook) }
Puppet::Type.newtype(:style_puppet_mixin) do
  include Puppet.const_get(:StyleElsewhere)
  newparam(:name) { isnamevar }
end
