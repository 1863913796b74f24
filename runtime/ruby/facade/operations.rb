# The operations that pupc calls in the worker. A number from pupc identifies each resource.
module PupcWorker
  module Operations
    class << self
      # The first call, and the first of a run in a process that has resolved facts: sets library directories, settings, where facts in Ruby
      # are, and the lowest wanted log level.
      def start(directories, settings, facts, level)
        PupcWorker.least_level = level.to_sym
        PupcWorker.library_directories = directories
        PupcWorker.values_are_texts = settings.delete('values_are_texts')
        settings.each { |name, value| Puppet::Settings[name] = value }
        Facter::Machine.directories ||= facts
        @resources = {}
        @catalog = Puppet::Resource::Catalog.new
        nil
      end

      # Variables that have changed in pupc's environment; nil for those that are gone.
      def change_environment(changes)
        PupcWorker.change_environment(changes)
        nil
      end

      # Resolves the facts in Ruby and returns those with a value; events tell what is resolved and what it gave.
      def facts(core, external, environment, directories, limit)
        Facter::Machine.set(core: core, external: external, environment: environment, directories: directories, limit: limit)
        Facter::Machine.events = true
        Facter.values.select { |name, value| keepable?(name, value) }
      ensure
        Facter::Machine.events = nil
      end

      # Numbers without a form in JSON cannot be facts.
      def keepable?(name, value)
        case value
        when Float then value.finite? || Facter.log(:err, "The value of the fact '#{name}' cannot be kept: #{value} is no number of JSON")
        when Array then value.all? { |v| keepable?(name, v) }
        when Hash then value.all? { |_, v| keepable?(name, v) }
        else true
        end
      end

      def known(id)
        @resources[id]
      end

      # Creates a resource; returns its description (`describe`).
      def make(id, type, title, attributes, sensitive, more)
        kind = Puppet::Type.type(type) or raise Puppet::Error, "Could not find resource type #{type}"
        resource = Puppet::Resource.new(kind, title)
        from_title = resource.to_hash
        # The catalog has the whole title as the first namevar's value. Skip that value when a title pattern gives another one.
        attributes.each { |name, value| resource[name] = value unless value == title && from_title.fetch(name.to_sym, title) != title }
        resource.sensitive_parameters = sensitive.map(&:to_sym)
        resource.catalog = @catalog
        resource.file = more['file'] unless more['file'].to_s.empty?
        resource.line = more['line'] unless more['line'].to_i.zero?
        resource.tag(*more['tags'])
        return nil if made_late?(kind, resource)

        made = kind.new(resource)
        check_alone(id, made)
        adopt(id, made, more)
        describe(made)
      end

      # Sets the attributes of a resource that were Deferred; a nil leaves the attribute out. Returns the resource's description.
      def resolve(id, values, sensitive)
        resource = @resources.fetch(id)
        values.each { |name, value| value.nil? ? resource.delete(name) : resource[name] = value }
        resource.send(:set_sensitive_parameters, sensitive.map(&:to_sym)) unless sensitive.empty?
        resource.validate_resource
        describe(resource)
      end

      # Sets attributes and place of a resource that Ruby code created (generated, or found for purging). Returns its description.
      def place(id, attributes, more)
        resource = @resources.fetch(id)
        attributes.each { |name, value| resource[name] = value }
        adopt(id, resource, more)
        describe(resource)
      end

      def relations(id)
        @resources.fetch(id).pupc_relations
      end

      # nil when a provider can manage the resource now; its description when that is another one than the `told` one: what an earlier
      # resource installed may have made a provider suitable. Otherwise the reason, and whether the type has no suitable provider at all.
      def unsuitable(id, told)
        resource = @resources.fetch(id)
        return resource.provider && resource.provider.class.name.to_s != told ? describe(resource) : nil if resource.suitable?
        return ["Provider #{resource.provider.class.name} is not functional on this host", false] if resource.provider

        ["Could not find a suitable provider for #{resource.type}", true]
      end

      # The same for a resource that is not made before its turn, because of Deferred values; `provider` is the wanted one's name, or empty.
      def type_unsuitable(type, provider)
        kind = Puppet::Type.type(type)
        return nil unless kind&.paramclass(:provider)
        return kind.defaultprovider ? nil : ["Could not find a suitable provider for #{kind.name}", true] if provider.empty?

        wanted = kind.provider(provider.intern)
        wanted.nil? || wanted.suitable? ? nil : ["Provider #{wanted.name} is not functional on this host", false]
      end

      # Lets the provider of a resource read what all of its resources need; `alone`: what this one needs.
      def prefetch(id, alone)
        resource = @resources.fetch(id)
        provider = resource.provider.class
        return unless provider.respond_to?(:prefetch)

        # Leave out resources that `instances` found and the run has not placed.
        of_type = @resources.values.select { |r| r.pupc_path && r.instance_of?(resource.class) }
        if provider == resource.class.defaultprovider
          of_type.each { |r| r.provider = provider.name if r.provider.nil? && r.class.attrclass(:provider) }
        end
        of_type = [resource] if alone
        provider.prefetch(of_type.select { |r| r.provider.instance_of?(provider) }.to_h { |r| [r.name, r] })
        nil
      rescue LoadError => e
        raise Puppet::Error.new(e.message, e)
      end

      # Retrieves a resource: whether it exists, its present values and the changes to make. `changes` tells how many the run has made so far.
      def look(id, changes)
        resource = @resources.fetch(id)
        PupcWorker.changes = changes
        current = resource.retrieve_resource.to_hash
        { 'exists' => resource.present?(current), 'values' => resource.properties.filter_map { |p| [p.name, current[p.name]] if current.key?(p.name) },
          'changes' => differences(resource, current) }
      ensure
        PupcWorker.changes = nil
      end

      # The resources of a type that the run manages.
      def of_type(type)
        kind = Puppet::Type.type(type)
        @resources.each_value.select { |r| r.pupc_path && r.instance_of?(kind) }
      end

      # Makes one change; returns its message.
      def change(id, property)
        resource = @resources.fetch(id)
        property = resource.property(property)
        before = @current.fetch(id)[property.name]
        property.sync
        property.sensitive ? '' : property.change_to_s(before, property.should)
      end

      def flush(id)
        @resources.fetch(id).flush
        nil
      end

      def refresh(id)
        @resources.fetch(id).refresh
        nil
      end

      def check_before_run(id)
        @resources.fetch(id).pre_run_check
        nil
      end

      def generate(id)
        children(@resources.fetch(id).generate)
      end

      def eval_generate(id)
        children(@resources.fetch(id).eval_generate)
      end

      # All instances of a type on the machine.
      def instances(type)
        kind = Puppet::Type.type(type) or raise Puppet::Error, "Could not find resource type #{type}"
        children(kind.instances)
      end

      # Resources as they are on the machine, for who looks at them; `more` are parameters that are told besides the properties.
      def list_resources(type, title, more)
        kind = Puppet::Type.type(type) or raise Puppet::Error, "Could not find type #{type}"
        found = title.empty? ? kind.instances : [one_of(kind, title)]
        found.map { |resource| listed(kind, resource.to_resource, more) }
      end

      # A resource of the run, as it is now.
      def show_resource(type, title, more)
        kind = Puppet::Type.type(type)
        resource = @resources.values.find { |r| r.instance_of?(kind) && r.title == title } or raise Puppet::Error, "#{kind}[#{title}] was not managed"
        listed(kind, resource.to_resource, more)
      end

      # The name of a native type's default provider on this machine, chosen among pupc's own and those of modules.
      def default_provider(type)
        Puppet::Type.type(type).defaultprovider&.name
      end

      # Loads the modules' providers of a native type, for what their files do besides.
      def load_providers(type)
        Puppet::Type.type(type)&.pupc_load_providers
        nil
      end

      # After the run.
      def finish
        @resources.values.filter_map { |r| r.provider&.class }.uniq.each do |provider|
          provider.post_resource_eval if provider.respond_to?(:post_resource_eval)
        rescue StandardError => e
          Puppet.err("post_resource_eval failed for provider #{provider}")
          Puppet.debug(e.message)
        end
        nil
      end

      # A type's attributes, features and providers, for tools that compare pupc with Puppet.
      def describe_type(name)
        type = Puppet::Type.type(name) or return nil

        { 'properties' => type.validproperties, 'parameters' => type.parameters, 'keys' => type.key_attributes, 'features' => type.features,
          'providers' => type.paramclass(:provider) ? type.providers.sort : [], 'default' => type.paramclass(:provider) && type.defaultprovider&.name }
      end

      private

      # Whether a resource cannot be made before its Deferred values are known: they decide which resource it is or who manages it, or its
      # type checks every value against a data type.
      def made_late?(kind, resource)
        unknown = resource.to_hash.select { |_, value| Puppet::Pops::Evaluator::DeferredValue === value }.keys.map(&:to_sym)
        return false if unknown.empty?

        (kind.respond_to?(:type_definition) && kind.type_definition) || !(unknown & [*kind.key_attributes, :provider]).empty?
      end

      # Raises when another resource with a different title has the same namevars: both would manage the same thing.
      def check_alone(id, made)
        return if !made.isomorphic? || made.name == made.title

        key = [made.class, made.uniqueness_key]
        other = (@named ||= {})[key]
        if other && other[0] != id && @resources[other[0]]
          reference = [made.class.name.to_s.capitalize, *made.uniqueness_key]
          place = Puppet::Util::Errors.error_location(made.file, made.line)
          raise Puppet::Error, "Cannot alias #{made.ref} to #{made.uniqueness_key.inspect}#{" at #{place}" unless place.empty?}; " \
                               "resource #{reference.inspect} already declared#{Puppet::Util::Errors.error_location_with_space(other[1].file, other[1].line)}"
        end
        @named[key] = [id, made]
      end

      def one_of(kind, title)
        kind.instances.find { |r| r.name == title } || kind.new(name: title, audit: kind.properties.map { |p| p.name.to_s })
      end

      def listed(kind, resource, more)
        described = kind.respond_to?(:type_definition) && kind.type_definition
        told = [:provider] + kind.parameters_to_include + more.map(&:to_sym)
        values = resource.parameters.reject { |name, value| hidden?(kind, described, told, name, value) }
        { 'title' => resource.title.to_s, 'attributes' => values, 'described' => described ? true : false }
      end

      def hidden?(kind, described, told, name, value)
        return value.nil? || !described.attributes.key?(name) || (described.namevars == [name]) if described

        value.to_s.empty? || Array(value).empty? || (value.to_s == 'absent' && name != :ensure) || !(kind.validproperty?(name) || told.include?(name))
      end

      def adopt(id, resource, more)
        resource.pupc_id = id
        resource.pupc_path = more['path']
        resource.noop = more['noop']
        resource.catalog = @catalog
        @resources[id] = resource
      end

      def describe(resource)
        { 'key' => resource.pupc_key.to_s, 'provider' => resource.provider && resource.provider.class.name.to_s,
          'refresh' => resource.respond_to?(:refresh), 'self_refresh' => resource.self_refresh? ? true : false,
          'generate' => resource.respond_to?(:generate), 'eval_generate' => resource.respond_to?(:eval_generate),
          'depth_first' => resource.depthfirst? ? true : false, 'check' => resource.method(:pre_run_check).owner != Puppet::Type,
          'relates' => resource.class.pupc_relates?, 'providers' => resource.class.paramclass(:provider) ? true : false,
          'prefetch' => resource.provider.class.respond_to?(:prefetch) }
      end

      def differences(resource, current)
        (@current ||= {})[resource.pupc_id] = current
        ensured = resource.parameter(:ensure)
        if ensured&.should
          found = difference(ensured, current[:ensure])
          return [found] if found
        end
        resource.present?(current) ? resource.properties.filter_map { |p| difference(p, current[p.name]) } : []
      end

      def difference(property, current)
        return nil unless property.should && !property.safe_insync?(current)

        told_difference(property, current)
      rescue StandardError => e
        PupcWorker.send(:note, e)
        { 'property' => property.name, 'failure' => e.to_s, 'is' => shown(property, :is_to_s, current), 'should' => shown(property, :should_to_s, property.should),
          'event' => property.event_name, 'sensitive' => property.sensitive ? true : false }
      end

      def told_difference(property, current)
        wanted = property.should
        { 'property' => property.name, 'previous' => current, 'desired' => wanted, 'is' => property.is_to_s(current), 'should' => property.should_to_s(wanted),
          'message' => property.sensitive ? '' : property.change_to_s(current, wanted), 'sensitive' => property.sensitive ? true : false,
          'event' => property.event_name, 'invalidates' => property.invalidates_refreshes? }
      end

      def shown(property, method, value)
        property.public_send(method, value)
      rescue StandardError
        Puppet.shown(value)
      end

      # Describes resources that Ruby code created. The worker keeps the objects of those that Ruby manages.
      def children(made)
        # pupc's own numbers are positive, so use negative ones.
        [made].flatten.compact.map { |resource| told(resource, @children = (@children || 0) - 1) }
      end

      def told(resource, id)
        if resource.is_a?(Puppet::Resource)
          return { 'type' => resource.type, 'title' => resource.title, 'attributes' => resource.parameters, 'id' => nil }
        end

        @resources[id] = resource
        resource.pupc_id = id
        attributes = resource.to_hash.reject { |name, value| value.nil? || %i[loglevel provider].include?(name) }
        { 'type' => resource.class.name, 'title' => resource.title, 'attributes' => attributes, 'id' => id }
      end
    end
  end
  Operations.singleton_class.send(:public, :describe_type)
end

module Puppet
  Operations = PupcWorker::Operations
  class Type
    # The key by which other resources find this one, besides its title.
    def pupc_key
      keys = self.class.key_attributes
      keys.size == 1 ? self[keys.first] || title : title
    end

    def self.pupc_relates?
      @relations.any? { |_, blocks| !blocks.empty? }
    end
  end
end
