# The two APIs in which modules write functions: Puppet::Functions (4.x) and Puppet::Parser::Functions (3.x).
module Puppet
  module Functions
    # Collects the parameters of a dispatch. Types stay text here: pupc parses them and checks the arguments.
    class DispatcherBuilder
      def initialize(method_name, mismatch)
        @dispatch = { method: method_name.to_s, params: [], injections: [], block: nil, returns: nil, mismatch: mismatch, min: 0, max: 0 }
      end
      attr_reader :dispatch

      def self.text(type)
        type.is_a?(Puppet::Pops::Types::PAnyType) ? type.exact_text : type.to_s
      end

      def param(type, name)
        raise ArgumentError, 'A required parameter cannot be added after an optional parameter' if @optional
        raise ArgumentError, 'Parameters cannot be added after a required repeated parameter' if @repeated

        add(type, name)
        @dispatch[:min] += 1
        @dispatch[:max] += 1
      end
      alias required_param param

      def optional_param(type, name)
        raise ArgumentError, 'Parameters cannot be added after a repeated parameter' if @repeated

        @optional = true
        add(type, name)
        @dispatch[:max] += 1
      end

      def repeated_param(type, name)
        add(type, name)
        @repeated = true
        @dispatch[:max] = -1
      end
      alias optional_repeated_param repeated_param

      def required_repeated_param(type, name)
        raise ArgumentError, 'A required repeated parameter cannot be added after an optional parameter' if @optional

        add(type, name)
        @repeated = true
        @dispatch[:min] += 1
        @dispatch[:max] = -1
      end

      def block_param(*type_and_name)
        block(type_and_name, true)
      end
      alias required_block_param block_param

      def optional_block_param(*type_and_name)
        block(type_and_name, false)
      end

      def return_type(type)
        unless type.is_a?(String) || type.is_a?(Puppet::Pops::Types::PAnyType)
          raise ArgumentError, "Argument to 'return_type' must be a String reference to a Puppet Data Type. Got #{type.class}"
        end

        @dispatch[:returns] = DispatcherBuilder.text(type)
      end

      private

      def add(type, name)
        raise ArgumentError, "Parameter name argument must be a Symbol. Got #{name.class}" unless name.is_a?(Symbol)
        unless type.is_a?(String) || type.is_a?(Puppet::Pops::Types::PAnyType)
          raise ArgumentError, "Parameter 'type' must be a String reference to a Puppet Data Type. Got #{type.class}"
        end
        raise ArgumentError, 'Parameters cannot be added after a repeated parameter' if @repeated

        @dispatch[:params] << [DispatcherBuilder.text(type), name.to_s]
        @dispatch[:injections] << nil
      end

      def block(type_and_name, required)
        type, name = case type_and_name.size
                     when 0 then ['Callable', :block]
                     when 1 then type_and_name[0].is_a?(Symbol) ? ['Callable', type_and_name[0]] : [type_and_name[0], :block]
                     when 2 then type_and_name
                     else raise ArgumentError, "block_param accepts max 2 arguments (type, name), got #{type_and_name.size}."
                     end
        @dispatch[:block] = [DispatcherBuilder.text(type), name.to_s, required]
      end
    end

    class InternalDispatchBuilder < DispatcherBuilder
      %i[scope cache compiler script_compiler pal_compiler pal_script_compiler pal_catalog_compiler].each do |kind|
        define_method(:"#{kind}_param") { @dispatch[:injections] << kind }
      end
    end

    class LocalTypeAliasesBuilder
      def initialize
        @types = []
      end
      attr_reader :types

      def type(text)
        raise ArgumentError, "Expected a type alias assignment on the form 'AliasType = T', got '#{text}'" unless text =~ /\A\s*(\w+(?:::\w+)*)\s*=\s*(.+)\z/m

        @types << [Regexp.last_match(1), Regexp.last_match(2)]
      end
    end
  end

  module Pops
    module Functions
      # For functions that override `call` and choose a dispatch there.
      Dispatcher = Struct.new(:function) do
        # Calls the method of the first dispatch that accepts the arguments. Raises ArgumentError when none does.
        def dispatch(instance, _scope, args, &block)
          plain = args.map { |a| a.is_a?(Puppet::Parser::Scope) ? nil : a } # a scope is no Puppet value; its parameter accepts anything
          index = PupcWorker.callback(:pick_dispatch, function.name, plain)
          instance.send(function.dispatches[index][:method], *args, &block)
        end
      end

      class Function
        attr_reader :closure_scope, :loader

        def initialize(closure_scope, loader = nil)
          @closure_scope = closure_scope
          @loader = loader
        end

        # Calls a function of any kind by name.
        def call_function(function_name, *args, &block)
          PupcWorker.call_by_name(closure_scope, function_name, args, &block)
        rescue Puppet::ParseError => e
          raise unless e.message.start_with?("Evaluation Error: Unknown function: '#{function_name}'.")

          raise ArgumentError, "Function #{self.class.name}(): Unknown function: '#{function_name}'"
        end

        def call(scope, *args, &block)
          PupcWorker.call_by_name(scope, self.class.name, args, &block)
        end

        class << self
          def dispatches
            @dispatches ||= []
          end

          def local_type_aliases
            @local_type_aliases ||= []
          end

          # Whether the text of the function's file has a construct that could change an argument in place, or uses code of other files.
          attr_accessor :pupc_changing

          def dispatcher
            Dispatcher.new(self)
          end
        end
      end
    end
  end

  module Functions
    class Function < Pops::Functions::Function
      class << self
        def builder(method_name, mismatch)
          DispatcherBuilder.new(method_name, mismatch)
        end

        def dispatch(method_name, mismatch = false, &block)
          if method_name.is_a?(String) || method_name.is_a?(Symbol)
            builder = builder(method_name, mismatch)
            builder.instance_eval(&block)
            dispatches << builder.dispatch
          else
            raise ArgumentError, "Dispatch method name must be a Symbol, got #{method_name.class}"
          end
        end

        def argument_mismatch(method_name, &block)
          dispatch(method_name, true, &block)
        end

        def local_types(&block)
          raise ArgumentError, 'A function may only have one local_types block' unless local_type_aliases.empty?

          builder = LocalTypeAliasesBuilder.new
          builder.instance_eval(&block)
          local_type_aliases.concat(builder.types)
        end
      end
    end

    class InternalFunction < Function
      def self.builder(method_name, mismatch)
        InternalDispatchBuilder.new(method_name, mismatch)
      end

      def call_function_with_scope(scope, function_name, *args, &block)
        PupcWorker.call_by_name(scope, function_name, args, &block)
      end
    end

    def self.create_function(func_name, function_base = Function, &block)
      create_loaded_function(func_name, nil, function_base, &block)
    rescue StandardError => e
      raise ArgumentError, "Function Load Error for function '#{func_name}': #{e.message}"
    end

    def self.create_loaded_function(func_name, _loader, function_base = Function, &block)
      if function_base.ancestors.none? { |s| s == Puppet::Pops::Functions::Function }
        raise ArgumentError, "Functions must be based on Puppet::Pops::Functions::Function. Got #{function_base}"
      end

      func_name = func_name.to_s
      the_class = Class.new(function_base)
      the_class.define_singleton_method(:name) { func_name }
      the_class.define_singleton_method(:loader) { nil }
      the_class.class_eval(&block)
      default_dispatch(the_class, func_name) if the_class.dispatches.empty?
      PupcWorker.functions[func_name.downcase] = the_class
      the_class
    end

    # As in Puppet, a function without a dispatch calls its method with the function's simple name. The method's parameters have the type Any.
    def self.default_dispatch(the_class, func_name)
      simple = func_name.split('::')[-1]
      unless the_class.method_defined?(simple)
        raise ArgumentError, "Function Creation Error, cannot create a default dispatcher for function '#{simple}', no method with this name found"
      end

      count = Hash.new(0)
      parameters = the_class.instance_method(simple).parameters.reject { |kind, _| kind == :block }
      parameters.each { |kind, _| count[kind] += 1 }
      the_class.dispatches << {
        method: simple, params: parameters.map { |_, name| ['Any', (name || 'args').to_s] }, injections: parameters.map { nil }, block: nil,
        returns: nil, mismatch: false, min: count[:req], max: count[:rest].positive? ? -1 : count[:req] + count[:opt], any: true
      }
    end
    private_class_method :default_dispatch
  end

  module Parser
    # 3.x functions: methods of the scope.
    module Functions
      Environment = Module.new
      # Puppet's functions that exist only in the 4.x API, with the arity of their stand-ins in the 3.x API.
      ONLY_4X = {
        assert_type: -3, binary_file: 1, break: 0, defined: -2, dig: -1, each: -3, epp: -2, filter: -3, find_file: -2, hiera: -2, hiera_array: -2,
        hiera_hash: -2, hiera_include: -2, inline_epp: -2, lest: -2, lookup: -2, map: -3, match: 2, new: -1, next: -2, reduce: -3, regsubst: -4,
        return: -2, reverse_each: -1, slice: -3, split: 2, step: -1, strftime: -3, then: -2, type: -1, with: -1
      }.transform_keys(&:to_s).freeze

      def self.newfunction(name, options = {}, &block)
        name = name.to_s.downcase.to_sym
        type = options[:type] || :statement
        raise Puppet::DevError, "Invalid statement type #{type.inspect}" unless %i[rvalue statement].include?(type)

        arity = options[:arity] || -1
        real = "real_function_#{name}"
        Puppet::Parser::Scope.send(:define_method, real, &block)
        Puppet::Parser::Scope.send(:define_method, "function_#{name}") do |*args|
          if args[0].is_a?(Array)
            Functions.check_arity(name, arity, args[0].size)
            result = send(real, args[0])
            type == :rvalue ? PupcWorker.convert_return(result) : nil
          else
            raise ArgumentError, 'custom functions must be called with a single array that contains the arguments. ' \
                                 'For example, function_example([1]) instead of function_example(1)'
          end
        end
        PupcWorker.functions3[name.to_s] = { type: type, arity: arity }
        { name: "function_#{name}", type: type, arity: arity }
      end

      def self.check_arity(name, arity, count)
        if arity >= 0 && count != arity
          raise ArgumentError, "#{name}(): Wrong number of arguments given (#{count} for #{arity})"
        elsif arity.negative? && count < (arity + 1).abs
          raise ArgumentError, "#{name}(): Wrong number of arguments given (#{count} for minimum #{(arity + 1).abs})"
        end
      end

      # Puppet's built-in functions of the 3.x API. Code can only call Puppet's other functions with call_function.
      BUILT_IN = %w[contain create_resources digest fail file fqdn_rand generate include inline_template md5 realize require scanf sha1 sha256
                    shellquote sprintf tag tagged template versioncmp].freeze

      # Returns "function_NAME" if there is such a 3.x function, and false otherwise. Loads the function of a module.
      def self.function(name, _environment = nil)
        name = name.to_s
        PupcWorker.loaded_here[name] = true
        return "function_#{name}" if BUILT_IN.include?(name) || PupcWorker.functions3.key?(name)

        file = PupcWorker.library_file("puppet/parser/functions/#{name}.rb")
        return ONLY_4X.key?(name) ? "function_#{name}" : false if file.nil?

        PupcWorker.load_function(name, file)
        PupcWorker.functions3.key?(name) ? "function_#{name}" : false
      end

      # The arity of the stand-in of a function that only the 4.x API has, nil for any other.
      def self.only_4x(name)
        arity = ONLY_4X[name]
        arity unless arity && PupcWorker.library_file("puppet/parser/functions/#{name}.rb")
      end

      def self.rvalue?(name, _environment = nil)
        info = PupcWorker.functions3[name.to_s]
        info.nil? || info[:type] == :rvalue
      end

      def self.arity(name, _environment = nil)
        info = PupcWorker.functions3[name.to_s]
        info ? info[:arity] : -1
      end

      # The old API for loading functions. Each use logs a deprecation warning once.
      module Autoloader
        module_function

        def load(name, _environment = nil)
          deprecated("load(\"#{name}\")")
          !!Functions.function(name)
        end

        def loadall(_environment = nil)
          deprecated('loadall')
        end

        # Whether this compile has read the function's file.
        def loaded?(name)
          deprecated("loaded?(\"#{name}\")")
          PupcWorker.loaded_here.key?(name.to_s) && PupcWorker.functions3.key?(name.to_s)
        end

        def deprecated(call)
          return if Puppet[:strict] == :off

          Puppet.warn_once('deprecations', "autoloader#{call}", "The method 'Puppet::Parser::Functions.autoloader##{call}' is deprecated in favor of " \
                                                                "using 'Scope#call_function'.")
        end
      end

      def self.autoloader
        Autoloader
      end

      def self.environment_module(_env)
        Environment
      end

      class Error
        def self.is4x(name)
          raise Puppet::ParseError, "#{name}() can only be called using the 4.x function API. See Scope#call_function"
        end
      end
    end
  end
