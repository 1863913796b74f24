Puppet::Type.newtype(:style_nested_helper) do
  class Helper < Puppet::Property
    def self.newparam(x); end
    newparam(:not_one)
  end
  module Other
    def exists?; end
  end
  newparam(:name) { isnamevar }
  newproperty(:helped, parent: Helper)
end
