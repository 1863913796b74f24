# Attributes in every spelling of their definition.
Puppet::Type.newtype(:style_plain) do
  @doc = "A type. Strings with newparam(:no) in them, #{'and ' + "do end"} interpolations."
  desc <<-'EOT'
    newparam(:neither) do
    end
  EOT

  ensurable do
    newvalue(:present) { provider.create }
    newvalue(:absent) { provider.destroy }
    defaultto :present
  end

  newparam(:name, :namevar => true) do
    desc 'unless this end is read wrongly'
    validate { |v| raise ArgumentError, "x #{v} if #{v =~ /end/}" unless v =~ %r{^/\w+(?:/|end)} }
  end
  newparam :bare do
    defaultto { :x }
  end
  newparam('quoted') { newvalues(:true, :false) }
  newparam(:'odd') do end
  newparam(:block_free)
  newproperty :Cased, :array_matching => :all do
    munge { |x| x ? "a/b" : x / 2 }
    def insync?(is) = is == should
  end
  newproperty(:property, required_features: %i[a b], parent: Puppet::Property::Boolean) do |property|
    newvalues(/^\d+%?$/)
    def retrieve
      if provider.x then 1 else 2 end
    end
  end

  validate do
    fail('x') if self[:bare].nil? and
                 self[:odd]
    case self[:bare]
    when /a/ then nil
    else
      begin; 1; rescue StandardError; 2; end
    end
    while true do break end
  end

  autorequire(:file) { [self[:name]] }
  def refresh; end
  private

  def hidden(x = {})
    { :a => x }.each_pair do |k, v| k end
  end
end
