# Attributes of resources: parameters and properties, their allowed values, and Puppet's predefined kinds.
module Puppet
  class Parameter
    # An allowed value of an attribute, or a pattern for allowed values.
    class Value
      attr_reader :name, :options, :event
      attr_accessor :block, :method, :required_features, :invalidate_refreshes

      def initialize(name)
        @name = name.is_a?(Regexp) ? name : convert(name)
        @aliases = []
      end

      def event=(event)
        @event = convert(event)
      end

      def alias(name)
        @aliases << convert(name)
      end

      def aliases
        @aliases.dup
      end

      def regex?
        name.is_a?(Regexp)
      end

      def match?(value)
        return (true if name =~ value.to_s) if regex?

        value = convert(value)
        name == value || @aliases.include?(value)
      end

      private

      def convert(value)
        value.to_s.empty? ? value : value.to_s.intern
      end
    end

    class ValueCollection
      def initialize
        @all = {}
      end

      def empty?
        @all.empty?
      end

      def newvalue(name, options = {}, &block)
        value = Value.new(name)
        @all[value.name] = value
        options.each { |option, setting| value.public_send("#{option}=", setting) unless option == :call }
        if block
          value.block = block
          value.method ||= "set_#{value.name}" unless value.regex?
        end
        value
      end

      def newvalues(*names)
        names.each { |name| newvalue(name) }
      end

      def aliasvalue(name, other)
        (match?(other.to_sym) || raise(Puppet::DevError, "Cannot alias nonexistent value #{other}")).alias(name)
      end

      # The allowed value that matches a text: named values first, then patterns.
      def match?(test)
        @all.each_value.find { |v| !v.regex? && v.match?(test) } || @all.each_value.find { |v| v.regex? && v.match?(test) }
      end

      def munge(value)
        found = match?(value)
        found && !found.regex? ? found.name : value
      end

      def validate(value)
        return if empty? || match?(value)

        text = "Invalid value #{value.inspect}."
        text += " Valid values are #{values.join(', ')}." unless values.empty?
        text += " Valid values match #{regexes.join(', ')}." unless regexes.empty?
        raise ArgumentError, text
      end

      def value(name)
        @all[name]
      end

      def values
        @all.keys.reject { |name| name.is_a?(Regexp) }
      end

      def regexes
        @all.keys.select { |name| name.is_a?(Regexp) }.map(&:inspect)
      end

      def doc
        ''
      end
    end

    class << self
      include Util
      include Util::Errors
      include Util::Logging
      include Util::Docs
      attr_reader :name, :default, :required_features, :value_collection
      attr_accessor :metaparam

      def inherited(sub)
        super
        sub.initvars
      end

      def initvars
        @value_collection = ValueCollection.new
      end

      def defaultto(value = nil, &block)
        raise Puppet::DevError, 'Either a default value or block must be provided' if value.nil? && block.nil?

        block ? define_method(:default, &block) : define_method(:default) { value }
      end

      def nodefault
        undef_method(:default) if public_method_defined?(:default)
      end

      def sensitive(value = nil, &block)
        block ? define_method(:is_sensitive, &block) : define_method(:is_sensitive) { value }
      end

      def munge(&block)
        define_method(:unsafe_munge, &block)
      end

      def unmunge(&block)
        define_method(:unsafe_unmunge, &block)
      end

      def validate(&block)
        define_method(:unsafe_validate, &block)
      end

      def isnamevar
        @isnamevar = @required = true
      end

      def isnamevar?
        @isnamevar
      end

      def isrequired
        @required = true
      end

      def required?
        @required
      end

      def required_features=(*features)
        @required_features = features.flatten.map { |f| f.to_s.downcase.intern }
      end

      def newvalue(name, options = {}, &block)
        value_collection.newvalue(name, options, &block)
      end

      def newvalues(*names)
        value_collection.newvalues(*names)
      end

      def aliasvalue(name, other)
        value_collection.aliasvalue(name, other)
      end

      def proxymethods(*names)
        names.each { |name| define_method(name) { self.class.public_send(name) } }
      end

      def format_value_for_display(value)
        Puppet.shown(value)
      end
    end
    initvars
    include Util
    include Util::Errors
    include Util::Logging
    attr_accessor :resource, :parent, :sensitive

    proxymethods(:required?, :isnamevar?)

    def initialize(resource: nil, value: nil, should: nil)
      raise Puppet::DevError, "No resource set for #{self.class.name}" unless resource

      @resource = resource
      self.value = value if value
      self.should = should if should
    end

    def name
      self.class.name
    end

    def to_s
      name.to_s
    end

    def metaparam?
      self.class.metaparam
    end

    def path
      "#{resource.path}/#{name}"
    end

    def pathbuilder
      [resource.pathbuilder, name]
    end

    %i[line file version provider].each { |what| define_method(what) { resource.public_send(what) } }

    def noop
      @noop || resource.noop || false
    end

    def tags
      resource.tags + [name.to_s]
    end

    def log(message)
      send_log(resource[:loglevel] || :notice, message)
    end

    def pupc_log_source
      path.to_s
    end

    # -- the value

    def unsafe_munge(value)
      self.class.value_collection.munge(value)
    end

    def unsafe_unmunge(value)
      value
    end

    def unsafe_validate(value)
      self.class.value_collection.validate(value)
    end

    # What a Deferred value will be is known only at its resource's turn.
    def munge(value)
      value.is_a?(Pops::Evaluator::DeferredValue) ? value : unsafe_munge(value)
    rescue Puppet::Error
      raise
    rescue StandardError => e
      raise Puppet::DevError.new("Munging failed for value #{value.inspect} in class #{name}: #{e}", e)
    end

    def unmunge(value)
      value.is_a?(Pops::Evaluator::DeferredValue) ? value : unsafe_unmunge(value)
    end

    def validate(value)
      unsafe_validate(value) unless value.is_a?(Pops::Evaluator::DeferredValue)
    rescue ArgumentError => e
      self.fail(Puppet::Error, e.to_s, e)
    rescue Puppet::Error, TypeError
      raise
    rescue StandardError => e
      raise Puppet::DevError.new("Validate method failed for class #{name}: #{e}", e)
    end

    def value
      unmunge(@value) unless @value.nil?
    end

    def value=(value)
      validate(value)
      @value = munge(value)
    end

    def remove
      @resource = nil
    end

    def format(text, *values)
      text % values.map { |v| @sensitive ? '[redacted]' : v.to_s }
    end
  end

  # An attribute that has a state on the machine, which pupc compares and changes.
  class Property < Parameter
    class << self
      attr_accessor :unmanaged, :idempotent

      def array_matching
        @array_matching ||= :first
      end

      def array_matching=(value)
        value = value.intern if value.is_a?(String)
        raise ArgumentError, "Supported values for Property#array_matching are 'first' and 'all'" unless %i[first all].include?(value)

        @array_matching = value
      end

      def inherited(sub)
        super
        sub.instance_variable_set(:@array_matching, nil)
      end

      def method_added(name)
        super
        return unless name == :safe_insync? && self != Property

        raise "Puppet::Property#safe_insync? shouldn't be overridden; please override insync? instead"
      end

      def value_name(value)
        value_collection.match?(value)&.name
      end

      def value_option(name, option)
        value_collection.value(name)&.public_send(option)
      end

      # Declares a value of the property. The block sets it; without a block, the provider's setter does.
      def newvalue(name, options = {}, &block)
        value = super
        return value if value.method.nil?

        method = value.method.to_sym
        if value.block
          raise ArgumentError, "Attempt to redefine method #{method} with block" if instance_methods(false).include?(method)

          define_method(method, &value.block)
        else
          alias_method(method, :call_provider) unless method_defined?(method)
        end
        value
      end

      def newvalues(*names)
        names.each { |name| newvalue(name) }
      end
    end
    attr_reader :shouldorig
    attr_writer :noop

    # -- the wanted value

    def should
      return nil unless defined?(@should) && @should

      devfail("should for #{name} on #{resource.name} is not an array") unless @should.is_a?(Array)
      match_all? ? @should.map { |v| unmunge(v) } : unmunge(@should[0])
    end

    def should=(values)
      @shouldorig = values = values.is_a?(Array) ? values : [values]
      values.each { |v| validate(v) }
      @should = values.map { |v| munge(v) }
    end

    def value
      should
    end

    def value=(values)
      self.should = values
    end

    def match_all?
      self.class.array_matching == :all
    end

    def idempotent?
      self.class.idempotent != false
    end

    def unsafe_validate(value)
      super
      validate_features_per_value(value)
    end

    def validate_features_per_value(value)
      features = Array(self.class.value_option(self.class.value_name(value), :required_features))
      return if features.empty? || provider.satisfies?(features)

      raise ArgumentError, "Provider #{provider.class.name} must have features '#{features.join(', ')}' to set '#{name}' to '#{value}'"
    end

    def noop
      resource.noop?
    end

    # -- the present value, and whether it is in sync

    def retrieve
      raise Puppet::Error, "Code in Ruby cannot read #{resource.ref}: pupc has this type only natively" if provider.nil? && resource.class.pupc_native

      provider.public_send(self.class.name)
    end

    def safe_insync?(is)
      @should ? insync?(is) : true
    end

    def insync?(is)
      devfail("#{self.class.name}'s should is not array") unless @should.is_a?(Array)
      return true if @should.empty?
      return @should.any? { |wanted| property_matches?(is, wanted) } unless match_all?

      is.is_a?(Array) && is.length == @should.length && (is == @should || is == @should.map(&:to_s))
    end

    def insync_values?(should, is)
      before = @should
      @should = should
      insync?(is)
    rescue StandardError
      nil
    ensure
      @should = before
    end

    def property_matches?(current, desired)
      current == desired || current == desired.to_s
    end

    # -- messages

    def is_to_s(value) # rubocop:disable Naming/PredicateName
      self.class.format_value_for_display(value)
    end

    def should_to_s(value)
      self.class.format_value_for_display(value)
    end

    def change_to_s(current, wanted)
      if current == :absent then "defined '#{name}' as #{should_to_s(wanted)}"
      elsif [:absent, [:absent]].include?(wanted) then "undefined '#{name}' from #{is_to_s(current)}"
      else "#{name} changed #{is_to_s(current)} to #{should_to_s(wanted)}"
      end
    rescue Puppet::Error
      raise
    rescue StandardError => e
      raise Puppet::DevError, "Could not convert change '#{name}' to string: #{e}", e.backtrace
    end

    def event_name
      given = self.class.value_option(should, :event)
      return given if given
      return :"#{name}_changed" unless name == :ensure

      :"#{resource.type}_#{{ present: 'created', absent: 'removed' }.fetch(should, 'changed')}"
    end

    def invalidates_refreshes?
      wanted = should
      (wanted && self.class.value_collection.match?(wanted)&.invalidate_refreshes) ? true : false
    end

    # -- changing the value

    def sync
      devfail('Got a nil value for should') if should.nil?
      set(should)
    end

    def set(value)
      known = self.class.value_name(value)
      method = self.class.value_option(known, :method)
      return set_by_method(method, value) if method && respond_to?(method)

      block = self.class.value_option(known, :block)
      block ? instance_eval(&block) : call_provider(value)
    end

    def call_provider(value)
      self.fail("#{name} cannot handle values of type #{value.inspect}") unless resource.provider
      unless provider.respond_to?("#{name}=")
        self.fail("The #{provider.class.name} provider can not handle attribute #{name}")
      end
      provider.public_send("#{name}=", value)
    end

    private

    def set_by_method(method, value)
      method(method).arity.zero? ? public_send(method) : public_send(method, value)
    rescue Puppet::Error
      raise
    rescue StandardError => e
      message = "Could not set '#{value}' on #{name}: #{e}"
      error = Puppet::ResourceError.new(message, resource.file, resource.line, nil, e)
      error.set_backtrace(e.backtrace)
      Puppet.log_exception(e, error.message)
      raise error
    end
  end

  class Parameter
    class Boolean < Parameter
      def unsafe_munge(value)
        Puppet::Coercion.boolean(value)
      end

      def self.initvars
        super
        @value_collection.newvalues(*%w[true false yes no])
      end
    end

    # An absolute path, or a list of paths with accept_arrays.
    class Path < Parameter
      class << self
        def accept_arrays(value = true)
          @accept_arrays = value
        end
        alias arrays accept_arrays

        def arrays?
          @accept_arrays
        end
      end

      def validate_path(paths)
        self.fail("#{name} only accepts a single path, not an array of paths") if paths.is_a?(Array) && !self.class.arrays?
        return if Array(paths).all? { |path| Util.absolute_path?(path) }

        self.fail("#{name} must be a fully qualified path")
      end

      def unsafe_validate(paths)
        validate_path(paths)
      end
    end

    # Options of package managers: texts, or hashes of texts.
    class PackageOptions < Parameter
      def unsafe_validate(values)
        Array(values.is_a?(Hash) ? [values] : values).each do |value|
          self.fail("Expected either a string or hash of options") unless value.is_a?(String) || value.is_a?(Hash)
        end
      end

      def unsafe_munge(values)
        (values.is_a?(Array) ? values : [values]).map { |value| value.is_a?(Hash) ? value.to_h { |k, v| [quote(k), quote(v)] } : quote(value) }
      end

      private

      # For a shell: providers may put the options into one command line.
      def quote(value)
        return value unless value.include?(' ')

        "\"#{value.gsub('"', '\\"')}\""
      end
    end
  end

  class Property
    class Boolean < Property
      def unsafe_munge(value)
        Puppet::Coercion.boolean(value)
      end
    end

    # The property `ensure`: whether the resource exists.
    class Ensure < Property
      @name = :ensure

      class << self
        def defaultvalues
          { present: :create, absent: :destroy }.each do |value, method|
            newvalue(value) do
              maker = resource.provider.respond_to?(method) ? resource.provider : resource
              maker.public_send(method)
              nil
            end
          end
          defaultto { resource.managed? ? :present : nil }
        end
      end
      defaultto { resource.managed? ? :present : nil }

      def change_to_s(current, wanted)
        return 'created' if current == :absent || current.nil?
        return 'removed' if wanted == :absent

        "#{name} changed #{is_to_s(current)} to #{should_to_s(wanted)}"
      rescue Puppet::Error
        raise
      rescue StandardError => e
        raise Puppet::DevError, "Could not convert change #{name} to string: #{e}", e.backtrace
      end

      def retrieve
        knows = [resource.provider, resource].find { |o| o.respond_to?(:exists?) }
        raise Puppet::DevError, "No ability to determine if #{resource.class.name} exists" unless knows

        knows.exists? ? :present : :absent
      end
    end

    # A list of texts whose order does not matter.
    class List < Property
      def membership
        :membership
      end

      def inclusive?
        resource[membership] == :inclusive
      end

      def delimiter
        ','
      end

      def dearrayify(array)
        array.sort.join(delimiter)
      end

      def add_should_with_current(should, current)
        (current.is_a?(Array) ? should + current : should).uniq
      end

      def should
        return nil unless @should

        dearrayify(inclusive? ? @should : add_should_with_current(@should, retrieve))
      end

      def is_to_s(value) # rubocop:disable Naming/PredicateName
        value == :absent ? super : value.join(delimiter)
      end

      def retrieve
        current = provider&.public_send(name)
        return :absent if current.nil? || current == :absent

        current.instance_of?(Array) ? current : current.split(delimiter)
      end

      def prepare_is_for_comparison(is)
        dearrayify(is == :absent ? [] : is)
      end

      def insync?(is)
        is ? prepare_is_for_comparison(is) == should : true
      end
    end

    class OrderedList < List
      def add_should_with_current(should, current)
        current.is_a?(Array) ? should + (current - should) : should
      end

      def dearrayify(array)
        array.join(delimiter)
      end
    end

    # A property that consists of key-value pairs.
    class KeyValue < Property
      class << self
        attr_accessor :log_only_changed_or_new_keys
      end

      def membership
        :key_value_membership
      end

      def inclusive?
        resource[membership] == :inclusive
      end

      def separator
        '='
      end

      def delimiter
        ';'
      end

      def hash_to_key_value_s(hash)
        hash = hash.slice(*@changed_or_new_keys) if self.class.log_only_changed_or_new_keys
        hash.map { |pair| pair.join(separator) }.join(delimiter)
      end
      alias is_to_s hash_to_key_value_s
      alias should_to_s hash_to_key_value_s

      def hashify_should
        return @should.first if @should.first.is_a?(Hash)

        @should.to_h { |text| text.split(separator).then { |parts| [parts[0].strip.intern, parts[1]] } }
      end

      def process_current_hash(current)
        return {} if current == :absent

        current.each_key { |key| current[key] = nil } if inclusive?
        current
      end

      def should
        return nil unless @should

        current = process_current_hash(retrieve)
        wanted = current.merge(hashify_should)
        @changed_or_new_keys ||= wanted.keys.select { |key| !current.key?(key) || current[key] != wanted[key] }
        wanted
      end

      def retrieve
        current = provider&.public_send(name)
        current.nil? || current == :absent ? :absent : current
      end

      def insync?(is)
        is ? is == should : true
      end

      validate do |value|
        unless value.is_a?(String) || value.is_a?(Hash)
          raise ArgumentError, "The #{name} property must be specified as a hash or an array of key/value pairs (strings)!"
        end
        if value.is_a?(String) && !value.include?(separator.to_s)
          raise ArgumentError, "Key/value pairs must be separated by '#{separator}'"
        end
      end

      munge { |value| value.is_a?(String) ? value : value.to_h { |k, v| [k.to_s.strip.to_sym, v.to_s] } }
    end
  end
end
