# Puppet::Type: the declaration of types, and the registry of all types.
module Puppet
  class Type
    extend ProviderFeatures
    @types = {}
    @metaparams = {}

    class << self
      include Enumerable
      include Util
      include Util::Errors
      include Util::Logging
      attr_reader :name, :properties, :provider_hash
      attr_accessor :self_refresh, :doc, :pupc_definition, :pupc_native
      attr_writer :defaultprovider

      # -- all types

      # Finds a type by name: a loaded type, a module's type or a native one. nil when there is none.
      def type(name)
        name = name.to_s.downcase.intern
        known = Type.pupc_types[name]
        return known if known

        file = PupcWorker.library_file("puppet/type/#{name}.rb")
        PupcWorker.load_file(file, file) if file
        Type.pupc_types[name] || NativeTypes.load(name)
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

      def each(&block)
        eachtype(&block)
      end

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
      def pupc_declared
        pupc_load_providers
        providify unless provider_hash.empty?
      end

      def to_s
        @name ? "Puppet::Type::#{@name.to_s.capitalize}" : super
      end

      # -- attributes

      def newproperty(name, options = {}, &block)
        name = name.to_s.intern
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
        name = name.to_s.intern
        klass = pupc_attribute(name, options[:parent] || Parameter, 'Parameter', options[:attributes] || {}, &block)
        @parameters.reject! { |p| p.name == name }
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

      def apply_to_device
        @apply_to = :device
      end

      def apply_to_host
        @apply_to = :host
      end

      def apply_to_all
        @apply_to = :both
      end

      def apply_to
        @apply_to ||= :host
      end

      def can_apply_to(target)
        [target == :device ? :device : :host, :both].include?(apply_to)
      end

      def needs_ensure_retrieved
        true
      end

      # -- automatic relationships

      %i[require before subscribe notify].each do |kind|
        define_method("auto#{kind}") { |type, &block| @relations[kind][type] = block }
        define_method("eachauto#{kind}") { |&block| @relations[kind].each(&block) }
      end

      def relationship_params
        %i[require before subscribe notify].map { |name| Type.pupc_metaparams[name] }
      end

      # -- providers

      def provide(name, options = {}, &block)
        name = name.intern
        unprovide(name)
        options = options.dup
        parent = pupc_parent(name, options.delete(:parent))
        providify
        klass = Class.new(parent)
        klass.name = name
        klass.extend(feature_module)
        klass.include(feature_module)
        provider_hash[name] = klass
        constant = "Provider#{name.to_s.capitalize}"
        remove_const(constant) if const_defined?(constant, false)
        const_set(constant, klass) if constant.match?(/\A[A-Z]\w*\z/)
        klass.resource_type = options.delete(:resource_type) || self
        options.each { |key, value| klass.public_send("#{key}=", value) if klass.respond_to?("#{key}=") }
        klass.class_eval(&block) if block
        PupcWorker::AskedOnce.take(klass) if self.name == :postgresql_psql
        klass
      rescue Exception # rubocop:disable Lint/RescueException
        provider_hash.delete(name)
        raise
      end

      def unprovide(name)
        @defaultprovider = nil if @defaultprovider&.name == name
        provider_hash.delete(name)
      end

      # Finds a provider by name; loads its file when necessary.
      def provider(name)
        name = name.to_s.intern
        return provider_hash[name] if provider_hash.key?(name)

        file = PupcWorker.library_file("puppet/provider/#{self.name}/#{name}.rb")
        PupcWorker.load_file(file, file) if file
        provider_hash[name] || NativeTypes.provider(self, name)
      end

      def providers
        pupc_load_providers
        NativeTypes.provide_all(self)
        provider_hash.keys
      end

      def validprovider?(name)
        provider(name)&.suitable? ? true : false
      end

      # The providers that can work on this machine now.
      def suitableprovider
        pupc_load_providers
        NativeTypes.provide_all(self)
        provider_hash.values.select(&:suitable?)
      end

      # Loads all providers. Logs an error for a file that fails to load and continues with the others.
      def pupc_load_providers
        return if @providers_loaded

        @providers_loaded = true
        PupcWorker.library_files("puppet/provider/#{name}").each do |file|
          provider_hash.key?(::File.basename(file, '.rb').intern) || PupcWorker.load_file(file, file)
        rescue Puppet::Error => e
          Puppet.err(e.message)
        end
      end

      def defaultprovider
        return @defaultprovider if @defaultprovider

        suitable = suitableprovider
        candidates = suitable.select(&:default?)
        candidates = suitable if candidates.empty?
        best = candidates.map(&:specificity).max
        candidates = candidates.select { |p| p.specificity == best }
        if candidates.size > 1
          Puppet.warning("Found multiple default providers for #{name}: #{candidates.map(&:name).join(', ')}; using #{candidates[0].name}")
        end
        @defaultprovider = candidates[0]
      end

      def providers_by_source
        [defaultprovider, suitableprovider].flatten.compact.uniq(&:source)
      end

      # Gives the type its parameter `provider`.
      def providify
        return if @paramhash.key?(:provider)

        type = self
        newparam(:provider) do
          define_singleton_method(:parenttype) { type }
          defaultto { resource.class.defaultprovider&.name }
          validate do |given|
            given = given[0] if given.is_a?(Array)
            given = given.class.name if given.is_a?(Provider)
            raise ArgumentError, "Invalid #{resource.class.name} provider '#{given}'" unless resource.class.provider(given)
          end
          munge do |given|
            given = given[0] if given.is_a?(Array)
            given = given.intern if given.is_a?(String)
            resource.provider = given
            given.is_a?(Provider) ? given.class.name : given
          end
        end
      end

      # -- instances on the machine

      # All resources of the type that its providers find on the machine.
      def instances
        raise Puppet::DevError, "#{name} has no providers and has not overridden 'instances'" if provider_hash.empty? && providers.empty?

        found = {}
        providers_by_source.flat_map do |provider|
          provider.instances.filter_map do |instance|
            title = instance.respond_to?(:title) ? instance.title : instance.name
            next if found[title]

            found[title] = true
            resource = new(name: instance.name, provider: instance, title: title)
            properties.each { |property| resource.newattr(property) }
            resource
          end
        end
      end

      def hash2resource(hash)
        hash = hash.transform_keys(&:to_sym)
        keys = key_attributes
        title = hash.delete(:title) || hash[:name] || (hash[keys.first] if keys.size == 1)
        raise Puppet::Error, 'Title or name must be provided' unless title

        resource = Resource.new(self, title)
        resource.catalog = hash.delete(:catalog)
        resource.sensitive_parameters = hash.delete(:sensitive_parameters) || []
        hash.each { |name, value| resource[name] = value }
        resource
      end

      private

      def pupc_parent(name, given)
        return Provider if given.nil?
        return given if given.is_a?(Class)

        provider(given) || raise(Puppet::DevError, "Could not find parent provider #{given} of #{name}")
      end

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
end
