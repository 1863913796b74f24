# Puppet::Type, as far as a file needs it to define a resource type. Keeps what the file declares, and ignores what the type would do on a
# node.
module Puppet
  class SubclassAlreadyDefined < Error; end unless const_defined?(:SubclassAlreadyDefined)

  # One attribute of a type.
  class Parameter
    class << self
      include Util
      include Util::Errors
      attr_reader :name, :doc, :default, :required_features
      attr_accessor :metaparam

      def initvars; end

      def desc(text)
        @doc = text
      end
      attr_writer :doc

      def defaultto(value = nil, &block)
        @default = value.nil? ? block : value
      end

      def nodefault
        @default = nil
      end

      def isnamevar
        @isnamevar = true
        @required = true
      end

      def isnamevar?
        @isnamevar ? true : false
      end

      def isrequired
        @required = true
      end

      def required?
        @required ? true : false
      end

      def required_features=(*features)
        @required_features = features.flatten.map { |f| f.to_s.downcase.intern }
      end

      def sensitive(value = nil, &block)
        @sensitive = value.nil? ? block : value
      end

      def munge(&block)
        define_method(:unsafe_munge, &block) if block
      end

      def unmunge(&block)
        define_method(:unmunge, &block) if block
      end

      def validate(&block)
        define_method(:unsafe_validate, &block) if block
      end

      def newvalue(name, options = {})
        (@pupc_values ||= []) << name
      end

      def newvalues(*names)
        (@pupc_values ||= []).concat(names)
      end

      def aliasvalue(name, other)
        unless (@pupc_values || []).any? { |v| v.to_s == other.to_s }
          raise Puppet::DevError, "Cannot alias nonexistent value #{other}"
        end

        @pupc_values << name
      end

      def proxymethods(*); end
      def format(text, *args)
        Kernel.format(text, *args)
      end
    end
    include Util
    include Util::Errors
    include Util::Logging
    attr_accessor :resource, :parent
  end

  class Property < Parameter
    class << self
      attr_accessor :unmanaged, :array_matching

      def array_matching=(value)
        value = value.intern if value.is_a?(String)
        raise ArgumentError, "Supported values for Property#array_matching are 'first' and 'all'" unless %i[first all].include?(value)

        @array_matching = value
      end

      def method_added(_name); end
    end
    def insync?(_is)
      true
    end

    def should; end
  end

  class Parameter
    class Boolean < Parameter; end
    class Path < Parameter
      class << self
        def accept_arrays(_value = true); end
        alias arrays accept_arrays
      end
    end
    class PackageOptions < Parameter; end
  end

  class Property
    class Boolean < Property; end
    class List < Property; end
    class OrderedList < List; end
    class KeyValue < Property
      class << self
        attr_accessor :separator, :delimiter, :log_only_changed_or_new_keys
      end
    end
    class Ensure < Property
      @name = :ensure
      def self.defaultvalues
        newvalue(:present)
        newvalue(:absent)
      end
    end
  end

  class Provider
    class << self
      attr_accessor :name, :resource_type

      # Accepts any call: what a provider can do only matters on a node.
      def method_missing(*)
        self
      end

      def respond_to_missing?(*)
        true
      end
    end
  end

  class Type
    @types = {}

    class << self
      include Util
      include Util::Errors
      include Util::Logging
      attr_reader :name, :properties, :pupc_api
      attr_accessor :self_refresh, :doc

      # -- all types

      # Finds a type by name. While a type's file is being read, finds only types of modules: the worker does not know Puppet's own types.
      def type(name)
        name = name.to_s.downcase.intern
        found = Type.pupc_types[name]
        return found if found
        return pupc_load(name) if PupcWorker.scanning?

        known = PupcWorker.callback(:type_known, name.to_s)
        known == 'native' ? Type.pupc_known(name) : nil
      end

      def newtype(name, options = {}, &block)
        name = name.to_s.downcase.intern
        klass = Class.new(Type)
        klass.pupc_start(name)
        constant = name.to_s.capitalize
        Type.send(:remove_const, constant) if Type.const_defined?(constant, false)
        Type.const_set(constant, klass) if constant.match?(/\A[A-Z]\w*\z/)
        options.each { |key, value| klass.public_send("#{key}=", value) if klass.respond_to?("#{key}=") } if options.is_a?(Hash)
        klass.class_eval(&block) if block
        Type.pupc_types[name] = klass
        klass.ensurable if klass.ensurable? && !klass.validproperty?(:ensure)
        klass
      end

      def rmtype(name)
        Type.pupc_types.delete(name.to_s.downcase.intern)
      end

      def pupc_types
        Type.instance_variable_get(:@types)
      end

      def pupc_known(name)
        known = Class.new(Type)
        known.pupc_start(name)
        known
      end

      def pupc_load(name)
        file = PupcWorker.library_file("puppet/type/#{name}.rb")
        raise Puppet::Error, "Puppet's own type #{name} is asked for" if file.nil?

        load(file)
        Type.pupc_types[name]
      end

      def pupc_start(name)
        @name = name
        @properties = []
        @parameters = []
        @validproperties = {}
        @paramhash = {}
        @doc = ''
      end

      # Stores the definition of a type that uses the Resource API.
      def pupc_api=(definition)
        @pupc_api = definition
      end

      # -- definitions

      def newproperty(name, options = {}, &block)
        name = name.to_s.downcase.intern
        raise Puppet::DevError, "Options must be a hash, not #{options.inspect}" unless options.is_a?(Hash)
        raise Puppet::DevError, "Class #{self.name} already has a property named #{name}" if @validproperties.include?(name)

        property = pupc_attribute(name, options[:parent] || Property, 'Property', options.reject { |k, _| k == :parent }, &block)
        @validproperties[name] = property
        name == :ensure ? @properties.unshift(property) : @properties.push(property)
        property
      end

      def newparam(name, options = {}, &block)
        name = name.to_s.downcase.intern
        parameter = pupc_attribute(name, options[:parent] || Parameter, 'Parameter', options[:attributes] || {}, &block)
        raise SubclassAlreadyDefined, "Already a parameter named #{name}" if @paramhash.include?(name)

        @parameters << parameter
        @paramhash[name] = parameter
        define_method(name) { nil } if options[:boolean]
        parameter.required_features = options[:required_features] if options[:required_features]
        parameter.isnamevar if options[:namevar]
        parameter
      end

      def metaparams
        %i[noop schedule audit loglevel alias tag require subscribe before notify stage]
      end

      def metaparam?(name)
        metaparams.include?(name.to_sym)
      end

      def eachmetaparam(&block)
        metaparams.each(&block)
      end

      def newmetaparam(name, *)
        raise Puppet::Error, "a metaparameter is defined: #{name}"
      end

      def ensurable(&block)
        block ? newproperty(:ensure, parent: Property::Ensure, &block) : newproperty(:ensure, parent: Property::Ensure) { defaultvalues }
      end

      def ensurable?
        %i[exists? create destroy].all? { |method| public_method_defined?(method) }
      end

      def provide(name, _options = {}, &_block)
        providify
        Class.new(Provider) { self.name = name }
      end

      def providify
        newparam(:provider) unless @paramhash.key?(:provider)
      end

      def desc(text)
        @doc = text
      end

      def validate(&block)
        define_method(:unsafe_validate, &block)
      end

      %i[feature has_features autorequire autobefore autosubscribe autonotify apply_to apply_to_device apply_to_host apply_to_all
         map_title_patterns set_default unprovide].each { |name| define_method(name) { |*_args, &_block| nil } }

      def features
        []
      end

      def newstate(*)
        raise Puppet::DevError, 'newstate is no longer known'
      end

      # -- questions about the definitions

      def parameters
        @parameters.map(&:name)
      end

      def allattrs
        @properties.map(&:name) + parameters
      end

      def attrclass(name)
        @validproperties[name.to_sym] || @paramhash[name.to_sym]
      end

      def attrtype(name)
        return :property if @validproperties.key?(name.to_sym)

        :param if @paramhash.key?(name.to_sym)
      end

      def paramclass(name)
        @paramhash[name.to_sym]
      end

      def propertybyname(name)
        @validproperties[name.to_sym]
      end

      def validproperty?(name)
        @validproperties.key?(name.to_sym)
      end

      def validproperties
        @properties.map(&:name)
      end

      def validparameter?(name)
        @paramhash.key?(name.to_sym)
      end

      def validattr?(name)
        !attrtype(name).nil?
      end
      alias valid_parameter? validattr?

      def key_attribute_parameters
        @parameters.select { |parameter| parameter.isnamevar? || parameter.name == :name }
      end

      def key_attributes
        key_attribute_parameters.map(&:name)
      end

      def isomorphic?
        defined?(@isomorphic) ? @isomorphic : true
      end

      def title_patterns
        case key_attributes.size
        when 0 then []
        when 1 then [[/(.*)/m, [[key_attributes.first]]]]
        else raise Puppet::DevError, 'you must specify title patterns when there are two or more key attributes'
        end
      end

      private

      def pupc_attribute(name, parent, prefix, attributes, &block)
        klass = Class.new(parent) { @name = name }
        constant = "#{prefix unless prefix == 'Property'}#{name.to_s.capitalize}"
        const_set(constant, klass) if constant.match?(/\A[A-Z]\w*\z/) && !const_defined?(constant, false)
        attributes.each { |key, value| klass.public_send("#{key}=", value) if klass.respond_to?("#{key}=") }
        klass.class_eval(&block) if block
        klass
      end
    end
    include Util
    include Util::Errors
    include Util::Logging
  end

  module ResourceApi
    module_function

    def register_type(definition)
      raise Puppet::DevError, "requires a hash as definition, not `#{definition.class}`" unless definition.is_a?(Hash)
      raise Puppet::DevError, "requires a Hash for attributes, not `#{definition[:attributes].class}`" unless definition[:attributes].is_a?(Hash)

      klass = Type.pupc_known(definition[:name].to_s.downcase.intern)
      klass.pupc_api = definition
      Type.pupc_types[klass.name] = klass
    end

    def load_type(*); end
    def load_provider(*); end
  end
