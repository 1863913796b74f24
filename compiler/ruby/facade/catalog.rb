# The catalog, classes and defines, the node, its environment and modules as Ruby code sees them.
module Puppet
  class Resource
    class Catalog
      # A resource of that type and title is there already.
      class DuplicateResourceError < Puppet::Error
        attr_accessor :file, :line

        def initialize(message, file = nil, line = nil, original = nil)
          super(message, original)
          @file = file
          @line = line
        end
      end

      def initialize(scope)
        @scope = scope
      end

      def resource(type, title = nil)
        type = type.name if type.respond_to?(:name) && ![String, Symbol, Puppet::Resource].any? { |kind| type.is_a?(kind) }
        type, title = Puppet::Resource.type_and_title(type.is_a?(Puppet::Resource) ? type.ref : type, title)
        found = PupcWorker.callback(:find_resource, type.to_s, title.to_s)
        found && Puppet::Parser::Resource.found(found, @scope)
      end

      def resources
        PupcWorker.callback(:resources).map { |found| Puppet::Parser::Resource.found(found, @scope) }
      end

      def resource_refs
        resources.map(&:ref)
      end

      def resource_keys
        resources.map { |r| [r.type, r.title.to_s] }
      end

      def add_class(*names)
        PupcWorker.callback(:add_classes, names.flatten.map(&:to_s))
      end

      def tag(*names)
        PupcWorker.callback(:tag_catalog, names.flatten.map { |n| n.to_s.downcase })
      end

      def tagged?(*names)
        names.flatten.any? { |n| tags.include?(n.to_s.downcase) }
      end

      def classes
        PupcWorker.callback(:classes)
      end

      def tags
        PupcWorker.callback(:catalog_tags)
      end

      # Only adds: neither containment nor the tags of the code that calls.
      def add_resource(*resources)
        resources.flatten.each { |r| r.pupc_add(nil) }
      end

      def add_edge(from, to)
        PupcWorker.callback(:add_edge, from.type, from.title.to_s, to.type, to.title.to_s)
      end

      # An edge of the graph of containment.
      Edge = Struct.new(:source, :target) do
        def to_s
          "#{source} => #{target}"
        end
        alias_method :inspect, :to_s
        alias_method :ref, :to_s
      end

      def edges
        PupcWorker.callback(:edges).map { |pair| Edge.new(*pair.map { |found| Puppet::Parser::Resource.found(found, @scope) }) }
      end

      def edge?(from, to)
        edges.any? { |e| e.source == from && e.target == to }
      end

      def vertices
        resources
      end

      def vertex?(resource)
        resources.include?(resource)
      end

      def size
        resources.size
      end

      def adjacent(resource, direction: :out)
        direction == :in ? edges.select { |e| e.target == resource }.map(&:source) : edges.select { |e| e.source == resource }.map(&:target)
      end

      def container_of(resource)
        adjacent(resource, direction: :in)[0]
      end

      # The name that refers to the resource, too.
      def alias(resource, key)
        resource[:alias] = [*resource[:alias], key]
      end

      def version
        @version ||= Time.now.to_i
      end

      def environment
        PupcWorker.environment.name.to_s
      end

      def environment_instance
        PupcWorker.environment
      end

      def name
        PupcWorker.callback(:node_name)
      end

      def each(&block)
        resources.each(&block)
      end
      include Enumerable
    end

    # A class or define of the environment, or one that Ruby code makes.
    class Type
      METAPARAMETERS = %w[alias audit before loglevel noop notify require schedule stage subscribe tag].freeze
      attr_reader :type, :namespace, :arguments, :argument_types
      attr_accessor :file, :line, :doc, :code, :parent, :module_name, :resource_type_collection

      def initialize(type, name, options = {})
        @type = type.to_s.downcase.to_sym
        raise ::ArgumentError, "Invalid resource supertype '#{type}'" unless %i[hostclass definition node].include?(@type)

        @name = name.is_a?(Regexp) ? name : name.to_s.downcase.sub(/\A::/, '')
        @namespace = @type == :hostclass ? @name : @name.to_s.rpartition('::')[0]
        @argument_types = {}
        set_arguments(options[:arguments])
        %i[file line doc code parent module_name].each { |key| instance_variable_set(:"@#{key}", options[key]) }
      end

      # One that pupc knows: [file, line, parent, module, names of parameters], or nothing more.
      def self.found(type, name, (file, line, parent, module_name, parameters))
        new(type, name, file: file, line: line, parent: parent && "::#{parent}", module_name: module_name, arguments: (parameters || []).to_h { |p| [p, nil] },
                        code: file && :code)
      end

      def name
        @name.is_a?(Regexp) ? "__node_regexp__#{@name.source.downcase.gsub(/[^-\w:.]/, '').sub(/^\.+/, '')}" : @name
      end

      def name_is_regex?
        @name.is_a?(Regexp)
      end

      def set_arguments(arguments)
        @arguments = (arguments || {}).transform_keys(&:to_s)
      end

      def set_argument_types(types)
        @argument_types = (types || {}).transform_keys(&:to_s)
      end

      def hostclass?
        type == :hostclass
      end
      alias host_class? hostclass?

      def definition?
        type == :definition
      end

      def node?
        type == :node
      end

      def resource_type
        type
      end

      def parent_type(scope = nil)
        return nil unless parent

        types = (scope || PupcWorker.current_scope).environment.known_resource_types
        types.find_hostclass(parent) || raise(Puppet::ParseError, "Could not find parent resource type '#{parent}' of type #{type} in #{PupcWorker.environment.name}")
      end

      def child_of?(other)
        up = parent_type
        up ? up == other || up.child_of?(other) : false
      end

      def valid_parameter?(name)
        name = name.to_s
        name == 'name' || arguments.key?(name) || METAPARAMETERS.include?(name)
      end

      # The class's resource. Declares the class, without evaluating it, unless that is done.
      def ensure_in_catalog(scope, parameters = nil)
        raise ::ArgumentError, 'Cannot create resources for defined resource types' if definition?
        raise Puppet::DevError, "pupc cannot declare a node (#{name})" if node?

        given = parameters&.to_h { |key, value| [key.to_s, value.respond_to?(:value) ? value.value : value] }
        Puppet::Parser::Resource.found(PupcWorker.callback(:ensure_class, scope.pupc_frame, name, given), scope)
      end

      # Runs the code for a resource, and makes a scope for it.
      def evaluate_code(resource)
        return PupcWorker.callback(:evaluate_resource, resource.type, resource.title.to_s, true) if resource.pupc_added?

        PupcWorker.callback(:add_classes, [name]) unless definition?
        raise ::NoMethodError, "undefined method `resource' for nil:NilClass" # Puppet asks the resource's catalog for the stage
      end

      def ==(other)
        other.is_a?(Type) && other.type == type && other.name == name
      end
      alias eql? ==

      def hash
        [type, name].hash
      end
    end

    # Classes and defines by name.
    class TypeCollection
      attr_reader :environment

      def initialize(environment)
        @environment = environment
      end

      def find_hostclass(name, _options = {})
        find(name, 'class', :hostclass)
      end
      alias hostclass find_hostclass

      def find_definition(name)
        find(name, 'define', :definition)
      end
      alias definition find_definition

      # What the compile has found so far.
      def hostclasses
        PupcWorker.callback(:definitions, 'class').to_h { |name| [name, find_hostclass(name)] }
      end

      def definitions
        PupcWorker.callback(:definitions, 'define').to_h { |name| [name, find_definition(name)] }
      end

      def add(type)
        raise Puppet::DevError, "pupc cannot add a node made by Ruby code (#{type.name})" if type.node?

        type.hostclass? ? add_hostclass(type) : add_definition(type)
        type.resource_type_collection = self
        type
      end

      def <<(type)
        add(type)
        self
      end

      # Adds a class that Ruby code makes. It has no Puppet code: Ruby code declares its resources, too.
      def add_hostclass(type)
        add_made(type, 'class') { |place| "Class '#{type.name}' is already defined#{place}; cannot redefine" }
      end

      def add_definition(type)
        add_made(type, 'define') { |place| "Definition '#{type.name}' is already defined#{place}; cannot be redefined" }
      end

      def version
        @version ||= Time.now.to_i
      end

      private

      def add_made(type, kind)
        raise Puppet::DevError, "pupc cannot add a #{kind} with code made by Ruby (#{type.name})" if type.code
        raise Puppet::DevError, "pupc cannot add a #{kind} whose parameters have defaults made by Ruby (#{type.name})" unless type.arguments.values.compact.empty?

        place = PupcWorker.callback(:add_definition, kind, type.name, type.parent.to_s.sub(/\A::/, ''), type.arguments.keys)
        raise Puppet::ParseError, yield(place) if place

        (PupcWorker.compile_state[:definitions] ||= {})[[kind, type.name]] = type
      end

      # The same object each time, as it can get attributes.
      def find(name, kind, type)
        name = name.to_s.sub(/\A::/, '').downcase
        known = PupcWorker.compile_state[:definitions] ||= {}
        known[[kind, name]] ||= begin
          found = PupcWorker.callback(:definition, kind, name)
          found && Type.found(type, name, found).tap { |made| made.resource_type_collection = self }
        end
      end
    end
  end

  class Node
    attr_reader :name

    def initialize(name)
      @name = name
    end
    alias to_s name

    def facts
      Facts.new(name, PupcWorker.callback(:variables, 0, ['facts'])['facts'] || {})
    end

    # The facts, and what else the node is known by; not what the compile sets.
    def parameters
      PupcWorker.callback(:variables, 0, nil).except('facts', 'trusted', 'server_facts', 'title', 'name', 'module_name')
    end

    def trusted_data
      PupcWorker.callback(:variables, 0, ['trusted'])['trusted']
    end

    def environment
      PupcWorker.environment
    end

    def environment_name
      environment.name
    end

    class Facts
      attr_reader :name, :values

      def initialize(name, values)
        @name = name
        @values = values
      end
    end

    class Environment
      attr_reader :name, :modulepath

      def initialize(name, modulepath, manifest)
        @name = name.to_sym
        @modulepath = modulepath
        @manifest = manifest
      end
      attr_reader :manifest
      alias full_modulepath modulepath

      def to_s
        name.to_s
      end

      def to_sym
        name
      end

      def modules
        PupcWorker.callback(:modules).map { |data| Puppet::Module.new(*data, self) }
      end

      def module(name)
        data = PupcWorker.callback(:module, name.to_s)
        data && Puppet::Module.new(*data, self)
      end

      def modules_by_path
        modules.group_by { |m| File.dirname(m.path) }
      end

      def known_resource_types
        @known_resource_types ||= Puppet::Resource::TypeCollection.new(self)
      end

      def loaders
        nil
      end

      def ==(other)
        other.is_a?(Environment) && other.name == name
      end

      def self.remote(name)
        PupcWorker.environment.name == name.to_sym ? PupcWorker.environment : new(name, [], nil)
      end
    end
  end

  class Module
    attr_reader :name, :path, :version, :environment

    def initialize(name, path, version, environment = nil)
      @name = name
      @path = path
      @version = version
      @environment = environment
    end

    def self.find(name, _environment = nil)
      PupcWorker.environment.module(name)
    end

    def metadata
      file = File.join(path, 'metadata.json')
      return {} unless File.exist?(file)

      require 'json'
      JSON.parse(File.read(file))
    end
    alias read_metadata metadata

    def metadata_file
      File.join(path, 'metadata.json')
    end

    def to_s
      "Module #{name}(#{path})"
    end

    { file: 'files', template: 'templates', manifest: 'manifests' }.each do |kind, folder|
      define_method(kind) do |sub = nil|
        full = sub ? File.join(path, folder, sub) : File.join(path, folder)
        File.exist?(full) ? full : nil
      end
    end
  end
end
