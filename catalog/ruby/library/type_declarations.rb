# What a type's file declares and what it can be asked about that, for all Ruby workers: class methods of Puppet::Type. The worker's Type has
# Parameter and Property, and the hook own_type(name) for types that no module has.
module Puppet
  module TypeDeclarations
    include Util
    include Util::Errors
    include Util::Logging
    attr_reader :name, :properties
    attr_accessor :self_refresh, :doc

    # -- all types

    # Finds a type by name: a loaded type, a module's or one that pupc has. nil when there is none.
    def type(name)
      name = name.to_s.downcase.intern
      known = Type.pupc_types[name]
      return known if known

      file = PupcWorker.library_file("puppet/type/#{name}.rb")
      PupcWorker.load_file(file, file) if file
      Type.pupc_types[name] || Type.own_type(name)
    end

    def newtype(name, options = {}, &block)
      name = name.to_s.downcase.intern
      klass = Class.new(options.is_a?(Hash) && options[:parent] ? options[:parent] : Type)
      klass.pupc_start(name)
      constant = name.to_s.capitalize
      Type.send(:remove_const, constant) if Type.const_defined?(constant, false)
      Type.const_set(constant, klass) if constant.match?(/\A[A-Z]\w*\z/)
      Type.pupc_types[name] = klass
      options.each { |key, value| klass.public_send("#{key}=", value) if key != :parent && klass.respond_to?("#{key}=") } if options.is_a?(Hash)
      klass.class_eval(&block) if block
      klass.ensurable if klass.ensurable? && !klass.validproperty?(:ensure)
      Type.define_singleton_method("new#{name}") { |*arguments| klass.new(*arguments) }
      klass.pupc_declared
      klass
    rescue Exception # rubocop:disable Lint/RescueException
      Type.pupc_types.delete(name)
      raise
    end

    # Loads a type whose class constant code uses, such as Puppet::Type::File_line.
    def const_missing(name)
      equal?(Type) && Type.type(name.to_s.downcase) && const_defined?(name, false) ? const_get(name) : super
    end

    def rmtype(name)
      Type.pupc_types.delete(name.to_s.downcase.intern)
    end

    def pupc_types
      Type.instance_variable_get(:@types)
    end

    def eachtype(&block)
      Type.pupc_types.each_value(&block)
    end

    def loadall; end

    def pupc_start(name)
      @name = name
      @properties = []
      @parameters = []
      @validproperties = {}
      @paramhash = {}
      @provider_hash = {}
      @relations = Hash.new { |h, k| h[k] = {} }
      @doc = ''
    end

    # Completes a type after its file was loaded.
    def pupc_declared; end

    def to_s
      @name ? "Puppet::Type::#{@name.to_s.capitalize}" : super
    end

    # -- attributes

    def newproperty(name, options = {}, &block)
      name = name.to_s.downcase.intern
      raise Puppet::DevError, "Options must be a hash, not #{options.inspect}" unless options.is_a?(Hash)
      raise Puppet::DevError, "Class #{self.name} already has a property named #{name}" if @validproperties.key?(name)

      options = options.dup
      reader = options[:retrieve]
      klass = pupc_attribute(name, options.delete(:parent) || Property, '', options) do
        define_method(:retrieve) { provider.public_send(reader) } if reader
        class_eval(&block) if block
      end
      @validproperties[name] = klass
      name == :ensure ? @properties.unshift(klass) : @properties.push(klass)
      klass
    end

    def newparam(name, options = {}, &block)
      name = name.to_s.downcase.intern
      raise SubclassAlreadyDefined, "Already a parameter named #{name}" if @paramhash.key?(name)

      klass = pupc_attribute(name, options[:parent] || Parameter, 'Parameter', options[:attributes] || {}, &block)
      @parameters << klass
      @paramhash[name] = klass
      pupc_question(name) if options[:boolean]
      klass.required_features = options[:required_features] if options[:required_features]
      klass.isnamevar if options[:namevar]
      klass
    end

    def newmetaparam(name, options = {}, &block)
      name = name.to_s.intern
      klass = Type.send(:pupc_attribute, name, options[:parent] || Parameter, 'MetaParam', options[:attributes] || {}, &block)
      klass.metaparam = true
      Type.pupc_metaparams[name] = klass
      pupc_question(name) if options[:boolean]
      klass
    end

    def pupc_metaparams
      Type.instance_variable_get(:@metaparams)
    end

    def ensurable(&block)
      block ? newproperty(:ensure, parent: Property::Ensure, &block) : newproperty(:ensure, parent: Property::Ensure) { defaultvalues }
    end

    def ensurable?
      %i[exists? create destroy].all? { |method| public_method_defined?(method) }
    end

    def validate(&block)
      define_method(:unsafe_validate, &block)
      define_method(:validate) { unsafe_validate unless @parameters.each_value.any? { |p| p.value.instance_of?(Pops::Evaluator::DeferredValue) } }
    end

    def desc(text)
      @doc = text
    end

    def parameters
      @parameters.map(&:name)
    end

    def allattrs
      (key_attributes | (parameters & [:provider]) | @properties.map(&:name) | parameters | metaparams)
    end

    def attrclass(name)
      name = name.to_s.intern
      @validproperties[name] || @paramhash[name] || Type.pupc_metaparams[name]
    end

    def attrtype(name)
      return :property if @validproperties.key?(name)
      return :param if @paramhash.key?(name)

      :meta if Type.pupc_metaparams.key?(name)
    end

    def paramclass(name)
      @paramhash[name]
    end

    def propertybyname(name)
      @validproperties[name]
    end

    def validproperties
      @validproperties.keys
    end

    def validproperty?(name)
      @validproperties[name.to_s.intern] || false
    end

    def validparameter?(name)
      @paramhash.key?(name) || Type.pupc_metaparams.key?(name)
    end

    def validattr?(name)
      name = name.to_s.intern
      name == :name || !attrclass(name).nil?
    end
    alias valid_parameter? validattr?

    def metaparams
      Type.pupc_metaparams.keys
    end

    def metaparam?(name)
      Type.pupc_metaparams.key?(name.to_s.intern)
    end

    def metaparamclass(name)
      name && Type.pupc_metaparams[name.to_s.intern]
    end

    def eachmetaparam(&block)
      metaparams.each(&block)
    end

    def paramdoc(name)
      attrclass(name)&.doc
    end

    def parameters_to_include
      []
    end

    def key_attribute_parameters
      @parameters.select { |p| p.isnamevar? || p.name == :name }
    end

    def key_attributes
      key_attribute_parameters.map(&:name)
    end

    def title_patterns
      keys = key_attributes
      raise Puppet::DevError, 'you must specify title patterns when there are two or more key attributes' if keys.size > 1

      keys.map { |key| [/(.*)/m, [[key]]] }
    end

    def isomorphic?
      defined?(@isomorphic) ? @isomorphic : true
    end

    private

    def pupc_question(name)
      define_method("#{name}?") { [true, :true].include?(self[name]) ? true : nil }
    end

    def pupc_attribute(name, parent, prefix, attributes, &block)
      klass = Class.new(parent) { @name = name }
      constant = "#{prefix}#{name.to_s.capitalize}"
      const_set(constant, klass) if constant.match?(/\A[A-Z]\w*\z/) && !const_defined?(constant, false)
      attributes.each { |key, value| klass.public_send("#{key}=", value) if klass.respond_to?("#{key}=") }
      klass.class_eval(&block) if block
      klass
    end
  end
end
