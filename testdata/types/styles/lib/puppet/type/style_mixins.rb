require 'puppet_x/styles/mixin'

Puppet::Type.newtype(:style_mixins) do
  extend PuppetX::Styles::Hooked
  include PuppetX::Styles::Included
  include PuppetX::Styles::Instances
  include Puppet::Util::Warnings
  include Enumerable
  newparam(:name, namevar: true)
  add_more :one, 'two', prefix: 'extra'
  add_more('three')
  PuppetX::Styles.add_to(self)
  PuppetX::Styles.add_to(self, 'y')
  PuppetX::Styles::NAMES.each { |n| newproperty(n.to_sym) }
end
