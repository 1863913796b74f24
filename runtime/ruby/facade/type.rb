# Puppet::Type in a run: what catalog/ruby/library/type_declarations.rb has, and relationships, providers and instances.
module Puppet
  class Type
    extend ProviderFeatures
    @types = {}
    @metaparams = {}

    class << self
      include Enumerable
      include TypeDeclarations
      attr_reader :provider_hash
      attr_accessor :pupc_definition, :pupc_native
      attr_writer :defaultprovider

      def own_type(name)
        NativeTypes.load(name)
      end

      def each(&block)
        eachtype(&block)
      end

      def pupc_declared
        pupc_load_providers
        providify unless provider_hash.empty?
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
    end
  end
end
