# A resource of a type: its attributes, its provider and its present state.
module Puppet
  class Type
    include Enumerable
    include Util
    include Util::Errors
    include Util::Logging
    attr_reader :provider, :original_parameters
    attr_accessor :file, :line, :catalog, :exported, :virtual, :pupc_path, :pupc_id, :tags, :parent
    attr_writer :title, :noop

    def initialize(resource)
      resource = self.class.hash2resource(resource) unless resource.is_a?(Resource)
      @parameters = {}
      @tags = resource.tags
      @title = resource.title
      %i[file line catalog exported virtual].each { |what| public_send("#{what}=", resource.public_send(what)) if resource.public_send(what) }
      @original_parameters = resource.to_hash
      pupc_set_name(@original_parameters)
      set_default(:provider)
      pupc_set_parameters(@original_parameters)
      validate_resource
      set_sensitive_parameters(resource.sensitive_parameters.dup)
    end

    def validate_resource
      validate if respond_to?(:validate)
    rescue Puppet::Error, ArgumentError => e
      raise adderrorcontext(Puppet::ResourceError.new("Validation of #{ref} failed: #{e.is_a?(ExternalFileError) ? e.bare_text : e}"), e)
    end

    # -- identity

    def name
      self[:name]
    end

    def title
      @title ||= self.class.validparameter?(name_var) ? self[:name] : should(name_var)
    end

    def type
      self.class.name
    end

    def ref
      @ref ||= "#{self.class.name.to_s.split('::').map(&:capitalize).join('::')}[#{title}]"
    end
    alias to_s ref

    def path
      pupc_path || "/#{ref}"
    end

    def pupc_log_source
      path.to_s
    end

    def pathbuilder
      [ref]
    end

    def name_var
      keys = self.class.key_attributes
      keys.size == 1 && keys.first
    end

    def uniqueness_key
      self.class.key_attributes.sort_by(&:to_s).map { |name| self[name] }
    end

    def isomorphic?
      self.class.isomorphic?
    end

    def virtual?
      @virtual ? true : false
    end

    def exported?
      @exported ? true : false
    end

    def tag(*names)
      @tags |= names.flatten.map(&:to_s)
    end

    def tagged?(*names)
      names.flatten.any? { |n| @tags.include?(n.to_s.downcase) }
    end

    def version
      0
    end

    def hash
      object_id.hash
    end

    # -- attributes

    def [](name)
      name = name.to_s.intern
      self.fail("Invalid parameter #{name}(#{name.inspect})") unless self.class.validattr?(name)
      @parameters[name == :name && name_var ? name_var : name]&.value
    end

    def []=(name, value)
      name = name.to_s.intern
      self.fail("no parameter named '#{name}'") unless self.class.validattr?(name)
      name = name_var if name == :name && name_var
      raise Puppet::Error, "Got nil value for #{name}" if value.nil?

      attribute = newattr(name)
      return unless attribute

      begin
        attribute.value = value
      rescue Puppet::Error, ArgumentError => e
        text = e.is_a?(ExternalFileError) ? e.bare_text : e.to_s
        raise adderrorcontext(Puppet::ResourceError.new("Parameter #{name} failed on #{ref}: #{text}"), e)
      end
    end

    # Creates the attribute's object; nil when the provider lacks a feature that the attribute needs.
    def newattr(name)
      klass = name.is_a?(Class) ? name : self.class.attrclass(name)
      raise Puppet::Error, "Resource type #{self.class.name} does not support parameter #{name}" unless klass

      name = klass.name
      if provider && !provider.class.supports_parameter?(klass)
        missing = klass.required_features.reject { |f| provider.class.feature?(f) }
        debug("Provider #{provider.class.name} does not support features #{missing.join(', ')}; not managing attribute #{name}")
        return nil
      end
      @parameters[name] ||= klass.new(resource: self)
    end

    def parameter(name)
      @parameters[name.to_sym]
    end

    def parameters
      @parameters.dup
    end

    def property(name)
      found = @parameters[name.to_s.intern]
      found if found.is_a?(Property)
    end

    def properties
      self.class.properties.filter_map { |p| @parameters[p.name] }
    end

    def parameters_with_value
      self.class.allattrs.filter_map { |name| parameter(name) }
    end

    def eachproperty(&block)
      properties.each(&block)
    end

    def eachparameter(&block)
      parameters_with_value.each(&block)
    end
    alias each eachparameter

    def propertydefined?(name)
      @parameters.key?(name.to_s.intern)
    end

    def should(name)
      property(name)&.should
    end

    def value(name)
      @parameters[name.to_s.intern]&.value
    end

    def to_hash
      @parameters.transform_values(&:value)
    end

    def delete(name)
      @parameters.delete(name.to_s.intern) || raise(Puppet::DevError, "Undefined attribute '#{name}' in #{self}")
    end

    def set_default(name)
      klass = self.class.attrclass(name)
      return if klass.nil? || !klass.method_defined?(:default) || @parameters.key?(klass.name)

      attribute = newattr(klass.name)
      return unless attribute

      value = attribute.default
      value ? attribute.value = value : @parameters.delete(attribute.name)
    end

    def add_property_parameter(name)
      return false if !self.class.validproperty?(name) || @parameters[name]

      newattr(name)
      true
    end

    def copy_metaparams(parameters)
      parameters.each { |name, parameter| self[name] = parameter.value if parameter.metaparam? && name != :alias }
    end

    def managed?
      @managed ||= properties.any? { |p| p.should && !p.class.unmanaged }
    end

    def deleting?
      should(:ensure) == :absent
    end

    def remove
      @parameters.clear
      @provider&.clear
      @provider = nil
    end

    # -- the run

    def noop?
      defined?(@noop) && !@noop.nil? ? @noop : Puppet[:noop]
    end
    alias noop noop?

    def provider=(given)
      if given.is_a?(Provider)
        @provider = given
        given.resource = self
      else
        klass = self.class.provider(given)
        raise ArgumentError, "Could not find #{given} provider of #{self.class.name}" unless klass

        @provider = klass.new(self)
      end
    end

    # Whether the resource's provider, or the type's default provider, can work now. Sets a default provider.
    def suitable?
      return true if !self.class.paramclass(:provider) || provider&.class&.suitable?
      return false if provider || !self.class.defaultprovider

      self.provider = self.class.defaultprovider.name
      true
    end

    def retrieve
      self.fail("Provider #{provider.class.name} is not functional on this host") if provider.is_a?(Provider) && !provider.class.suitable?
      result = Resource.new(self.class, title)
      result[:name] = self[:name] unless self[:name] == title
      ensured = property(:ensure)
      ensured ||= newattr(:ensure) if self.class.needs_ensure_retrieved && self.class.validproperty?(:ensure)
      state = ensured&.retrieve
      result[:ensure] = state if ensured
      properties.each do |property|
        next if property.name == :ensure

        result[property.name] = state == :absent ? :absent : property.retrieve
      end
      result
    end

    def retrieve_resource
      found = retrieve
      found.is_a?(Hash) ? Resource.new(self.class, title, parameters: found) : found
    end

    def currentpropvalues
      properties.to_h { |p| [p, p.retrieve] }
    end

    def present?(current)
      current[:ensure] != :absent
    end

    def flush
      provider.flush if provider.respond_to?(:flush)
    end

    def to_resource
      found = retrieve_resource
      @parameters.each do |name, parameter|
        next if parameter.is_a?(Property) || (parameter.class.isnamevar? && parameter.value == title)

        found[name] = parameter.value
      end
      found
    end

    def self_refresh?
      self.class.self_refresh
    end

    def pre_run_check; end

    def depthfirst?
      false
    end

    def finish
      eachparameter { |p| p.post_compile if p.respond_to?(:post_compile) }
    end

    def purging
      @purging = true
    end

    def purging?
      @purging ? true : false
    end

    def ancestors
      []
    end

    def appliable_to_host?
      self.class.can_apply_to(:host)
    end

    def appliable_to_device?
      self.class.can_apply_to(:device)
    end

    def log(message)
      send_log(self[:loglevel] || :notice, message)
    end

    # The automatic relationships of this resource as [kind, type, title].
    def pupc_relations
      %i[require before subscribe notify].flat_map do |kind|
        found = []
        self.class.public_send("eachauto#{kind}") do |type, block|
          next unless Type.type(type)

          titles = instance_eval(&block)
          Array(titles.is_a?(Hash) || titles.is_a?(Type) ? [titles] : titles).each do |other|
            next if other.nil?

            found << (other.is_a?(Type) || other.is_a?(Resource) ? [kind.to_s, other.type.to_s.downcase, other.title] : [kind.to_s, type.to_s, other.to_s])
          end
        end
        found
      end
    end

    private

    def pupc_set_name(hash)
      self[name_var] = hash.delete(name_var) if name_var && hash.key?(name_var)
    end

    def pupc_set_parameters(hash)
      missing = []
      (self.class.allattrs + hash.keys).uniq.each do |name|
        hash.key?(name) ? self[name] = hash[name] : missing << name
      rescue ArgumentError, Puppet::Error, TypeError
        raise
      rescue StandardError => e
        raise Puppet::DevError, "Could not set #{name} on #{self.class.name}: #{e}", e.backtrace
      end
      missing.each { |name| set_default(name) }
    end

    # Types of modules override it.
    def set_sensitive_parameters(names) # rubocop:disable Naming/AccessorMethodName
      names.each do |name|
        attribute = parameter(name)
        if attribute.is_a?(Property) then attribute.sensitive = true
        elsif attribute
          warning("Unable to mark '#{name}' as sensitive: #{name} is a parameter and not a property, and cannot be automatically redacted.")
        elsif self.class.attrclass(name)
          warning("Unable to mark '#{name}' as sensitive: the property itself was not assigned a value.")
        else
          err("Unable to mark '#{name}' as sensitive: the property itself is not defined on #{type}.")
        end
      end
      @parameters.each_value { |p| p.sensitive = p.is_sensitive if !p.sensitive && p.respond_to?(:is_sensitive) }
    end

    public

    # Metaparameters. pupc itself implements their behaviour.
    newmetaparam(:noop) do
      newvalues(:true, :false)
      munge { |value| resource.noop = [true, :true, 'true'].include?(value) }
    end
    newmetaparam(:schedule)
    newmetaparam(:audit) do
      validate { |_list| nil }
      munge do |list|
        names = Array(list).map { |n| n.to_s.intern }
        names = resource.class.properties.map(&:name) if names == [:all]
        names.each { |name| resource.newattr(name) if resource.class.validproperty?(name) }
      end
    end
    newmetaparam(:loglevel) do
      defaultto(:notice)
      munge { |value| value.to_s == 'verbose' ? :info : value.to_s.intern }
    end
    newmetaparam(:alias)
    newmetaparam(:tag) { munge { |names| resource.tag(*Array(names)) } }
    %i[require subscribe before notify].each do |name|
      newmetaparam(name) { munge { |references| Array(references.is_a?(Resource) ? [references] : references).map { |r| r.is_a?(Resource) ? r : Resource.new(r.to_s) } } }
    end
    %i[stage only_if not_if guard_interpreter consume export].each { |name| newmetaparam(name) }
    metaparamclass(:noop).class_eval { def unsafe_validate(_value); end }
  end
end
