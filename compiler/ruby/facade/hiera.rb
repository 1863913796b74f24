# The parts of Hiera 3 that its backends use. The facade asks pupc for the values of other backends and layers.
class Hiera
  class Error < StandardError; end
  class InvalidConfigurationError < Error; end
  class InterpolationLoop < StandardError; end
  class InterpolationInvalidValue < StandardError; end

  QUOTED_KEY = /\A(?:"([^"]+)"|'([^']+)')\z/.freeze
  QUOTES = /[",]/.freeze

  # Hiera's logger in a Puppet process: it logs through Puppet.
  module Puppet_logger
    def self.suitable?
      true
    end

    def self.warn(message)
      Puppet.notice("hiera(): #{message}")
    end

    def self.debug(message)
      Puppet.debug("hiera(): #{message}")
    end
  end
  Console_logger = Noop_logger = Puppet_logger

  class << self
    attr_accessor :logger

    def warn(message)
      Puppet_logger.warn(message)
    end

    def debug(message)
      Puppet_logger.debug(message)
    end

    def version
      '3.10.0'
    end
  end

  # The content of hiera.yaml, with its keys as written there.
  module Config
    class << self
      attr_writer :pupc_config

      def [](key)
        (@pupc_config || {})[key]
      end

      def include?(key)
        (@pupc_config || {}).include?(key)
      end
    end
  end

  module Util
    module_function

    def posix?
      true
    end

    def microsoft_windows?
      false
    end

    def config_dir
      '/etc/puppet'
    end

    def code_dir
      '/etc/puppet'
    end

    def var_dir
      File.join(code_dir, 'environments', '%{environment}', 'hieradata')
    end

    # Splits a dotted key into its parts. Dots inside quotes do not split. The block makes the error for a malformed key.
    def split_key(key)
      parts = key.scan(/\G(?:\A|\.)(?:"([^"]+)"|'([^']+)'|([^'".]+))/).map(&:compact).flatten
      length = parts.sum(&:length) + parts.size - 1 + 2 * key.scan(/"[^"]+"|'[^']+'/).size
      raise yield('Syntax error') if parts.empty? || length != key.length

      parts
    end
  end

  # The scope as Hiera 3 shows it to backends: an empty text counts as nil.
  class Scope
    attr_reader :real

    CALLING_KEYS = %w[calling_class calling_class_path calling_module].freeze

    def initialize(real)
      @real = real
    end

    def [](key)
      value = case key
              when 'calling_class' then calling_class
              when 'calling_class_path' then calling_class.gsub('::', '/')
              else variable(key == 'calling_module' ? 'module_name' : key)
              end
      value == '' ? nil : value
    end

    def exist?(key)
      CALLING_KEYS.include?(key) || @real.exist?(key)
    end

    def include?(key)
      CALLING_KEYS.include?(key) || @real.include?(key)
    end

    %i[catalog resource compiler call_function].each do |name|
      define_method(name) { |*args, &block| @real.public_send(name, *args, &block) }
    end

    private

    def calling_class
      PupcWorker.calling_class
    end

    def variable(name)
      reason = catch(:undefined_variable) { return @real.lookupvar(name) }
      raise ArgumentError, "Undefined variable '#{name}'; #{reason}" if Puppet[:strict] == :error

      nil
    end
  end

  class RecursiveGuard
    def initialize
      @seen = []
    end

    def check(name)
      raise InterpolationLoop, "Lookup recursion detected in [#{@seen.join(', ')}]" if @seen.include?(name)

      @seen.push(name)
      result = yield
      @seen.pop
      result
    end
  end

  # Hiera's cache of files. It reads a file again when the file changes.
  class Filecache
    def initialize
      @files = {}
    end

    def read(path, expected = Object, default = nil, &block)
      read_file(path, expected, &block)
    rescue TypeError => e
      Hiera.debug("#{e.message}, setting defaults")
      @files[path][:data] = default
    rescue StandardError => e
      raise if default.nil?

      Hiera.debug("Reading data from #{path} failed: #{e.class}: #{e}")
      @files[path][:data] = default
    end

    def read_file(path, expected = Object)
      stat = File.stat(path)
      state = [stat.ino, stat.mtime, stat.size]
      entry = @files[path] ||= {}
      if entry[:state] != state
        entry[:state] = state
        text = File.read(path, encoding: 'BOM|UTF-8')
        entry[:data] = block_given? ? yield(text) : text
        raise TypeError, "Data retrieved from #{path} is #{entry[:data].class} not #{expected}" unless entry[:data].is_a?(expected)
      end
      entry[:data]
    end
  end

  # Replaces %{...} in the data of a backend.
  module Interpolate
    PLACE = /%\{([^\}]*)\}/.freeze
    EMPTY = ['', '::', '""', "''", '"::"', "'::'"].freeze
    METHODS = %w[hiera scope literal alias].freeze

    class << self
      def interpolate(data, scope, extra_data, context)
        return data unless data.is_a?(String)

        context = context.nil? ? {} : context.clone
        context[:recurse_guard] ||= RecursiveGuard.new
        data.gsub(PLACE) do |place|
          value, method = replace(place, scope, extra_data, context)
          if method == 'alias' && !value.is_a?(String)
            return value if data.match?(/\A%\{[^\}]*\}\z/)

            raise InterpolationInvalidValue, 'Cannot call alias in the string context'
          end
          value
        end
      end

      private

      def replace(data, scope, extra_data, context)
        return [data, nil] unless data.is_a?(String) && (found = data.match(PLACE))

        expression = found[1]
        return ['', nil] if EMPTY.include?(expression.strip)

        context[:recurse_guard].check(expression) do
          method, key = method_and_key(expression)
          value = case method
                  when 'literal' then return [key, method]
                  when 'scope' then of_scope(data, key, scope, extra_data)
                  else PupcWorker.lookup_global(key, context[:order_override])
                  end
          [replace(value, scope, extra_data, context)[0], method]
        end
      end

      def method_and_key(expression)
        return ['scope', expression] unless (call = expression.match(/\A(\w+)\(([^)]*)\)\z/))

        raise InterpolationInvalidValue, "Invalid interpolation method '#{call[1]}'" unless METHODS.include?(call[1])

        argument = call[2].match(QUOTED_KEY)
        raise InterpolationInvalidValue, "Argument to interpolation method '#{call[1]}' must be quoted, got '#{call[2]}'" unless argument

        [call[1], argument[1] || argument[2]]
      end

      def of_scope(data, key, scope, extra_data)
        segments = Util.split_key(key) { |problem| InterpolationInvalidValue.new("#{problem} in interpolation expression: #{data}") }
        catch(:no_such_key) { return Backend.qualified_lookup(segments, scope, key) }
        catch(:no_such_key) { Backend.qualified_lookup(segments, extra_data, key) }
      end
    end
  end

  module Backend
    # Wraps a backend of Hiera 1, whose lookup has four parameters and returns nil for "not found".
    class Backend1xWrapper
      def initialize(backend)
        @backend = backend
      end

      def lookup(key, scope, order_override, resolution_type, _context)
        value = @backend.lookup(key, scope, order_override, resolution_type.is_a?(Hash) ? :hash : resolution_type)
        throw :no_such_key if value.nil?

        value
      end
    end

    class << self
      def datadir(backend, scope)
        settings = Config[backend.to_sym]
        directory = settings && settings[:datadir] || Util.var_dir
        raise InvalidConfigurationError, "datadir for #{backend} cannot be an array" unless directory.is_a?(String)

        parse_string(directory, scope)
      end

      def datafile(backend, scope, source, extension)
        datafile_in(datadir(backend, scope), source, extension)
      end

      def datafile_in(directory, source, extension)
        file = File.join(directory, "#{source}.#{extension}")
        return file if File.exist?(file)

        Hiera.debug("Cannot find datafile #{file}, skipping")
        nil
      end

      # Yields `override`, if given, and then the interpolated entries of the hierarchy.
      def datasources(scope, override = nil, hierarchy = nil)
        sources = [hierarchy || (Config.include?(:hierarchy) ? Config[:hierarchy] : 'common')].flatten
        sources.unshift(override) if override
        sources.flatten.map do |source|
          source = parse_string(source, scope)
          if source == '' || source.match?(%r{\A/|//|/\z})
            Hiera.debug("Ignoring bad definition in :hierarchy: '#{source}'")
          else
            yield source
          end
        end
      end

      def datasourcefiles(backend, scope, extension, override = nil, hierarchy = nil)
        directory = datadir(backend, scope)
        datasources(scope, override, hierarchy) do |source|
          Hiera.debug("Looking for data source #{source}")
          file = datafile_in(directory, source, extension)
          yield source, file if file
        end
      end

      def parse_string(data, scope, extra_data = {}, context = { recurse_guard: nil, order_override: nil })
        Interpolate.interpolate(data, scope, extra_data, context)
      end

      def parse_answer(data, scope, extra_data = {}, context = { recurse_guard: nil, order_override: nil })
        case data
        when Numeric, true, false then data
        when String then parse_string(data, scope, extra_data, context)
        when Hash then data.to_h { |k, v| [parse_string(k, scope, extra_data, context), parse_answer(v, scope, extra_data, context)] }
        when Array then data.map { |v| parse_answer(v, scope, extra_data, context) }
        end
      end

      def resolve_answer(answer, resolution_type)
        resolution_type == :array ? [answer].flatten.uniq.compact : answer
      end

      def merge_answer(left, right, resolution_type = nil)
        options = resolution_type.is_a?(Hash) ? resolution_type.dup : (Config[:deep_merge_options] || {}).merge(behavior: Config[:merge_behavior])
        behavior = options.delete(:behavior).to_s
        return left.merge(right) unless %w[deep deeper].include?(behavior)

        begin
          require 'deep_merge/rails_compat'
        rescue LoadError
          raise Error, "Must have 'deep_merge' gem installed for the configured merge_behavior."
        end
        behavior == 'deeper' ? left.deeper_merge!(right, options) : left.deeper_merge(right, options)
      end

      def lookup(key, default, _scope, order_override, _resolution_type, _context = {})
        catch(:no_such_key) { return PupcWorker.lookup_global(key, order_override) }
        default
      end

      def qualified_lookup(segments, value, full_key = nil)
        of = full_key.nil? ? '' : " from key '#{full_key}'"
        segments.each do |segment|
          throw :no_such_key if value.nil?
          if segment.match?(/\A[0-9]+\z/)
            segment = segment.to_i
            raise Exception, "Hiera type mismatch: Got #{value.class.name} when Array was expected to access value using '#{segment}'#{of}" unless value.instance_of?(Array)

            throw :no_such_key unless segment < value.size
          else
            unless value.respond_to?(:[]) && !value.instance_of?(Array) && !value.instance_of?(String)
              raise Exception, "Hiera type mismatch: Got #{value.class.name} when a hash-like object was expected to access value using '#{segment}'#{of}"
            end
            throw :no_such_key unless value.include?(segment)
          end
          value = value[segment]
        end
        value
      end
    end
  end
end

module PupcWorker
  # On the wire, a Symbol is a text that begins with this mark.
  SYMBOL = "\u0001"

  class << self
    attr_reader :calling_class

    # Looks a key up in Hiera's global layer and returns its value. Throws :no_such_key.
    def lookup_global(key, override)
      found, value = callback(:lookup_global, current_scope.pupc_frame, key, override)
      throw :no_such_key unless found

      value
    end

    # Asks a backend for a key. Returns [0, value], [1] when it has no such key, [2, reason] when it cannot be loaded,
    # or [3, value] when the value has symbols, marked as in the configuration.
    def backend_lookup(name, key, config, override, resolution, version3, calling_class)
      @calling_class = calling_class
      Hiera::Config.pupc_config = with_symbols(config)
      begin
        backend = backend_instance(name)
      rescue LoadError => e
        return [2, "Unable to load backend '#{name}': #{e.message}"]
      rescue NameError => e
        return [2, "Unable to instantiate backend '#{name}': #{e.message}"]
      end
      scope = version3 ? Hiera::Scope.new(current_scope) : current_scope
      value = looking_up(true) { backend.lookup(key, scope, override, with_symbols(resolution), { recurse_guard: nil }) }
      symbols?(value) ? [3, without_symbols(value)] : [0, value]
    rescue NotFound
      [1]
    end

    private

    # The backend's object. Each compile has its own, because a backend may cache data.
    def backend_instance(name)
      (compile_state[:backends] ||= {})[name] ||= begin
        require "hiera/backend/#{name.downcase}_backend"
        backend = Hiera::Backend.const_get("#{name.capitalize}_backend").new
        backend.method(:lookup).arity == 4 ? Hiera::Backend::Backend1xWrapper.new(backend) : backend
      end
    end

    def symbols?(value)
      case value
      when Symbol then value != :undef && value != :default
      when Array then value.any? { |v| symbols?(v) }
      when Hash then value.any? { |k, v| symbols?(k) || symbols?(v) }
      end
    end

    def without_symbols(value)
      case value
      when Symbol then SYMBOL + value.to_s
      when Array then value.map { |v| without_symbols(v) }
      when Hash then value.to_h { |k, v| [without_symbols(k), without_symbols(v)] }
      else value
      end
    end

    def with_symbols(value)
      case value
      when String then value.start_with?(SYMBOL) ? value[1..].to_sym : value
      when Array then value.map { |v| with_symbols(v) }
      when Hash then value.to_h { |k, v| [with_symbols(k), with_symbols(v)] }
      else value
      end
    end
  end
end
