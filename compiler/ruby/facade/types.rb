# Puppet::Type, as far as a file needs it to define a resource type. Keeps what the file declares, and ignores what the type would do on a
# node.
module Puppet
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
    @metaparams = %i[noop schedule audit loglevel alias tag require subscribe before notify stage].to_h do |name|
      [name, Class.new(Parameter) { @name, @metaparam = name, true }]
    end

    class << self
      include TypeDeclarations
      # The definition of a type that uses the Resource API.
      attr_accessor :pupc_api

      # While a type's file is being read, only types of modules are known: the worker does not know Puppet's own types.
      def own_type(name)
        raise Puppet::Error, "Puppet's own type #{name} is asked for" if PupcWorker.scanning?

        attributes = PupcWorker.callback(:type_attributes, name.to_s) or return
        type = Class.new(Type)
        type.pupc_start(name)
        attributes.each { |attribute, property, key| property ? type.newproperty(attribute) : type.newparam(attribute, namevar: key) }
        type
      end

      def newmetaparam(name, *)
        raise Puppet::Error, "a metaparameter is defined: #{name}"
      end

      def provide(name, _options = {}, &_block)
        providify
        Class.new(Provider) { self.name = name }
      end

      def providify
        newparam(:provider) unless @paramhash.key?(:provider)
      end

      %i[feature has_features autorequire autobefore autosubscribe autonotify apply_to apply_to_device apply_to_host apply_to_all
         map_title_patterns set_default unprovide].each { |name| define_method(name) { |*_args, &_block| nil } }

      def features
        []
      end

      def newstate(*)
        raise Puppet::DevError, 'newstate is no longer known'
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

      klass = Class.new(Type).tap { |type| type.pupc_start(definition[:name].to_s.downcase.intern) }
      klass.pupc_api = definition
      Type.pupc_types[klass.name] = klass
    end

    def load_type(*); end
    def load_provider(*); end
  end
end

module PupcWorker
  class << self
    # A type's file may be read again, after its type was forgotten.
    def load_file(file, _what)
      load(file)
    end

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
      return true if begin_compile(environment, [], '', directories, 'error', true, 'debug')

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
      return answer if type.method(:title_patterns).owner == Puppet::TypeDeclarations

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
