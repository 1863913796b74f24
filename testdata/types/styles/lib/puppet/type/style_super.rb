# expect: dynamic
Puppet::Type.newtype(:style_super) do
  def self.newparam(name, options = {}, &block)
    super("my_#{name}".to_sym, options, &block)
  end
  newparam(:thing) { isnamevar }
end
