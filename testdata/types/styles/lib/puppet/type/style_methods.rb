# Methods of the type's class that define attributes.
Puppet::Type.newtype(:style_methods) do
  def self.newcheck(name, options = {}, &block)
    @checks ||= {}
    check = newparam(name, options, &block)
    @checks[name] = check
  end

  class << self
    def add_pair(name)
      newparam(:"#{name}_min")
      newparam(:"#{name}_max")
    end
  end

  newparam(:name) { isnamevar }
  newcheck(:first) do
    newvalues(:true, :false)
  end
  newcheck :second, :boolean => true
  newcheck(:key, namevar: false) { desc 'x' }
  add_pair 'size'
  self.add_pair(:age)
  send(:newproperty, :sent)
end
