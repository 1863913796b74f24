# Puppet::Resource, which lacks the behaviour of its type, and the catalog as type code sees it.
module Puppet
  class Resource
    include Enumerable
    attr_reader :type, :title, :parameters
    attr_accessor :file, :line, :catalog, :exported, :virtual, :sensitive_parameters, :tags, :environment

    # Takes a type (name or class) and a title, or a reference like "File[/x]".
    def initialize(type, title = nil, options = {})
      if title.nil? && type.to_s =~ /\A([A-Za-z:_0-9]+)\[(.*)\]\z/m
        type, title = Regexp.last_match(1), Regexp.last_match(2)
      end
      raise ArgumentError, "No title provided and #{type.inspect} is not a valid resource reference" if title.nil?

      @resource_type = type if type.is_a?(Class)
      @type = (type.is_a?(Class) ? type.name : type).to_s.split('::').map { |part| part.empty? ? part : part[0].upcase + part[1..] }.join('::')
      @title = title.is_a?(Resource) ? title.title : title
      @parameters = {}
      @tags = []
      @sensitive_parameters = []
      (options[:parameters] || {}).each { |name, value| self[name] = value }
    end

    # Resources as they are on the machine, by keys as "user/root".
    module Indirection
      class << self
        def find(key, *)
          type, title = of(key)
          (type.instances.find { |r| r.name == title } || type.new(name: title, audit: type.properties.map { |p| p.name.to_s })).to_resource
        end

        def search(key, options = {})
          type, title = of(key)
          wanted = options.reject { |name, _| %i[environment scope].include?(name) }
          wanted[:name] = title if title
          type.instances.map(&:to_resource).select { |r| wanted.all? { |name, value| r[name].to_s == value.to_s } }.sort_by(&:title)
        end

        def save(_resource, _key = nil, *)
          raise Puppet::Error, 'pupc does not apply resources for code in Ruby (Puppet::Resource.indirection.save): declare them'
        end

        private

        def of(key)
          name, title = key.to_s.split('/', 2)
          [Type.type(name) || raise(Puppet::Error, "Could not find type #{name}"), title.to_s.empty? ? nil : title]
        end
      end
    end

    def self.indirection
      Indirection
    end

    def ref
      "#{type}[#{title}]"
    end
    alias to_s ref

    def resource_type
      @resource_type ||= Type.type(type)
    end

    def [](name)
      parameters[pupc_key(name)]
    end

    def []=(name, value)
      parameters[pupc_key(name)] = value
    end

    def key?(name)
      parameters.key?(name.to_s.intern)
    end
    alias include? key?
    alias has_key? key?

    def keys
      parameters.keys
    end

    def empty?
      parameters.empty?
    end

    def length
      parameters.length
    end
    alias size length

    def delete(name)
      parameters.delete(name.to_s.intern)
    end

    def each(&block)
      parameters.each(&block)
    end

    def name
      self[:name] || title
    end

    def tag(*names)
      @tags |= names.flatten.map(&:to_s)
    end

    def tagged?(*names)
      names.flatten.any? { |n| @tags.include?(n.to_s) }
    end

    def self.resource_type(type, _title = nil, _environment = nil)
      Type.type(type)
    end

    def class?
      type == 'Class'
    end

    def stage?
      type.casecmp?('stage')
    end

    def builtin_type?
      !resource_type.nil?
    end

    def uniqueness_key
      to_hash.values_at(*resource_type.key_attributes.sort_by(&:to_s))
    end

    def merge_tags_from(other)
      tag(*other.tags)
    end

    def valid_parameter?(name)
      resource_type.valid_parameter?(name)
    end

    def to_ral
      resource_type.new(self)
    end

    def resolve
      catalog ? catalog.resource(ref) : self
    end

    def ==(other)
      other.is_a?(Resource) && other.ref == ref
    end
    alias eql? ==

    def hash
      ref.hash
    end

    # The attributes, with those that the title contains.
    def to_hash
      pupc_from_title.merge(parameters)
    end

    # The resource in the form of a manifest.
    def to_manifest
      Operations.manifest(self)
    end

    private

    def pupc_key(name)
      name = name.respond_to?(:name) && !name.is_a?(Symbol) ? name.name : name
      name = name.to_s.intern
      return name unless name == :name && resource_type

      keys = resource_type.key_attributes
      keys.size == 1 ? keys.first : name
    end

    def pupc_from_title
      type = resource_type
      return {} unless type
      return { type.key_attributes.first || :name => title } if type.method(:title_patterns).owner == Type.singleton_class && type.key_attributes.size < 2

      type.title_patterns.each do |pattern, parts|
        match = pattern.match(title.to_s)
        next unless match

        return parts.zip(match.captures).to_h { |(name, change), value| [name.to_s.intern, change ? change.call(value) : value] }
      end
      raise Puppet::Error, "No set of title patterns matched the title \"#{title}\"." unless type.title_patterns.empty?

      {}
    end

    # The catalog of a run. Creates an object for a resource that Ruby does not manage when code looks it up.
    class Catalog
      attr_accessor :version

      def initialize
        @made = {}
      end

      # Finds a resource by reference, or by type and title.
      def resource(type, title = nil)
        if title.nil?
          reference = type.respond_to?(:ref) ? type.ref : type.to_s
          return nil unless reference =~ /\A([\w:]+)\[(.*)\]\z/m

          type, title = Regexp.last_match(1), Regexp.last_match(2)
        end
        type = type.name if type.is_a?(Class)
        pupc_made(PupcWorker.ask('resource', type.to_s.downcase, title.to_s))
      end

      def resources
        PupcWorker.ask('resources').map { |found| pupc_made(found) }
      end
      alias vertices resources

      def resource_refs
        resources.map(&:ref)
      end

      def resource_keys
        resources.map { |r| [r.type.to_s, r.title] }
      end

      def each(&block)
        resources.each(&block)
      end
      include Enumerable

      def add_resource(*)
        self
      end

      def host_config?
        true
      end

      def name
        Puppet[:certname]
      end

      def environment
        Puppet[:environment].to_s
      end

      def classes
        resources.select { |r| r.type.to_s == 'Class' }.map(&:title)
      end

      def tagged?(*)
        false
      end

      def tags
        []
      end

      def size
        resources.size
      end

      # The catalog with relationships: the same resources.
      def relationship_graph
        self
      end

      def container_of(_resource)
        nil
      end

      # The resources that this one names in its own attributes, and those that name it.
      def direct_dependents_of(resource)
        named = pupc_named(resource, %i[before notify])
        others = resources.select { |other| pupc_named(other, %i[require subscribe]).include?(resource.ref) }
        (named.filter_map { |ref| resource(ref) } + others).uniq
      end

      def direct_dependencies_of(resource)
        named = pupc_named(resource, %i[require subscribe])
        others = resources.select { |other| pupc_named(other, %i[before notify]).include?(resource.ref) }
        (named.filter_map { |ref| resource(ref) } + others).uniq
      end

      private

      def pupc_named(resource, attributes)
        attributes.flat_map { |name| [resource[name]].flatten.compact.map(&:to_s) }
      end

      def pupc_made(found)
        return nil if found.nil?

        id, type, title, attributes = found
        return Operations.known(id) if Operations.known(id)

        @made["#{type}[#{title}]"] ||= pupc_make(type, title, attributes)
      end

      def pupc_make(type, title, attributes)
        plain = Resource.new(type, title, parameters: attributes)
        kind = Type.type(type)
        return plain if kind.nil? || type.include?('::')

        made = kind.allocate
        made.pupc_borrow(plain)
        made.extend(Borrowed)
        made
      rescue Puppet::Error
        plain
      end
    end
  end

  # A resource that pupc manages: what code sets before its turn, pupc is told.
  module Borrowed
    def []=(name, value)
      PupcWorker.ask('set', self.class.name.to_s, title, name.to_s, PupcWorker.encode(value))
      attribute = (@parameters[name.to_sym] ||= self.class.attrclass(name.to_sym)&.new(resource: self))
      attribute&.instance_variable_set(attribute.is_a?(Property) ? :@should : :@value, attribute.is_a?(Property) ? Array(value) : value)
    end
  end

  class Type
    # Makes this object represent a resource that Ruby does not manage. Its attributes can be read; nothing is validated.
    def pupc_borrow(resource)
      @parameters = {}
      @tags = []
      @title = resource.title
      values = resource.parameters
      values = { name_var => @title }.merge(values) if name_var
      values.each do |name, value|
        klass = self.class.attrclass(name)
        next unless klass

        attribute = @parameters[name] = klass.new(resource: self)
        attribute.instance_variable_set(attribute.is_a?(Property) ? :@should : :@value, attribute.is_a?(Property) ? Array(value) : value)
      end
    end
  end

  # An edge of the catalog, as code makes and reads it.
  class Relationship
    attr_accessor :source, :target, :callback
    attr_reader :event

    def initialize(source, target, options = {})
      @source = source
      @target = target
      (options || {}).each { |name, value| public_send("#{name}=", value) if value && %i[callback event].include?(name.to_sym) }
    end

    def event=(event)
      raise ArgumentError, 'You must pass a callback for non-NONE events' if event != :NONE && !callback

      @event = event
    end

    def match?(event)
      return false if @event.nil? || [event, @event].include?(:NONE)

      [:ALL_EVENTS, event].include?(@event)
    end

    def label
      { callback: callback, event: event }.compact
    end

    def ref
      "#{source} => #{target}"
    end
    alias to_s ref

    def inspect
      "{ #{ref} }"
    end
  end

  class Type
    # The relationships that the type itself adds, as code asks for them.
    { require: true, before: false, subscribe: true, notify: false }.each do |kind, inwards|
      define_method("auto#{kind}") do |_catalog = nil|
        label = %i[subscribe notify].include?(kind) ? { callback: :refresh, event: :ALL_EVENTS } : { event: :NONE }
        pupc_relations.select { |found, _, _| found == kind.to_s }.filter_map do |_, type, title|
          other = catalog&.resource(type, title)
          other && Relationship.new(*(inwards ? [other, self] : [self, other]), label)
        end
      end
    end
  end
end
