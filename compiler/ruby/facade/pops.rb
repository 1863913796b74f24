# Values of the language as Ruby objects (types: type_classes.rb).
module Puppet
  module Pops
    MIN_INTEGER = PupcWorker::MIN_INTEGER
    MAX_INTEGER = PupcWorker::MAX_INTEGER

    # The running calls of Puppet code, the innermost first.
    module PuppetStack
      module_function

      def stacktrace
        PupcWorker.callback(:stacktrace)
      end

      def top_of_stack
        stacktrace.first || []
      end
    end

    module Evaluator
      class PuppetStopIteration < StopIteration
        include PupcWorker::Jump
        def initialize(message = 'break() from context where this is illegal')
          super
        end
      end

      class PuppetProc < Proc; end

      class Runtime3FunctionArgumentConverter
        def self.map_args(args, _scope, undef_value)
          args.map { |a| PupcWorker.argument_3x(a, undef_value) }
        end

        def self.convert(value, _scope, undef_value)
          PupcWorker.argument_3x(value, undef_value)
        end

        def self.convert_return(value)
          PupcWorker.convert_return(value)
        end
      end
    end

    module Types
      class TypedModelObject; end
      class PAnyType < TypedModelObject; end
      class PTypeWithContainedType < PAnyType; end

      class PSensitiveType < PTypeWithContainedType
        class Sensitive
          include PupcSensitive

          def marshal_load(data)
            @value = data[0]
          end

          def marshal_dump
            [@value]
          end
        end
      end

      class PBinaryType < PAnyType
        class Binary
          attr_reader :binary_buffer

          def initialize(bytes)
            @binary_buffer = bytes.dup.force_encoding(Encoding::ASCII_8BIT).freeze
          end

          def marshal_load(data)
            @binary_buffer = data[0].b.freeze
          end

          def self.from_base64(text)
            new(text.unpack1('m'))
          end

          def self.from_base64_strict(text)
            new(text.unpack1('m0'))
          end

          def self.from_binary_string(bytes)
            new(bytes)
          end

          def self.from_string(text)
            new(text.encode('UTF-8'))
          end

          def to_s
            [@binary_buffer].pack('m0')
          end
          alias relaxed_to_s to_s

          def length
            @binary_buffer.length
          end

          def ==(other)
            other.is_a?(Binary) && other.binary_buffer == binary_buffer
          end
          alias eql? ==

          def hash
            @binary_buffer.hash
          end
        end
      end

      module PDeferredType
        class Deferred
          attr_reader :name, :arguments

          def initialize(name, arguments = [])
            @name = name
            @arguments = arguments
          end

          def marshal_load(data)
            @name, @arguments = data
          end
        end
      end
    end

    module Adapters
      # The store that a function with a cache_param gets: a hash for each object.
      class ObjectIdCacheAdapter
        attr_accessor :cache

        def initialize
          @cache = {}
        end

        def retrieve(object)
          @cache[object.__id__] ||= {}
        end
      end
    end

    module Time
      NSECS_PER_SEC = 1_000_000_000

      # Nanoseconds that count as seconds among other numbers.
      class TimeData < Numeric
        attr_reader :nsecs

        def initialize(nsecs)
          super()
          @nsecs = nsecs
        end

        def marshal_load(data)
          @nsecs, @text = data
        end

        def <=>(other)
          case other
          when self.class then nsecs <=> other.nsecs
          when Integer then to_int <=> other
          when Float then to_f <=> other
          end
        end

        def to_f
          nsecs.fdiv(NSECS_PER_SEC)
        end

        def to_int
          nsecs / NSECS_PER_SEC
        end
        alias to_i to_int

        def to_c
          to_f.to_c
        end

        def to_r
          Rational(nsecs, NSECS_PER_SEC)
        end

        def to_s
          @text || PupcWorker.callback(:to_text, self)
        end
        alias inspect to_s

        def encode_with(coder)
          coder['nsecs'] = nsecs
        end

        # strftime has Puppet's formats, which differ from Ruby's.
        def format(format, *timezone)
          PupcWorker.call_by_name(PupcWorker.current_scope, 'strftime', [self, format, *timezone])
        end

        def eql?(other)
          other.class == self.class && other.nsecs == nsecs
        end

        def hash
          nsecs.hash
        end

        undef_method :phase, :polar, :rect, :rectangular

        def self.parse(text, *format)
          PupcWorker.callback(:new_instance, name[/\w+\z/], [text, *format])
        end

        def self.a(value)
          name = value.class.name[/\w+\z/]
          "#{name.match?(/\A[AEIOU]/i) ? 'an' : 'a'} #{name}"
        end
      end

      class Timestamp < TimeData
        def self.now
          from_time(::Time.now)
        end

        def self.from_time(time)
          new(time.to_i * NSECS_PER_SEC + time.nsec)
        end

        def to_time
          ::Time.at(nsecs / NSECS_PER_SEC, nsecs % NSECS_PER_SEC, :nsec).utc
        end

        def +(other)
          case other
          when Timespan then Timestamp.new(nsecs + other.nsecs)
          when Integer, Float then Timestamp.new(nsecs + (other * NSECS_PER_SEC).to_i)
          else raise ArgumentError, "#{TimeData.a(other).sub(/./, &:upcase)} cannot be added to a Timestamp"
          end
        end

        def -(other)
          case other
          when Timestamp then Timespan.new(nsecs - other.nsecs)
          when Timespan then Timestamp.new(nsecs - other.nsecs)
          when Integer, Float then Timestamp.new(nsecs - (other * NSECS_PER_SEC).to_i)
          else raise ArgumentError, "#{TimeData.a(other).sub(/./, &:upcase)} cannot be subtracted from a Timestamp"
          end
        end
      end

      class Timespan < TimeData
        UNITS = { nanoseconds: 1, microseconds: 1000, milliseconds: 1_000_000, seconds: NSECS_PER_SEC, minutes: 60 * NSECS_PER_SEC,
                  hours: 3600 * NSECS_PER_SEC, days: 86_400 * NSECS_PER_SEC }.freeze

        def self.from_fields(negative, days, hours, minutes, seconds, milliseconds = 0, microseconds = 0, nanoseconds = 0)
          given = { days: days, hours: hours, minutes: minutes, seconds: seconds, milliseconds: milliseconds, microseconds: microseconds, nanoseconds: nanoseconds }
          sum = given.sum { |unit, n| n * UNITS[unit] }
          new(negative ? -sum : sum)
        end

        def self.from_hash(hash)
          return parse(*hash.values_at('string', 'format').compact) if hash.include?('string')

          from_fields(hash['negative'] || false, *%w[days hours minutes seconds milliseconds microseconds nanoseconds].map { |unit| hash[unit] || 0 })
        end

        UNITS.each { |unit, size| define_method(:"total_#{unit}") { nsecs.abs / size } }
        alias days total_days
        { hours: 24, minutes: 60, seconds: 60, milliseconds: 1000, nanoseconds: NSECS_PER_SEC }.each do |unit, most|
          define_method(unit) { public_send(:"total_#{unit}") % most }
        end

        def negative?
          nsecs.negative?
        end

        def +(other)
          case other
          when Timestamp then Timestamp.new(nsecs + other.nsecs)
          when Timespan then Timespan.new(nsecs + other.nsecs)
          when Integer, Float then Timespan.new(nsecs + (other * NSECS_PER_SEC).to_i)
          else raise ArgumentError, "#{TimeData.a(other).sub(/./, &:upcase)} cannot be added to a Timespan"
          end
        end

        def -(other)
          case other
          when Timespan then Timespan.new(nsecs - other.nsecs)
          when Integer, Float then Timespan.new(nsecs - (other * NSECS_PER_SEC).to_i)
          else raise ArgumentError, "#{TimeData.a(other).sub(/./, &:upcase)} cannot be subtracted from a Timespan"
          end
        end

        def -@
          Timespan.new(-nsecs)
        end

        def *(other)
          raise ArgumentError, "A Timestamp cannot be multiplied by #{TimeData.a(other)}" unless other.is_a?(Integer) || other.is_a?(Float)

          Timespan.new((nsecs * other).to_i)
        end

        def div(other)
          case other
          when Timespan then nsecs.fdiv(other.nsecs)
          when Integer, Float then Timespan.new(nsecs.div(other))
          else raise ArgumentError, "A Timespan cannot be divided by #{TimeData.a(other)}"
          end
        end
        alias / div

        def divmod(other)
          case other
          when Integer then to_i.divmod(other)
          when Float then to_f.divmod(other)
          else raise ArgumentError, "Can not do modulus on a Timespan using a #{TimeData.a(other)}"
          end
        end

        def modulo(other)
          divmod(other)[1]
        end
        alias % modulo

        # The fields that are not zero; `compact`: seconds and nanoseconds, with a sign.
        def to_hash(compact = false)
          rest = nanoseconds
          if compact
            sign = negative? ? -1 : 1
            return { 'seconds' => sign * total_seconds }.merge(rest.zero? ? {} : { 'nanoseconds' => sign * rest })
          end
          fields = { 'days' => days, 'hours' => hours, 'minutes' => minutes, 'seconds' => seconds, 'nanoseconds' => rest % 1000,
                     'microseconds' => rest / 1000 % 1000, 'milliseconds' => rest / 1_000_000 }.reject { |_, n| n.zero? }
          negative? ? fields.merge('negative' => true) : fields
        end
      end
    end

    module Lookup
      # The part of Puppet's class for hiera.yaml that functions of modules use.
      class HieraConfig
        # Turns keys that are symbols into texts, at any depth.
        def self.symkeys_to_string(data)
          case data
          when Hash then data.to_h { |k, v| [k.is_a?(Symbol) ? k.to_s : k, symkeys_to_string(v)] }
          when Array then data.map { |v| symkeys_to_string(v) }
          else data
          end
        end
      end

      # The lookup context: the last argument of a function that a hiera.yaml names. Its cache stays in this process until the context
      # reaches code that is not Ruby (pupc_share); from then on pupc keeps the cache.
      class Context < PupcWorker::Handle
        def marshal_load(data)
          super
          @kept = (PupcWorker.compile_state[:contexts] ||= {})[data[3]] ||= {}
          @shared = data[4]
        end

        def cache(key, value)
          pupc_keeps? ? native('cache', [key, value]) : @kept[key] = value
        end

        def cache_all(hash)
          return native('cache_all', [hash]) if pupc_keeps?

          @kept.merge!(hash)
          nil
        end

        def cache_has_key(key)
          pupc_keeps? ? native('cache_has_key', [key]) : @kept.include?(key)
        end

        def cached_value(key)
          pupc_keeps? ? native('cached_value', [key]) : @kept[key]
        end

        def cached_entries(&block)
          return native('cached_entries', [], &block) if pupc_keeps?
          return Types::Iterable.on(@kept) unless block

          block.arity == 2 ? @kept.each_pair { |key, value| yield(key, value) } : @kept.each_pair { |pair| yield(pair) }
          nil
        end

        def cached_file_data(path, &block)
          PupcWorker.file_data(path, &block)
        end

        def not_found
          throw :no_such_key
        end

        # Only asks the block for a text where the lookup is explained.
        def explain(&block)
          block ? native('explain', [], &block) : nil
        end

        # Replaces what is in %{...} in texts, at any depth. Anything else stays the object that it is.
        def interpolate(value)
          case value
          when String then value.include?('%{') ? native('interpolate', [value]) : value
          when Array then value.map { |v| interpolate(v) }
          when Hash then value.to_h { |k, v| [interpolate(k), interpolate(v)] }
          else value
          end
        end

        # Moves the cache to pupc. Called before the context goes to Puppet or native code, which only sees pupc's cache.
        def pupc_share
          return if @kept.frozen?

          native('cache_all', [@kept.dup]) unless @kept.empty?
          @kept.freeze
        end

        # Whether pupc keeps the cache: the context has been there, or code that ran there has put something into it.
        def pupc_keeps?
          pupc_share if @shared
          @kept.frozen?
        end
        private :pupc_keeps?

        def native(name, args, &block)
          number = block && PupcWorker.store_block(block)
          PupcWorker.callback(:native, pupc_number, name, args, number, block && PupcWorker.block_arity(block)[1])
        ensure
          PupcWorker.blocks.delete(number) if number
        end
        private :native

        # What code asks of the running lookup although it is not part of the API: the scope, and that nobody wants an explanation.
        Invocation = Struct.new(:scope, :explainer)

        def invocation
          @invocation ||= Invocation.new(PupcWorker.current_scope)
        end

        def environment_name
          PupcWorker.callback(:member, pupc_number, 'environment_name')[1].to_sym
        end

        def module_name
          PupcWorker.callback(:member, pupc_number, 'module_name')[1]
        end
      end
    end

    module Lookup
      # Who looks a key up, and with which values in place of variables.
      class Invocation
        attr_reader :scope, :override_values, :default_values

        def initialize(scope, override_values = {}, default_values = {}, _explainer = nil, _adapter_class = nil)
          @scope = scope
          @override_values = override_values
          @default_values = default_values
        end

        def emit_debug_info(*); end

        def with(*)
          yield
        end
      end

      module_function

      def lookup(name, value_type, default_value, has_default, merge, invocation, &block)
        options = { 'name' => name, 'override' => invocation.override_values || {}, 'default_values_hash' => invocation.default_values || {} }
        options['value_type'] = value_type if value_type
        options['default_value'] = default_value if has_default
        options['merge'] = merge if merge
        PupcWorker.call_by_name(invocation.scope, 'lookup', [options], &block)
      end

      # The value, or throws :no_such_key.
      def search_and_merge(name, invocation, merge, _apl = true)
        none = "no value #{object_id}"
        found = lookup(name, nil, none, true, merge, invocation)
        found == none ? throw(:no_such_key) : found
      end
    end

    module Parser
      # Evaluates text of the Puppet language.
      class EvaluatingParser
        Program = Struct.new(:text, :file)

        def self.singleton
          new
        end

        def evaluate_string(scope, text, _file = nil)
          PupcWorker.callback(:evaluate, scope.pupc_frame, text)
        end

        def parse_string(text, file = nil)
          PupcWorker.callback(:evaluate, nil, text)
          Program.new(text, file)
        end

        def parse_file(file)
          parse_string(File.read(file, encoding: 'UTF-8'), file)
        end

        def evaluate(scope, program)
          program && evaluate_string(scope, program.text)
        end
      end
    end

    module Issues; end
    class SemanticError < StandardError; end

    module Loaders
      module_function

      # Stands for every loader: it finds what this environment has.
      def find_loader(_module_name)
        PupcWorker.current_scope.compiler
      end

      def loaders
        PupcWorker.current_scope.compiler
      end
    end

    module Serialization
      # Converts values to plain data. With rich_data, a value that plain data cannot hold becomes a hash that describes it.
      class ToDataConverter
        def self.convert(value, options = {})
          new(options).convert(value)
        end

        def initialize(options = {})
          @rich_data = options.fetch(:rich_data, false)
          end

        def convert(value)
          require 'json'
          JSON.parse(PupcWorker.callback(:to_data, @rich_data ? value : plain(value)))
        end

        private

        # Without rich_data: a value that plain data cannot hold becomes its text.
        def plain(value)
          case value
          when nil, true, false, Integer, Float, String then value
          when Array then value.map { |v| plain(v) }
          when Hash then value.to_h { |k, v| [k.is_a?(String) || k.is_a?(Integer) ? k : k.to_s, plain(v)] }
          else value.to_s
          end
        end
      end
    end
  end

  Deferred = Pops::Types::PDeferredType::Deferred
