# The catalog, classes and defines, the node, its environment and modules as Ruby code sees them.
module Puppet
  class Resource
    class Catalog
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

      def add_resource(*resources)
        resources.flatten.each do |r|
          next PupcWorker.declare_class(@scope, r) if r.class?

          type = r.exported ? "@@#{r.type}" : r.virtual ? "@#{r.type}" : r.type
          attributes = r.parameters.transform_keys(&:to_s)
          PupcWorker.call_by_name(@scope, 'create_resources', [type, { r.title => attributes }])
          PupcWorker.callback(:place_resource, r.type, r.title.to_s, r.file, r.line) # the resource's own place, not the call's
        end
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

    # A class or define of the environment, or a class that Ruby code defines.
    class Type
      METAPARAMETERS = %w[alias audit before loglevel noop notify require schedule stage subscribe tag].freeze
      attr_reader :type, :name, :namespace, :arguments, :module_name
      attr_accessor :file, :line, :doc, :code, :parent, :match

      def initialize(type, name, options = {})
        raise ::ArgumentError, "Invalid resource supertype '#{type}'" unless %i[hostclass definition node].include?(type.to_sym)

        @type = type.to_sym
        @name = name.is_a?(Regexp) ? name : name.to_s.downcase.sub(/\A::/, '')
        @namespace = @name.to_s.rpartition('::')[0]
        @module_name = options[:module_name] || @name.to_s.split('::')[0]
        @arguments = (options[:arguments] || {}).transform_keys(&:to_s)
        %i[file line doc code parent].each { |key| instance_variable_set(:"@#{key}", options[key]) }
      end

      def to_s
        name.to_s
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

      def valid_parameter?(name)
        name = name.to_s
        name == 'name' || arguments.key?(name) || METAPARAMETERS.include?(name)
      end

      # Declares the class unless it is declared already, and returns its resource.
      def ensure_in_catalog(scope, parameters = nil)
        raise ::ArgumentError, 'Cannot create resources for defined resource types' if definition?

        resource = Puppet::Parser::Resource.new('class', name, scope: scope, source: self)
        (parameters || {}).each { |key, value| resource[key] = value }
        PupcWorker.declare_class(scope, resource)
        scope.catalog.resource('Class', name)
      end

      def evaluate_code(resource)
        PupcWorker.declare_class(resource.scope || PupcWorker.current_scope, resource)
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

      def add(type)
        type.hostclass? ? add_hostclass(type) : raise(Puppet::DevError, "pupc cannot add a #{type.type} made by Ruby code (#{type.name})")
        type
      end

      def <<(type)
        add(type)
        self
      end

      # Adds a class that Ruby code defines. It has no Puppet code: Ruby code declares its resources, too.
      def add_hostclass(type)
        raise Puppet::DevError, "pupc cannot add a class with code made by Ruby (#{type.name})" if type.code

        place = PupcWorker.callback(:add_class_definition, type.name, type.parent.to_s)
        raise Puppet::ParseError, "Class '#{type.name}' is already defined#{place}; cannot redefine" if place

        (PupcWorker.compile_state[:made_classes] ||= {})[type.name] = type
      end

      private

      def find(name, kind, type)
        name = name.to_s.sub(/\A::/, '').downcase
        known = kind == 'class' ? PupcWorker.callback(:class_known, name) : PupcWorker.callback(:type_known, name) == 'define'
        return nil unless known

        (PupcWorker.compile_state[:made_classes] || {})[name] || Type.new(type, name)
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

    def parameters
      PupcWorker.callback(:variables, 0, nil)
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
