# expect: dynamic
module StyleFactory
  def self.make(name)
    Puppet::Type.newtype(name) { newparam(:name) { isnamevar } }
  end
end
StyleFactory.make(:style_factory)