end

module Puppet
  module Pops
    module Loader; end
  end
end
# Files of functions and data types are evaluated inside these classes, as in Puppet: so the classes that a file defines get the same full
# names.
%i[RubyFunctionInstantiator RubyLegacyFunctionInstantiator RubyDataTypeInstantiator].each { |name| Puppet::Pops::Loader.const_set(name, Class.new) }
class Puppet::Pops::Loader::RubyFunctionInstantiator # rubocop:disable Style/ClassAndModuleChildren
  def self.pupc_binding
    binding
  end
end
class Puppet::Pops::Loader::RubyLegacyFunctionInstantiator # rubocop:disable Style/ClassAndModuleChildren
  def self.pupc_binding
    binding
  end
end
class Puppet::Pops::Loader::RubyDataTypeInstantiator # rubocop:disable Style/ClassAndModuleChildren
  def self.pupc_binding
    binding
  end
end

module PupcWorker
  class << self
    # The classes of the loaded 4.x functions, by name. functions3 has the type and arity of the loaded 3.x functions.
    def functions
      @functions ||= {}
    end

    def functions3
      @functions3 ||= {}
    end

    # The functions that this compile has asked for, by name. Their files may have been read before.
    def loaded_here
      compile_state[:loaded] ||= {}
    end

    # Loads the file of a function, and loads it again when it changed. Returns the signatures of a 4.x function; for a 3.x function,
    # returns the names of the other functions that the file defines.
    def load_function(name, file)
      loaded_here[name] = true
      @loaded_files ||= {}
      stamp = File.stat(file).then { |s| [s.mtime, s.size] }
      old_api = file.include?('/parser/functions/')
      place = [old_api, name]
      @defined_by ||= {} # which file a loaded function comes from: several modules may have one of the name
      if @loaded_files[file] != stamp || @defined_by.fetch(place, file) != file
        (old_api ? functions3 : functions).delete(name)
        before = functions3.keys
        evaluate_file(file, name)
        (@defined_beside ||= {})[file] = functions3.keys - before - [name] if old_api
        @loaded_files[file] = stamp
        @defined_by[place] = file
      end
      return (@defined_beside || {})[file] || [] if functions3.key?(name) && (old_api || !functions.key?(name))

      found = functions[name]
      if found.nil?
        kind = file.include?('/parser/functions/') ? '3.x ' : ''
        raise ArgumentError, "The code loaded from #{file} does not seem to be a valid Puppet 3x API function definition - no newfunction call for '#{name}'." unless kind.empty?

        raise ArgumentError, "The code loaded from #{file} produced no function '#{name}'"
      end
      own_call = found.instance_method(:call).owner == found
      found.pupc_changing = File.read(file, encoding: Encoding::UTF_8).match?(MAY_CHANGE) if found.pupc_changing.nil?
      { 'types' => found.local_type_aliases, 'dispatches' => found.dispatches.map { |d| signature_of(d) }, 'own_call' => own_call }
    end

    # Evaluates the text of a function's file, each API in Puppet's binding for it.
    def evaluate_file(file, name)
      text = File.read(file, encoding: Encoding::UTF_8)
      return evaluate_legacy(text, file, name) if file.include?('/parser/functions/')

      unless text.include?('Puppet::Functions.create_function')
        raise ArgumentError, "The code loaded from #{file} does not seem to be a Puppet 4x API function - no create_function call."
      end

      created = eval(text, Puppet::Pops::Loader::RubyFunctionInstantiator.pupc_binding, file, 1) # rubocop:disable Security/Eval
      raise ArgumentError, "The code loaded from #{file} did not produce a Function class when evaluated. Got '#{created.class}'" unless created.is_a?(Class)
      return if created.name.to_s == name

      raise ArgumentError, "The code loaded from #{file} produced mis-matched name, expected '#{name}', got #{created.name}"
    end

    def evaluate_legacy(text, file, name)
      check_legacy(text, file) if text.match?(/\bdef\b/) || !text.include?('newfunction')
      info = eval(text, Puppet::Pops::Loader::RubyLegacyFunctionInstantiator.pupc_binding, file, 1) # rubocop:disable Security/Eval
      unless info.is_a?(Hash)
        raise ArgumentError, "Illegal legacy function definition! The code loaded from #{file} did not return the result of calling 'newfunction'. Got '#{info.class}'"
      end
      return if info[:name] == "function_#{name}"

      raise ArgumentError, "The code loaded from #{file} produced mis-matched name, expected 'function_#{name}', got '#{info[:name]}'"
    end

    # Checks the file of a 3.x function as Puppet does: it must not define methods, and it must call newfunction.
    def check_legacy(text, file)
      tree = Ripper.sexp(text)
      return if tree.nil?

      found = false
      visit = lambda do |node|
        next unless node.is_a?(Array)

        identity = node.find { |part| part.is_a?(Array) && part[0] == :@ident }
        case node[0]
        when :fcall, :call then found ||= identity && identity[1] == 'newfunction'
        when :def, :defs
          method, place = identity ? [identity[1], identity[2]] : ['<unknown>', nil]
          # As the number of the line, Puppet prints that of the column.
          raise SecurityError, "Illegal method definition of method '#{method || '<unknown>'}' in source #{file} on line #{place ? place[1] || '<unknown>' : '<unknown>'} in legacy function. " \
                               'See https://puppet.com/docs/puppet/latest/functions_refactor_legacy.html for more information'
        end
        node.each { |part| visit.call(part) }
      end
      tree.each { |part| visit.call(part) }
      raise ArgumentError, "The code loaded from #{file} does not seem to be a Puppet 3x API function - no 'newfunction' call." unless found
    end

    def signature_of(dispatch)
      [dispatch[:params], dispatch[:min], dispatch[:max], dispatch[:block], dispatch[:returns], dispatch[:mismatch], dispatch[:method]]
    end

    # The object of a 4.x function, which lives as long as the compile.
    def instance_of(the_class)
      (@instances ||= {})[the_class] ||= the_class.new(top_scope, nil)
    end

    # Calls the method of a 4.x function's dispatch. pupc has already checked the arguments.
    def call_dispatch(name, index, args, block)
      the_class = functions.fetch(name)
      return instance_of(the_class).call(current_scope, *args, &block) if index.negative?

      dispatch = the_class.dispatches[index]
      before = the_class.pupc_changing ? args.map { |a| changeable_parts(a) } : nil
      given = args
      injections = dispatch[:injections]
      unless injections.compact.empty?
        rest = args.dup
        args = []
        injections.each do |kind|
          if kind then args << injected(the_class, kind)
          elsif !rest.empty? then args << rest.shift
          end
        end
        args.concat(rest)
      end
      result = with_reads(the_class.pupc_changing) { instance_of(the_class).send(dispatch[:method], *args, &block) }
      before&.each_with_index do |parts, i|
        parts.each { |place, part, hash| callback(:argument_changed, i, place.empty? ? given[i] : part, place) if part.hash != hash }
      end
      same = result.is_a?(Array) || result.is_a?(Hash) ? given.index { |arg| arg.equal?(result) } : nil
      return result unless same && !result.empty?

      callback(:argument_returned, same)
      nil
    end

    # What of a value Ruby code can change in place: a text that is not frozen, a list, a hash, or one inside a Sensitive; nil for others.
    def changeable(value)
      value = value.unwrap if value.is_a?(Puppet::Pops::Types::PSensitiveType::Sensitive)
      case value
      when Array, Hash then value
      when String then value unless value.frozen?
      end
    end

    # The value and the lists and hashes in it, outermost first: [place, object, hash]. Code may change any of them in place, and variables
    # that hold no more than that part see it, too.
    def changeable_parts(value, place = [], parts = [])
      held = changeable(value)
      return parts if held.nil? || (held.is_a?(String) && !place.empty?)

      parts << [place, held, held.hash]
      case held
      when Array then held.each_with_index { |part, i| changeable_parts(part, [*place, i], parts) }
      when Hash then held.each { |key, part| changeable_parts(part, [*place, key], parts) }
      end
      parts
    end

    # Returns what the block makes of the file's content. Caches the result until the file changes.
    def file_data(path)
      stat = File.stat(path)
      state = [stat.ino, stat.mtime, stat.size]
      found = (@file_data ||= {})[path]
      return found[1] if found && found[0] == state

      text = File.read(path, encoding: 'utf-8')
      @file_data.shift if @file_data.size >= 1000
      (@file_data[path] = [state, block_given? ? yield(text) : text])[1]
    end

    def injected(the_class, kind)
      case kind
      when :scope then current_scope
      when :cache then (compile_state[:caches] ||= {})[the_class] ||= Puppet::Pops::Adapters::ObjectIdCacheAdapter.new
      else current_scope.compiler
      end
    end

    def call_3x(name, args)
      result = nil
      args = args.map { |a| argument_3x(a, '') }
      result = with_reads(true) { current_scope.public_send("function_#{name}", args) }
      functions3[name] && functions3[name][:type] == :rvalue ? result : nil
    end

    # Converts a value for a 3.x function, as Puppet does: an undef argument becomes `undef_value`, a reference becomes a resource, and
    # kinds of values that the 3.x API does not know become text.
    def argument_3x(value, undef_value)
      case value
      when nil, :undef then undef_value
      when Array then value.map { |v| argument_3x(v, nil) }
      when Hash then value.each_with_object({}) { |(k, v), h| h[argument_3x(k, nil)] = argument_3x(v, nil) }
      when Regexp then value.inspect
      when SemanticPuppet::Version, SemanticPuppet::VersionRange, Puppet::Pops::Types::PBinaryType::Binary, Puppet::Pops::Time::Timespan,
           Puppet::Pops::Time::Timestamp then value.to_s
      when Puppet::Pops::Types::PClassType then Puppet::Resource.new('class', value.class_name)
      when Puppet::Pops::Types::PResourceType then Puppet::Resource.new(value.type_name.to_s, value.title || '')
      else value
      end
    end

    def convert_return(value)
      case value
      when :undef then nil
      when Array then value.map { |v| convert_return(v) }
      when Hash then value.each_with_object({}) { |(k, v), h| h[convert_return(k)] = convert_return(v) }
      else value
      end
    end

    # Runs a block that may change a list or hash of a variable in place. All of Puppet's code holds the same object, so here each variable
    # gives the same object until the outermost of these blocks ends, and what has changed is stored back.
    def with_reads(watch)
      return yield unless watch

      outer = @reads
      @reads = outer ? outer.dup : {}
      begin
        yield
      ensure
        give_back_reads
        @reads.each { |key, entry| outer[key] = entry if key.is_a?(String) } if outer # other names belong to frames that may have ended
        @reads = outer
      end
    end

    def give_back_reads
      @reads&.each_value do |entry|
        object, hash, frame, name = entry
        now = changeable(object).hash
        next if now == hash

        entry[1] = now
        callback(:change_variable, frame, name, object)
      end
    end

    # [found, value, reason if not found] of a variable
    def read_variable(frame, name)
      return callback(:variable, frame, name) unless @reads

      qualified = name.include?('::')
      key = qualified ? name.delete_prefix('::') : [frame, name]
      known = @reads[key] and return [true, known[0]]

      answer = callback(:variable, frame, name)
      note_read(key, answer[1], qualified ? 0 : frame, name) if answer[0]
      answer
    end

    def note_read(key, value, frame, name)
      held = changeable(value) and @reads[key] = [value, held.hash, frame, name]
    end

    # Calls a Puppet, native or Ruby function through pupc.
    def call_by_name(scope, name, args, &block)
      args.each { |arg| arg.pupc_share if arg.is_a?(Puppet::Pops::Lookup::Context) }
      return render_here(scope, name.to_s, args) if defines_methods?(name.to_s, args)

      give_back_reads
      number = block ? store_block(block) : nil
      callback(:call, scope.pupc_frame, name.to_s, args, number, block ? block_arity(block) : nil)
    ensure
      blocks.delete(number) if number
    end

    def blocks
      @blocks ||= {}
    end

    def store_block(block)
      @next_block = (@next_block || 0) + 1
      blocks[@next_block] = block
      @next_block
    end

    def block_arity(block)
      parameters = block.parameters
      [parameters.count { |kind, _| kind == :req }, parameters.any? { |kind, _| kind == :rest } ? -1 : parameters.count { |kind, _| %i[req opt].include?(kind) }]
    end
  end

  # A block of Puppet code, as a Ruby Proc.
  class PuppetBlock < Proc
    attr_accessor :closure

    def self.of(number, signature)
      block = new { |*args| PupcWorker.callback(:block, number, args) }
      block.closure = BlockClosure.new(signature)
      block
    end

    def arity
      closure.arity
    end

    def parameters
      closure.parameter_pairs
    end
  end

  class BlockClosure
    def initialize(signature)
      @names, @min, @max = signature
    end

    def parameter_names
      @names
    end

    def parameter_count
      @names.size
    end

    def arity
      @min == @max ? @min : -@min - 1
    end

    def parameter_pairs
      @names.each_with_index.map { |name, i| [i < @min ? :req : (@max.negative? && i == @names.size - 1 ? :rest : :opt), name.to_sym] }
    end
  end
end