end

# Semantic versions and ranges come from the compiler as text.
module SemanticPuppet
  class Version
    def marshal_load(data)
      read = Version.parse(data[0])
      initialize(read.major, read.minor, read.patch, read.__early, read.__build)
      freeze
    end
  end

  class VersionRange
    def marshal_load(data)
      initialize(data[0])
      freeze
    end
  end
end

# What the compiler knows of ranges.
module PupcCore
  def self.ruby
    raise ArgumentError, 'A range of versions is made by VersionRange.parse'
  end

  def self.range_text(text)
    text
  end

  def self.in_range(range, version)
    PupcWorker.callback(:instance, "SemVer['#{range}']", SemanticPuppet::Version.parse(version))
  end
end
SemVer = SemanticPuppet::Version unless defined?(SemVer)

class PuppetURI
  # Loads a URI value as Ruby's own URI, if Ruby can parse the text.
  def self._load(text)
    text = text.dup.force_encoding(Encoding::UTF_8)
    require 'uri'
    ::URI.parse(text)
  rescue ::URI::Error
    new(text)
  end

  def initialize(text)
    @text = text
  end

  def to_s
    @text
  end
  alias inspect to_s

  def ==(other)
    other.to_s == to_s
  end

  def method_missing(name, *args, &block)
    require 'uri'
    uri = ::URI.parse(@text)
    uri.respond_to?(name) ? uri.public_send(name, *args, &block) : super
  end

  def respond_to_missing?(name, all = false)
    require 'uri'
    ::URI.parse(@text).respond_to?(name, all) || super
  end
end
