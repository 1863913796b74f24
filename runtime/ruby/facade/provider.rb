# Puppet::Provider: confines, features and commands of providers.
module Puppet
  # A condition that must hold for a provider to be suitable.
  class Confine
    include Util
    attr_reader :values
    attr_accessor :for_binary, :label, :name
    alias for_binary? for_binary

    class << self
      attr_accessor :name

      def inherited(sub)
        super
        sub.name = sub.to_s.split('::').last.downcase.to_sym
        (Confine.instance_variable_get(:@tests) || Confine.instance_variable_set(:@tests, {}))[sub.name] = sub
      end

      def test(name)
        Confine.instance_variable_get(:@tests)[name]
      end

      # Defines a kind of confine. The class gets its name before the block runs.
      def define(name, &block)
        sub = const_set(name, Class.new(self))
        sub.name = name.to_s.downcase.to_sym
        @tests[sub.name] = sub
        sub.class_eval(&block)
      end
    end

    def initialize(values)
      @values = values.is_a?(Array) ? values : [values]
    end

    def valid?
      values.all? { |value| pass?(value) }
    end

    def message(_value)
      ''
    end

    def result
      values.map { |value| pass?(value) }
    end

    def reset; end

    # Calls a single block again each time until it returns `passing`.
    def self.asking(passing)
      define_method(:values) do
        return @values unless @values.size == 1 && @values[0].respond_to?(:call)
        return [passing] if @passed

        answer = @values[0].call ? true : false
        @passed = answer == passing
        [answer]
      end
    end

    define(:Any) do
      def valid?
        values.any?
      end
    end
    define(:True) do
      asking(true)
      def pass?(value)
        value ? true : false
      end
    end
    define(:False) do
      asking(false)
      def pass?(value)
        !value
      end
    end
    define(:Exists) do
      def pass?(value)
        value && (for_binary? ? Util.which(value) : FileSystem.exist?(value)) ? true : false
      end
    end
    define(:Feature) do
      def pass?(value)
        Puppet.features.public_send("#{value}?")
      end
    end
    # Compares the value of a setting or fact.
    define(:Variable) do
      def valid?
        current = Puppet.settings.valid?(name) ? Puppet.settings[name] : Facter.value(name)
        values.any? { |value| value.to_s.casecmp?(current.to_s) }
      end
    end
  end

  class ConfineCollection
    attr_reader :label

    def initialize(label)
      @label = label
      @confines = []
    end

    def confine(hash)
      binary = hash[:for_binary]
      hash.each do |test, values|
        next if test == :for_binary

        kind = Confine.test(test)
        made = (kind || Confine::Variable).new(values)
        made.name = test
        made.for_binary = true if binary
        made.label = label
        @confines << made
      end
    end

    def valid?
      @confines.all?(&:valid?)
    end

    def summary
      @confines.reject(&:valid?).to_h { |c| [c.class.name, c.values] }
    end
  end

  module Confiner
    def confine(hash)
      confine_collection.confine(hash)
    end

    def confine_collection
      @confine_collection ||= ConfineCollection.new(to_s)
    end

    def suitable?(short = true)
      short ? confine_collection.valid? : confine_collection.summary
    end
  end

  # Features: abilities that only some providers of a type have.
  module ProviderFeatures
    Feature = Struct.new(:name, :docs, :methods) do
      def available?(provider)
        return false unless methods

        methods.all? { |m| provider.is_a?(Class) ? provider.public_method_defined?(m) : provider.respond_to?(m) }
      end
    end

    def feature(name, docs, hash = {})
      raise Puppet::DevError, "Feature #{name} is already defined" if pupc_features.key?(name.intern)

      pupc_features[name.intern] = Feature.new(name.intern, docs, hash[:methods])
      pupc_ask_for(name.intern) if @feature_module
    end

    def features
      pupc_features.keys
    end

    def provider_feature(name)
      pupc_features[name]
    end

    def pupc_features
      @features ||= {}
    end

    # The module that gives providers methods to ask for features.
    def feature_module
      return @feature_module if @feature_module

      type = self
      @feature_module = ::Module.new do
        define_method(:feature?) { |name| respond_to?("#{name}?") && public_send("#{name}?") ? true : false }
        define_method(:features) { type.features.select { |n| feature?(n) }.sort_by(&:to_s) }
        define_method(:satisfies?) { |*needed| needed.flatten.all? { |n| feature?(n) } }
        define_method(:has_features) { |*names| (@declared_features ||= []).concat(names.map(&:intern)) }
        alias_method(:has_feature, :has_features)
      end
      features.each { |name| pupc_ask_for(name) }
      @feature_module
    end

    def pupc_ask_for(name)
      feature = pupc_features[name]
      @feature_module.define_method("#{name}?") { (is_a?(Class) ? self : self.class).declared_feature?(name) || feature.available?(self) }
    end
  end

  class Provider
    # A program of a provider.
    class Command
      attr_reader :name, :executable

      def initialize(name, executable, resolver = Util, executor = Util::Execution, options = {})
        @name = name
        @executable = executable
        @resolver = resolver
        @executor = executor
        @options = options
      end

      def execute(*args)
        program = @resolver.which(executable) || raise(Puppet::MissingCommand, "Command #{name} is missing")
        @executor.execute([program] + args, @options)
      end
    end

    # Evaluates the block of has_command.
    class CommandDefiner
      attr_reader :optional

      def initialize
        @environment = {}
      end

      def command(path)
        @path = path
      end

      def is_optional # rubocop:disable Naming/PredicateName
        @optional = true
      end

      def environment(variables = nil)
        variables ? @environment = @environment.merge(variables) : @environment
      end
    end

    extend Confiner
    class << self
      include Util
      include Util::Errors
      include Util::Warnings
      include Util::Docs
      attr_accessor :name, :resource_type
      attr_writer :source, :doc

      def inherited(sub)
        super
        sub.initvars
      end

      def initvars
        @defaults = []
        @notdefaults = []
        @commands = {}
      end

      def source
        @source ||= name
      end

      # -- commands

      def commands(specifications)
        specifications.each { |name, path| has_command(name, path) }
      end

      def optional_commands(specifications)
        specifications.each { |name, path| has_command(name, path) { is_optional } }
      end

      def has_command(name, path, &block) # rubocop:disable Naming/PredicateName
        name = name.intern
        definer = CommandDefiner.new
        definer.instance_eval(&block) if block
        confine(exists: path, for_binary: true) unless definer.optional
        command = Command.new(name, path, Util, Util::Execution, failonfail: true, combine: true, custom_environment: definer.environment)
        @commands[name] = path
        define_singleton_method(name) { |*args| command.execute(*args) } unless singleton_class.method_defined?(name)
        define_method(name) { |*args| self.class.public_send(name, *args) } unless method_defined?(name)
      end

      # The full path of a command; nil when it is not installed.
      def command(name)
        path = @commands[name.intern] || (superclass.command(name) if superclass.respond_to?(:command))
        raise Puppet::DevError, "No command #{name} defined for provider #{self.name}" unless path

        which(path)
      end

      def execute(*args)
        Util::Execution.execute(*args)
      end

      def execpipe(*args, &block)
        Util::Execution.execpipe(*args, &block)
      end

      # -- which provider is the default

      def defaultfor(hash)
        @defaults << hash
      end

      def notdefaultfor(hash)
        @notdefaults << hash
      end

      def default?
        default_match ? true : false
      end

      def default_match
        some_default_match(@notdefaults) ? nil : some_default_match(@defaults)
      end

      def some_default_match(list)
        list.find { |all| all.all? { |what, values| what == :feature ? feature_match(values) : fact_match(what, values) } }
      end

      def fact_match(fact, values)
        current = Facter.value(fact).to_s.downcase
        return false if current.empty?

        (values.is_a?(Array) ? values : [values]).any? { |v| v.is_a?(Regexp) ? current =~ v : current == v.to_s.downcase }
      end

      def feature_match(name)
        Puppet.features.public_send("#{name}?")
      end

      def specificity
        ((default_match&.length || 0) * 100) + ancestors.count { |a| a.is_a?(Class) }
      end

      # -- features

      def declared_feature?(name)
        (@declared_features || []).include?(name)
      end

      def supports_parameter?(parameter)
        klass = parameter.is_a?(Class) ? parameter : resource_type.attrclass(parameter)
        raise Puppet::DevError, "'#{parameter}' is not a valid parameter for #{resource_type.name}" unless klass

        klass.required_features.nil? || satisfies?(*klass.required_features)
      end

      # -- resources

      def instances
        raise Puppet::DevError, "To support listing resources of this type the '#{name}' provider needs to implement an 'instances' class method " \
                                'returning the current set of resources. We recommend porting your module to the simpler Resource API instead: ' \
                                'https://puppet.com/search/docs?keys=resource+api'
      end

      def mk_resource_methods
        [resource_type.validproperties, resource_type.parameters].flatten.each do |attribute|
          next if attribute == :name

          define_method(attribute) { @property_hash[attribute].nil? ? :absent : @property_hash[attribute] }
          define_method("#{attribute}=") { |value| @property_hash[attribute] = value }
        end
      end
    end
    initvars
    include Util
    include Util::Errors
    include Util::Warnings
    include Comparable
    attr_accessor :resource

    def initialize(resource = nil)
      @property_hash = resource.is_a?(Hash) ? resource : {}
      @resource = resource unless resource.nil? || resource.is_a?(Hash)
    end

    def execute(*args)
      Util::Execution.execute(*args)
    end

    def execpipe(*args, &block)
      Util::Execution.execpipe(*args, &block)
    end

    def command(name)
      self.class.command(name)
    end

    def name
      found = @property_hash[:name]
      return found if found
      raise Puppet::DevError, "No resource and no name in property hash in #{self.class.name} instance" unless resource

      resource.name
    end

    def get(name)
      @property_hash[name.intern] || :absent
    end

    def set(values)
      values.each { |name, value| @property_hash[name.intern] = value }
    end

    def clear
      @resource = nil
    end

    def to_s
      "#{@resource}(provider=#{self.class.name})"
    end
    alias inspect to_s

    def <=>(other)
      other.is_a?(Provider) ? self.class.name <=> other.class.name : nil
    end

    # The base class of package providers.
    class Package < Provider
      def self.prefetch(packages)
        instances.each { |found| packages[found.name]&.provider = found }
      end

      def flush
        @property_hash.clear
      end

      def properties
        if @property_hash.empty?
          missing = self.class.feature?(:purgeable) ? :purged : :absent
          @property_hash = query || { ensure: missing }
          @property_hash[:ensure] = missing if @property_hash.empty?
        end
        @property_hash.dup
      end

      def validate_source(_value)
        true
      end

      def join_options(options)
        options&.flat_map { |o| o.is_a?(Hash) ? o.sort.map { |k, v| "#{k}=#{v}" } : o }
      end

      # The base class of providers whose packages may have a `command` of their own.
      class Targetable < Package
        def self.prefetch(packages)
          ours = packages.values.first.catalog.resources.select { |r| r.is_a?(Type) && r.provider.instance_of?(self) } | packages.values
          ours.group_by { |r| r.original_parameters[:command] }.each do |command, resources|
            found = instances(command).to_h { |instance| [instance.name, instance] }
            resources.each { |r| r.provider = found[r[:name]] if found[r[:name]] }
          end
        end

        def self.validate_command(command)
          raise Puppet::Error, "Provider #{name} package command is not functional on this host" unless command
          raise Puppet::Error, "Provider #{name} package command '#{command}' does not exist on this host" unless ::File.file?(command)
        end

        def resource_or_provider_command
          resource.original_parameters[:command] || self.class.provider_command
        end

        def to_s
          "#{@resource}(provider=#{self.class.name})(command=#{resource[:command] || :default})"
        end
      end
    end
  end
end
