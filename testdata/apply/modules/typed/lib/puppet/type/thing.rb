require 'puppet/parameter/boolean'
require 'puppet/property/boolean'
require 'puppet/property/list'
require 'puppet/property/ordered_list'
require 'puppet/property/keyvalue'

# A file of JSON: every kind of attribute.
Puppet::Type.newtype(:thing) do
  @doc = 'A thing in a directory.'
  feature :coloured, 'things with a colour', methods: [:colour=]
  feature :loud, 'loud things'
  ensurable
  newparam(:path, namevar: true) do
    validate { |value| raise ArgumentError, "a path is absolute, not #{value}" unless Puppet::Util.absolute_path?(value) }
    munge { |value| value.chomp('/') }
  end
  newproperty(:content) do
    validate { |value| raise Puppet::Error, 'empty content' if value.to_s.empty? }
  end
  newproperty(:parts, array_matching: :all)
  newproperty(:level) do
    newvalues(:low, :high, /^\d+$/)
    aliasvalue(:quiet, :low)
    munge { |value| value.to_s.match?(/^\d+$/) ? Integer(value.to_s) : super(value) }
  end
  newproperty(:count) do
    validate { |value| Integer(value) }
    munge { |value| Integer(value) }
    def insync?(is)
      is.to_i >= should
    end

    def change_to_s(current, wanted)
      "counted from #{current} up to #{wanted}"
    end
  end
  newproperty(:colour, required_features: :coloured)
  newproperty(:volume, required_features: :loud)
  newproperty(:words, parent: Puppet::Property::List) do
    def membership
      :word_membership
    end
  end
  newproperty(:ordered, parent: Puppet::Property::OrderedList) { def inclusive? = true }
  newproperty(:settings, parent: Puppet::Property::KeyValue) { def inclusive? = false }
  newproperty(:active, boolean: true, parent: Puppet::Property::Boolean)
  newproperty(:password) { sensitive true }
  newproperty(:shown) do
    def is_to_s(value)
      "<#{value}>"
    end

    def should_to_s(value)
      "[#{value}]"
    end
  end
  newproperty(:twice) do
    munge { |value| value.to_i * 2 }
    unmunge { |value| value / 2 }
  end
  newparam(:word_membership) do
    newvalues(:inclusive, :minimum)
    defaultto :minimum
  end
  newparam(:strict, boolean: true, parent: Puppet::Parameter::Boolean) { defaultto false }
  autorequire(:file) { File.dirname(self[:path]) }
  autobefore(:notify) { ['after-things'] }
  validate do
    raise Puppet::Error, 'a thing has no level without content' if self[:level] && !self[:content] && self[:strict]
  end
  def refresh
    provider.poke
  end
end