end

module PupcWorker
  class << self
    def scanning?
      @scanning ? true : false
    end

    # Runs a type's file and returns what it declares; nil when it does not declare the type, true when another process must run it
    # (begin_compile).
    def scan_type(name, file, environment, directories)
      read_type(name, file, environment, directories) { |type| type && (type.pupc_api ? describe_api_type(type.pupc_api) : describe_type(type)) }
    end

    # The attributes that a title gives by the patterns of a type, [[name, value]…]; nil when none matches, true as scan_type.
    def split_title(name, file, title, environment, directories)
      return true if libraries_changed?

      type = (@split_types ||= {})[[name, file, library_state(file)]] ||= read_type(name, file, environment, directories) { |read| read }
      type.title_patterns.each do |pattern, parts|
        match = pattern.match(title) or next
        return parts.zip(match.captures).map { |(part, change), text| [part.to_s, change ? change.call(text) : text] }
      end
      nil
    end

    private

    # Yields the type that a file declares, nil when it does not declare it.
    def read_type(name, file, environment, directories)
      @scanning = true
      return true if begin_compile(environment, [], '', directories, 'error', true)

      Puppet::Type.rmtype(name)
      $stderr = StringIO.new # swallow Ruby's warnings about constants: a second reading defines them again
      load(file)
      yield Puppet::Type.pupc_types[name.intern]
    ensure
      $stderr = STDERR
      @scanning = false
    end

    def describe_type(type)
      attributes = type.properties.map { |p| [p.name.to_s, 'property', false] } +
                   type.key_attribute_parameters.then { |keys| type.parameters.map { |n| [n.to_s, 'param', keys.any? { |k| k.name == n }] } }
      answer = { 'attributes' => attributes, 'isomorphic' => type.isomorphic? ? true : false, 'api' => false, 'titles' => nil }
      return answer if type.method(:title_patterns).owner == Puppet::Type.singleton_class

      begin
        answer['titles'] = type.title_patterns.map do |pattern, parts|
          raise Puppet::Error, "title_patterns has #{pattern.inspect} for a pattern" unless pattern.is_a?(Regexp)

          names = parts.map do |part, change|
            answer['title_code'] = true unless change.nil? || identity?(change)
            part.to_s
          end
          [pattern.source, pattern.options & 7, names]
        end
      rescue StandardError => e
        answer['titles'] = nil
        answer['titles_doubt'] = message_of(e)
      end
      answer
    end

    # Whether a Proc just returns its only argument; its bytecode shows it.
    def identity?(change)
      return false unless change.is_a?(Proc) && change.arity.abs == 1

      code = RubyVM::InstructionSequence.of(change).to_a.last.select { |i| i.is_a?(Array) }.reject { |i| i[0] == :nop }
      code.size == 2 && %i[getlocal_WC_0 getlocal].include?(code[0][0]) && code[1][0] == :leave
    end

    def describe_api_type(definition)
      first = nil
      attributes = definition[:attributes].map do |name, options|
        behaviour = (options[:behaviour] || options[:behavior]).to_s
        first ||= name.to_s if behaviour == 'namevar'
        parameter = %w[namevar parameter read_only].include?(behaviour)
        [name.to_s, parameter ? 'param' : 'property', behaviour == 'namevar' || (parameter && name.to_s == 'name')]
      end
      attributes = attributes.partition { |name, _, _| name == 'ensure' }.flatten(1)
      titles = if definition[:title_patterns] then definition[:title_patterns].map { |p| [p[:pattern].source, p[:pattern].options & 7, p[:pattern].names] }
               elsif first then [['(.*)', Regexp::MULTILINE, [first]]]
               end
      { 'attributes' => attributes, 'isomorphic' => true, 'api' => true, 'titles' => titles }
    end
  end
end
