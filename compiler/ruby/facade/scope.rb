# The compile as Ruby code sees it: resources, scope, compiler. These objects hold little state; they ask pupc when Ruby code asks them.
module Puppet
  # A reference to a resource, or one that is being declared.
  class Resource
    attr_reader :type, :title
    attr_accessor :catalog, :exported, :virtual, :file, :line

    # Splits a reference into type and title. It comes as both, or as one text ("File[/x]"). Raises ArgumentError when there is no title.
    def self.type_and_title(type, title)
      type = nil if %i[component whit].include?(type)
      text = type.nil? ? title : type
      if (type.nil? || title.nil?) && text.is_a?(String) && text =~ /\A([^\[\]]+)\[(.+)\]\z/m
        type, title = Regexp.last_match(1), Regexp.last_match(2)
      elsif title.nil?
        raise ::ArgumentError, "No title provided and #{type.inspect} is not a valid resource reference"
      end
      type = type.nil? || type == '' || type.to_s.casecmp?('component') ? 'Class' : capitalize(type.to_s)
      title = title == '' || title == :main ? :main : capitalize(title.to_s.sub(/\A::/, '')) if type == 'Class' && title.to_s != 'main'
      [type, title]
    end

    def self.capitalize(name)
      Puppet::Pops::Types::TypeFormatter.singleton.capitalize_segments(name)
    end
    private_class_method :capitalize

    def initialize(type, title = nil, attributes = {})
      @parameters = {}
      if type.is_a?(Resource)
        @type, @title = type.type, type.title
        type.to_hash.each { |name, value| self[name] = value }
        return
      end
      if type.is_a?(Hash)
        raise ::ArgumentError, 'Puppet::Resource.new does not take a hash as the first argument. ' \
                               "Did you mean (#{(type[:type] || type['type']).inspect}, #{(type[:title] || type['title']).inspect}) ?"
      end
      type = type.name if type.respond_to?(:name) && !type.is_a?(String) && !type.is_a?(Symbol)
      @type, @title = Resource.type_and_title(type, title)
      return unless attributes.is_a?(Hash)

      %i[file line exported virtual catalog kind].each { |name| instance_variable_set(:"@#{name}", attributes[name]) if attributes.key?(name) }
      (attributes[:parameters] || {}).each { |k, v| k.respond_to?(:value) ? set_parameter(k) : self[k] = v.respond_to?(:value) ? v.value : v }
    end

    def marshal_load(data)
      @type, @title = data
      @parameters = {}
    end

    def marshal_dump
      [type.to_s, title.to_s]
    end

    def [](name)
      name = name.to_sym
      return title if name == :title
      return @parameters[name] if @parameters.key?(name)

      PupcWorker.callback(:resource_parameter, type, title.to_s, name.to_s)[1]
    end

    def []=(name, value)
      @parameters[name.to_sym] = value
    end

    def set_parameter(name, value = nil)
      name.respond_to?(:value) ? self[name.name] = name.value : self[name] = value
    end

    def parameters
      @parameters
    end

    def to_hash
      namevar = PupcWorker.callback(:namevar, type).to_sym
      { namevar => title }.merge(PupcWorker.callback(:resource_parameters, type, title.to_s).transform_keys(&:to_sym), @parameters)
    end

    def ref
      "#{type}[#{title}]"
    end
    alias to_ref ref
    alias to_s ref

    def inspect
      "#{ref}#{to_hash.inspect}"
    end

    def name
      self[:name] || title
    end

    def resource_type
      Puppet::Type.type(type.downcase)
    end

    def builtin_type?
      PupcWorker.callback(:type_known, type.downcase) == 'native'
    end

    def class?
      type == 'Class'
    end

    def ==(other)
      other.is_a?(Resource) && other.type == type && other.title == title
    end
    alias eql? ==

    def hash
      [type, title].hash
    end

    def each(&block)
      parameters.each(&block)
    end
    include Enumerable

    %i[keys length empty?].each { |name| define_method(name) { parameters.public_send(name) } }
    # A resource has a key where it has the parameter.
    def key?(name)
      parameters.key?(name.to_sym)
    end
    alias include? key?
    alias has_key? key?

    def delete(name)
      parameters.delete(name.to_sym)
    end

    def tags
      pupc_added? || catalog ? PupcWorker.callback(:resource_tags, type, title.to_s) : [*pupc_tags_of(type), *pupc_tags_of(title, true), *@tags].uniq
    end

    def tag(*names)
      names.flatten.compact.each { |name| @tags = [*@tags, *pupc_tags_of(name)] }
    end

    def tags=(names)
      @tags = []
      tag(*(names.is_a?(String) ? names.strip.split(/\s*,\s*/) : names))
    end

    def tagged?(*tags)
      mine = self.tags
      tags.flatten.any? { |t| mine.include?(t.to_s.downcase) }
    end

    # Whether the catalog has this very resource, not only one of its name.
    def pupc_added?
      false
    end

    # Puts it into the catalog; with a scope, as something that the scope's code declares.
    def pupc_add(container)
      scope = (respond_to?(:scope) && self.scope) || container || PupcWorker.current_scope
      given = parameters.to_h { |name, value| [name.to_s, value.respond_to?(:value) ? value.value : value] }
      PupcWorker.callback(:add_resource, scope.pupc_frame, container&.pupc_frame, type, title.to_s, given, @tags || [], virtual, exported, file, line)
      self
    end

    private def pupc_tags_of(name, only_valid = false)
      name = name.to_s.downcase
      unless name.match?(Puppet::Util::Tagging::ValidTagRegex)
        return [] if only_valid

        raise Puppet::ParseError, "Invalid tag '#{name}'"
      end
      name.include?('::') ? [name, *name.split('::')] : [name]
    end

    def stage?
      type == 'Stage'
    end
  end

  module Parser
    class Resource < Puppet::Resource
      # A parameter with its value, as the 3.x API passes it.
      class Param
        attr_accessor :name, :value, :source, :line, :file, :add

        def initialize(name: nil, value: nil, **more)
          @name = name
          @value = value
          more.each { |k, v| respond_to?("#{k}=") && public_send("#{k}=", v) }
        end

        def to_s
          "#{name} => #{value}"
        end
      end

      attr_reader :source
      attr_accessor :scope, :evaluated
      attr_writer :kind

      # A resource that the catalog has. Setting a parameter changes the catalog.
      def self.found((type, title), scope = nil)
        allocate.tap { |r| r.send(:become_found, type, title, scope) }
      end

      def initialize(type, title, attributes = {}, with_defaults = true)
        raise ::ArgumentError, 'Resources require a hash as last argument' unless attributes.is_a?(Hash)
        raise ::ArgumentError, 'Resources require a scope' unless attributes[:scope]

        @scope = attributes[:scope]
        @source = attributes[:source] || @scope.source
        @exported = false
        super(type, title, attributes)
        return unless with_defaults

        @scope.lookupdefaults(self.type).each { |name, param| @parameters[name] ||= param }
      end

      def [](name)
        value = @found ? super : name.to_sym == :title ? title : @parameters[name.to_sym]
        value.is_a?(Param) ? value.value : value
      end

      def parameters
        return @parameters unless @found

        PupcWorker.callback(:resource_parameters, type, title.to_s).to_h { |n, v| [n.to_sym, Param.new(name: n.to_sym, value: v)] }
      end

      def to_hash
        @found ? super : { PupcWorker.callback(:namevar, type).to_sym => title }.merge(@parameters.transform_values(&:value).compact)
      end

      def eachparam(&block)
        parameters.each_value(&block)
      end

      def set_parameter(name, value = nil)
        param = name.is_a?(Param) ? name : Param.new(name: name.respond_to?(:name) && !name.is_a?(Symbol) ? name.name : name.to_sym, value: value, source: source)
        return PupcWorker.callback(:set_resource_parameter, type, title.to_s, param.name.to_s, param.value) if @found

        tag(*param.value) if param.name.to_sym == :tag
        @parameters[param.name.to_sym] = param
      end
      alias []= set_parameter

      def tag(*names)
        @found ? PupcWorker.callback(:tag_resource, type, title.to_s, names.flatten.map { |n| n.to_s.downcase }) : super
      end

      def pupc_added?
        @found ? true : false
      end

      def pupc_add(container)
        super
        @found = true
        self
      end

      %i[file line virtual exported].each_with_index do |name, i|
        define_method(name) { @found ? PupcWorker.callback(:resource_place, type, title.to_s)[i] : instance_variable_get(:"@#{name}") }
      end
      alias virtual? virtual
      alias exported? exported

      def virtual=(value)
        @virtual = value
        PupcWorker.callback(:mark_resource, type, title.to_s, value, exported) if @found
      end

      def exported=(value)
        @exported = value
        @virtual = true if value
        PupcWorker.callback(:mark_resource, type, title.to_s, virtual || value, value) if @found
      end

      %i[file line].each do |name|
        define_method(:"#{name}=") do |value|
          instance_variable_set(:"@#{name}", value)
          PupcWorker.callback(:place_resource, type, title.to_s, name == :file ? value : file, name == :line ? value : line) if @found
        end
      end

      def catalog
        @catalog || (@found ? @scope&.catalog || PupcWorker.current_scope.catalog : nil)
      end

      def kind
        @kind ||= { 'native' => 'compilable_type', 'define' => 'defined_type' }[PupcWorker.callback(:type_known, type.downcase)] || 'unknown'
      end

      def evaluated?
        evaluated ? true : false
      end

      def finished?
        nil
      end

      def isomorphic?
        true
      end

      def environment
        PupcWorker.environment
      end

      # Runs the class's or define's code. pupc does it once only for a resource that the catalog has.
      def evaluate
        return if evaluated?

        @evaluated = true
        raise Puppet::DevError, "Cannot evaluate a builtin type (#{type})" if builtin_type?

        found = resource_type or raise(Puppet::Error, "Cannot find definition #{type}")
        @found ? PupcWorker.callback(:evaluate_resource, type, title.to_s, false) : found.evaluate_code(self)
      end

      def resource_type
        class? ? PupcWorker.environment.known_resource_types.find_hostclass(title) : PupcWorker.environment.known_resource_types.definition(type) || super
      end

      private

      def become_found(type, title, scope)
        @type, @title, @scope, @found = type, title, scope, true
        @parameters = {}
      end
    end

    class Scope
      BUILT_IN_VARS = %w[module_name caller_module_name].freeze
      NUMERIC = /\A(?:0|[1-9]\d*)\z/.freeze
      attr_reader :pupc_frame

      def initialize(frame)
        @pupc_frame = frame
      end

      def lookupvar(name, _options = {})
        raise Puppet::ParseError, "Scope variable name #{name.inspect} is a #{name.class}, not a string" unless name.is_a?(String)

        own = own_variables
        return own[name] if own&.key?(name)

        found, value, reason = PupcWorker.read_variable(@pupc_frame, name)
        return value if found

        top = name.start_with?('::')
        name = name.delete_prefix('::')
        variable_not_found(top || (name.include?('::') && reason.nil?) ? "::#{name}" : name, reason)
      end

      def [](name, options = {})
        lookupvar(name, options)
      end

      def variable_not_found(name, reason = nil)
        return nil if BUILT_IN_VARS.include?(name) || name =~ NUMERIC

        begin
          throw(:undefined_variable, reason)
        rescue UncaughtThrowError
          raise ArgumentError, "Undefined variable '#{name}'; #{reason}" if Puppet[:strict] == :error
        end
        nil
      end

      def include?(name)
        catch(:undefined_variable) { return !self[name].nil? }
        false
      end

      def exist?(name)
        PupcWorker.callback(:variable, @pupc_frame, name.to_s.sub(/\A::/, ''))[0]
      end
      alias bound? exist?
      alias has_local_variable? exist?

      def to_hash(_recursive = true, include_undef = false)
        all = PupcWorker.callback(:variables, @pupc_frame, nil)
        include_undef ? all : all.compact
      end

      # Sets a variable. Ruby code of the same call reads the very object back, not a copy: templates use that to pass hashes to each other.
      def setvar(name, value, _options = {})
        raise Puppet::ParseError, "Scope variable name #{name.inspect} is a #{name.class}, not a string" unless name.is_a?(String)

        PupcWorker.callback(:set_variable, @pupc_frame, name, value)
        PupcWorker.own_variables(@pupc_frame, true)[name] = value
      end

      # The variables that Ruby code has set in this scope during the running call; nil when there are none.
      def own_variables
        PupcWorker.own_variables(@pupc_frame)
      end

      def []=(name, value)
        setvar(name, value)
      end

      def lookup_qualified_variable(name, options = {})
        lookupvar(name, options)
      end

      def with_guarded_scope
        yield
      end

      def undef_as(default, value)
        value.nil? || value == :undef ? default : value
      end

      def self.true?(value)
        case value
        when '', :undef, nil then false
        else value ? true : false
        end
      end

      def self.number?(value)
        case value
        when Numeric then value
        when /\A-?\d+(?:\.\d+|(?:\.\d+)?e\d+)\z/ then value.to_f
        when /\A0x[0-9a-f]+\z/i then value.to_i(16)
        when /\A0[0-7]+\z/ then value.to_i(8)
        when /\A-?\d+\z/ then value.to_i
        end
      end

      def call_function(name, args, &block)
        PupcWorker.call_by_name(self, name, [*args], &block) # splats as Puppet does: a hash becomes its pairs
      end

      def method_missing(method, *args, &block)
        return super unless method.to_s =~ /\Afunction_(.*)\z/

        name = Regexp.last_match(1)
        if (arity = Puppet::Parser::Functions.only_4x(name))
          Puppet::Parser::Functions.check_arity(name, arity, args[0].is_a?(Array) ? args[0].size : 0)
          Puppet::Parser::Functions::Error.is4x(name)
        end
        return super unless Puppet::Parser::Functions.function(name)
        return public_send(method, *args, &block) if PupcWorker.functions3.key?(name)

        if own_variables && %w[template inline_template].include?(name) && args[0].is_a?(Array) && !args[0].empty?
          return args[0].map { |text| name == 'template' ? PupcWorker.render_file(text, self) : PupcWorker.render(text, '', self) }.join
        end
        unless args[0].is_a?(Array)
          raise ArgumentError, 'custom functions must be called with a single array that contains the arguments. For example, function_example([1]) instead of function_example(1)'
        end

        result = PupcWorker.call_by_name(self, name, args[0], &block)
        if %w[include contain require].include?(name)
          Puppet.warn_once('deprecations', "3xfunction##{name}",
                           "Calling function_#{name} via the Scope class is deprecated. Use Scope#call_function instead")
        end
        result
      end

      def respond_to_missing?(method, all = false)
        return super unless method.to_s =~ /\Afunction_(.*)\z/

        Puppet::Parser::Functions.function(Regexp.last_match(1)) ? true : super
      end

      def compiler
        @compiler ||= Parser::Compiler.new(self)
      end

      def catalog
        compiler.catalog
      end

      def environment
        compiler.environment
      end

      def node
        compiler.node
      end

      def known_resource_types
        environment.known_resource_types
      end

      def findresource(type, title = nil)
        compiler.catalog.resource(type, title)
      end

      def newscope(options = {})
        compiler.newscope(self, options)
      end

      def parent
        frame = PupcWorker.callback(:scope_parent, @pupc_frame)
        frame && Scope.new(frame)
      end

      # The name of the module whose code the scope around this one runs.
      def parent_module_name
        parent&.source&.module_name
      end

      def find_hostclass(name)
        compiler.find_hostclass(name)
      end

      def find_definition(name)
        known_resource_types.find_definition(name)
      end

      def class_scope(name)
        name = name.name if name.respond_to?(:name)
        frame = PupcWorker.callback(:class_frame, name.to_s)
        frame && Scope.new(frame)
      end

      def resource
        found = PupcWorker.callback(:scope_resource, @pupc_frame)
        found && Puppet::Parser::Resource.found(found, self)
      end

      # Resource defaults of a type as this scope sees them: name => Param.
      def lookupdefaults(type)
        PupcWorker.callback(:scope_defaults, @pupc_frame, type.to_s).to_h do |name, value|
          [name.to_sym, Puppet::Parser::Resource::Param.new(name: name.to_sym, value: value, source: source)]
        end
      end

      # The class, define or node whose code the scope runs.
      def source
        name, module_name, kind = PupcWorker.callback(:scope_source, @pupc_frame)
        types = known_resource_types
        found = case kind
                when 'hostclass' then types.find_hostclass(name)
                when 'definition' then types.find_definition(name)
                end
        found || Puppet::Resource::Type.new(kind, name, module_name: module_name)
      end

      def tags
        PupcWorker.callback(:scope_tags, @pupc_frame)
      end

      def tagged?(*names)
        names.flatten.any? { |n| tags.include?(n.to_s.downcase) }
      end

      def tag(*names)
        PupcWorker.call_by_name(self, 'tag', names.flatten.map(&:to_s))
      end

      # Stands in for the global scope: this scope finds all global variables, too.
      def find_global_scope
        self
      end

      def is_topscope?
        PupcWorker.callback(:scope_resource, @pupc_frame).nil?
      end

      def to_s
        PupcWorker.callback(:scope_text, @pupc_frame)
      end
      alias inspect to_s

      include Puppet::Util::Logging
    end

    # `source -> target`, or `~>` with the type :subscription.
    class Relationship
      attr_accessor :source, :target, :type

      def initialize(source, target, type)
        @source = source
        @target = target
        @type = type
      end

      def param_name
        { relationship: :before, subscription: :notify }[type] || raise(::ArgumentError, "Invalid relationship type #{type}")
      end

      # Each pair of what the two sides name.
      def pupc_pairs
        from, to = [source, target].map { |side| side.is_a?(Array) ? side : [side] }
        from.product(to).map { |pair| pair.map { |end_| Puppet::Resource.type_and_title(end_.to_s, nil).map(&:to_s) } }
      end
    end

    class Compiler
      attr_reader :topscope

      def initialize(scope)
        @scope = scope
        @topscope = PupcWorker.top_scope
      end

      def catalog
        @catalog ||= Puppet::Resource::Catalog.new(@scope)
      end

      def environment
        PupcWorker.environment
      end

      def node
        @node ||= Puppet::Node.new(PupcWorker.callback(:node_name))
      end

      def findresource(type, title = nil)
        catalog.resource(type, title)
      end

      # What code declares: all but the main stage, the settings and what was added to the catalog alone.
      def resources
        PupcWorker.callback(:resources, true).map { |found| Puppet::Parser::Resource.found(found, @scope) }
      end

      # Declares a resource in what the scope's code belongs to. A class or define is evaluated in its turn.
      def add_resource(scope, resource)
        resource.pupc_add(scope)
      end

      def add_class(name)
        catalog.add_class(name) unless name == ''
      end

      def classlist
        catalog.classes
      end

      def add_override(override)
        given = override.parameters.to_h { |name, value| [name.to_s, value.respond_to?(:value) ? value.value : value] }
        PupcWorker.callback(:add_override, (override.scope || @scope).pupc_frame, override.type, override.title.to_s, given, override.file, override.line)
      end

      def add_relationship(relationship)
        notify = relationship.param_name == :notify
        relationship.pupc_pairs.each { |from, to| PupcWorker.callback(:add_relationship, *from, *to, notify) }
      end

      def newscope(parent, options = {})
        resource = options[:resource]
        Scope.new(PupcWorker.callback(:new_scope, (parent || topscope).pupc_frame, resource&.type, resource&.title&.to_s))
      end

      def find_hostclass(name)
        environment.known_resource_types.find_hostclass(name)
      end

      # Declares classes: a list of names, or a hash of them with their parameters. Returns their resources.
      def evaluate_classes(classes, scope, lazy_evaluate = true)
        given = classes.instance_of?(Hash) ? classes : nil
        types = (given ? given.keys : Array(classes)).map do |name|
          find_hostclass(name.respond_to?(:name) ? name.name : name) or raise Puppet::Error, "Could not find class #{name} for #{node.name}"
        end
        if given
          resources = types.map { |type| type.ensure_in_catalog(scope, given[type.name] || {}) }
          resources.each(&:evaluate) unless lazy_evaluate
          return resources
        end
        present, fresh = types.partition { |type| scope.class_scope(type) }
        present = present.map { |type| scope.class_scope(type).resource }
        fresh = fresh.map { |type| type.ensure_in_catalog(scope) }
        fresh.each(&:evaluate) unless lazy_evaluate
        present + fresh
      end

      def loaders
        self
      end

      def find_loader(_module_name)
        self
      end

      def private_environment_loader
        self
      end
      alias public_environment_loader private_environment_loader

      def load(_type, name)
        PupcWorker.callback(:function_exists, name.to_s) ? true : nil
      end

      def qualified_variables
        {}
      end

      def code_id
        nil
      end
    end
  end
end

module Puppet
  module Pops
    module Evaluator
      # Finds the type of a resource statement.
      module Runtime3ResourceSupport
        module_function

        def find_resource_type(scope, name)
          name = name.to_s
          case PupcWorker.callback(:type_known, name)
          when 'native' then Puppet::Type.type(name.downcase)
          when 'define' then scope.find_definition(name)
          end
        end

        def find_resource_type_or_class(scope, name)
          find_resource_type(scope, name) || find_hostclass(scope, name)
        end

        def find_hostclass(scope, name)
          scope.find_hostclass(name)
        end
      end
    end
  end
end
