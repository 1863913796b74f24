# Values and types of the language as Ruby objects. Types are text: what is asked of them is asked of pupc.
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
      class PAnyType
        attr_reader :pupc_text

        def initialize(text = 'Any')
          @pupc_text = text.to_s
        end

        def marshal_load(data)
          @pupc_text = data[0]
        end

        def marshal_dump
          [to_s]
        end

        def to_s
          @pupc_text
        end
        alias to_alias_expanded_s to_s

        def inspect
          to_s
        end

        def name
          @pupc_text[/\A[^\[]+/]
        end
        alias simple_name name

        def instance?(value, _guard = nil)
          PupcWorker.callback(:instance, to_s, value)
        end

        def ===(value)
          instance?(value)
        end

        def assignable?(other, _guard = nil)
          PupcWorker.callback(:assignable, to_s, other.to_s)
        end

        def generalize
          PAnyType.new(PupcWorker.callback(:generalize, to_s))
        end

        def new_function
          text = to_s
          NewFunction.new(text)
        end

        NewFunction = Struct.new(:text) do
          def call(_scope = nil, *args)
            PupcWorker.callback(:new, text, args)
          end
        end

        def create(*args)
          PupcWorker.callback(:new, to_s, args)
        end

        def ==(other)
          other.is_a?(PAnyType) && other.to_s == to_s
        end
        alias eql? ==

        def hash
          to_s.hash
        end
      end

      class PTypeType < PAnyType
        def type
          PAnyType.new(to_s[/\AType\[(.*)\]\z/m, 1] || 'Any')
        end
      end

      class PCatalogEntryType < PAnyType; end

      class PResourceType < PCatalogEntryType
        attr_reader :type_name, :title

        def initialize(type_name = nil, title = nil)
          @type_name = type_name
          @title = title
          super(type_name ? (title ? "#{type_name}['#{title}']" : type_name.to_s) : 'Resource')
        end

        def marshal_load(data)
          @pupc_text, @type_name, @title = data
        end

        def downcased_name
          type_name&.downcase
        end
      end

      class PClassType < PCatalogEntryType
        attr_reader :class_name

        def initialize(class_name = nil)
          @class_name = class_name
          super(class_name ? "Class['#{class_name}']" : 'Class')
        end

        def marshal_load(data)
          @pupc_text, @class_name = data
        end
      end

      # The unparameterised types by the reference's class names.
      %w[Array Hash String Integer Float Numeric Boolean Undef Default Scalar ScalarData Data RichData Collection Tuple Struct Variant Optional NotUndef
         Enum Pattern Regexp Callable Iterable Iterator SemVer SemVerRange Timestamp Timespan Runtime Init].each do |name|
        next if const_defined?(:"P#{name}Type", false)

        type = const_set(:"P#{name}Type", Class.new(PAnyType) { define_method(:initialize) { |text = name| super(text) } })
        type.const_set(:DEFAULT, type.new)
      end
      PAnyType::DEFAULT = PAnyType.new('Any')
      PURIType = Class.new(PAnyType)
      PTypeAliasType = Class.new(PAnyType)
      PObjectType = Class.new(PAnyType)

      class PSensitiveType < PAnyType
        class Sensitive
          def initialize(value)
            @value = value
          end

          def marshal_load(data)
            @value = data[0]
          end

          def marshal_dump
            [@value]
          end

          def unwrap
            @value
          end

          def to_s
            'Sensitive [value redacted]'
          end

          def inspect
            "#<#{self}>"
          end

          def hash
            @value.hash
          end

          def ==(other)
            other.is_a?(Sensitive) && other.hash == hash
          end
          alias eql? ==
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

      class PDeferredType < PAnyType
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

      class TypeParser
        def self.singleton
          @singleton ||= new
        end

        # Raises Puppet::ParseError when the text is no type.
        def parse(text, _loader = nil)
          PupcWorker.callback(:parse_type, text)
        end
        alias interpret parse
      end

      class TypeCalculator
        def self.singleton
          @singleton ||= new
        end

        def self.infer(value)
          PupcWorker.callback(:infer, value, false)
        end

        def self.infer_set(value)
          PupcWorker.callback(:infer, value, true)
        end

        def self.instance?(type, value)
          type.instance?(value)
        end

        def self.assignable?(left, right)
          left.assignable?(right)
        end

        def self.generalize(type)
          type.generalize
        end

        %i[infer infer_set instance? assignable? generalize].each { |m| define_method(m) { |*args| self.class.public_send(m, *args) } }
        def string(value)
          value.to_s
        end
      end

      class TypeMismatchDescriber
        def self.describe_mismatch(name, expected, actual)
          PupcWorker.callback(:describe_mismatch, name, expected.to_s, actual.to_s)
        end

        def self.singleton
          self
        end
      end

      class TypeAsserter
        def self.assert_instance_of(subject, type, value, nil_ok = false)
          return value if (value.nil? && nil_ok) || type.instance?(value)

          subject = subject.is_a?(Array) ? subject[0] % subject[1..] : subject
          raise Puppet::Error, PupcWorker.callback(:describe_value_mismatch, "#{subject} has wrong type,", type.to_s, value)
        end
      end

      class StringConverter
        def self.singleton
          @singleton ||= new
        end

        def self.convert(value, *formats)
          PupcWorker.callback(:new, 'String', [value, *formats])
        end

        def convert(value, *formats)
          self.class.convert(value, *formats)
        end
      end

      module TypeFactory
        module_function

        def text(type)
          type.is_a?(PAnyType) ? type.to_s : PupcWorker.callback(:infer, type, true).to_s
        end

        def parse(text)
          TypeParser.singleton.parse(text)
        end

        { any: 'Any', string: 'String', integer: 'Integer', float: 'Float', numeric: 'Numeric', boolean: 'Boolean', undef: 'Undef', scalar: 'Scalar',
          data: 'Data', rich_data: 'RichData', default: 'Default', collection: 'Collection', regexp: 'Regexp', binary: 'Binary', callable: 'Callable',
          sensitive: 'Sensitive', timestamp: 'Timestamp', timespan: 'Timespan', catalog_entry: 'CatalogEntry', array_of_any: 'Array', hash_of_any: 'Hash' }
          .each { |name, type| define_method(name) { |*_| PAnyType.new(type) } }
        module_function(*%i[any string integer float numeric boolean undef scalar data rich_data default collection regexp binary callable sensitive
                            timestamp timespan catalog_entry array_of_any hash_of_any])

        def array_of(type, _size = nil)
          parse("Array[#{text(type)}]")
        end

        def hash_of(value, key = scalar, _size = nil)
          parse("Hash[#{text(key)}, #{text(value)}]")
        end

        def optional(type = nil)
          parse("Optional[#{text(type || any)}]")
        end

        def variant(*types)
          parse("Variant[#{types.map { |t| text(t) }.join(', ')}]")
        end

        def enum(*values)
          parse("Enum[#{values.map { |v| "'#{v}'" }.join(', ')}]")
        end

        def tuple(types, _size = nil)
          parse("Tuple[#{types.map { |t| text(t) }.join(', ')}]")
        end

        def range(from, to)
          parse("Integer[#{from}, #{to}]")
        end

        def resource(type = nil, title = nil)
          PResourceType.new(type&.to_s&.split('::')&.map(&:capitalize)&.join('::'), title)
        end

        def host_class(name = nil)
          PClassType.new(name)
        end
      end
    end

    module Time
      NSECS_PER_SEC = 1_000_000_000

      class TimeData < Numeric
        include Comparable
        attr_reader :nsecs

        def initialize(nsecs)
          super()
          @nsecs = nsecs
        end

        def marshal_load(data)
          @nsecs, @text = data
        end

        def <=>(other)
          other.is_a?(self.class) ? nsecs <=> other.nsecs : to_f <=> other
        end

        def to_f
          nsecs / NSECS_PER_SEC.to_f
        end

        def to_i
          nsecs / NSECS_PER_SEC
        end
        alias to_int to_i

        def to_s
          @text || PupcWorker.callback(:to_text, self)
        end
        alias inspect to_s

        def eql?(other)
          other.class == self.class && other.nsecs == nsecs
        end

        def hash
          nsecs.hash
        end
      end

      class Timestamp < TimeData
        def self.now
          t = ::Time.now
          new(t.to_i * NSECS_PER_SEC + t.nsec)
        end

        def self.from_time(time)
          new(time.to_i * NSECS_PER_SEC + time.nsec)
        end

        def to_time
          ::Time.at(nsecs / NSECS_PER_SEC, nsecs % NSECS_PER_SEC, :nsec).utc
        end

        def strftime(format)
          to_time.strftime(format)
        end
        alias format strftime

        def +(other)
          Timestamp.new(nsecs + Timespan.nsecs_of(other))
        end

        def -(other)
          other.is_a?(Timestamp) ? Timespan.new(nsecs - other.nsecs) : Timestamp.new(nsecs - Timespan.nsecs_of(other))
        end
      end

      class Timespan < TimeData
        def self.nsecs_of(value)
          value.is_a?(Timespan) ? value.nsecs : (value * NSECS_PER_SEC).to_i
        end

        def +(other)
          other.is_a?(Timestamp) ? other + self : Timespan.new(nsecs + Timespan.nsecs_of(other))
        end

        def -(other)
          Timespan.new(nsecs - Timespan.nsecs_of(other))
        end

        def -@
          Timespan.new(-nsecs)
        end

        def days
          nsecs.abs / (86_400 * NSECS_PER_SEC)
        end
      end
    end

    module Lookup
      # What a function of a hiera.yaml gets as its last parameter: pupc keeps its cache and answers.
      class Context < PupcWorker::Handle
        %i[not_found explain interpolate cache cache_all cache_has_key cached_value cached_entries cached_file_data].each do |name|
          define_method(name) do |*args, &block|
            number = block && PupcWorker.store_block(block)
            begin
              PupcWorker.callback(:native, pupc_number, name.to_s, args, number, block && PupcWorker.block_arity(block)[1])
            ensure
              PupcWorker.blocks.delete(number) if number
            end
          end
        end

        def environment_name
          PupcWorker.callback(:member, pupc_number, 'environment_name')[1].to_sym
        end

        def module_name
          PupcWorker.callback(:member, pupc_number, 'module_name')[1]
        end
      end
    end

    module Issues; end
    module Loaders; end
    module Serialization; end
  end

  Deferred = Pops::Types::PDeferredType::Deferred
end

# Semantic versions.
module SemanticPuppet
  class Version
    include Comparable
    class ValidationFailure < ArgumentError; end
    REGEX = /\A(\d+)\.(\d+)\.(\d+)(?:-([0-9A-Za-z.-]+))?(?:\+([0-9A-Za-z.-]+))?\z/.freeze
    attr_reader :major, :minor, :patch

    def self.parse(text)
      m = REGEX.match(text.to_s) or raise ValidationFailure, "Unable to parse '#{text}' as a semantic version identifier"
      new(m[1].to_i, m[2].to_i, m[3].to_i, m[4], m[5])
    end

    def self.valid?(text)
      REGEX.match?(text.to_s)
    end

    def initialize(major, minor, patch, prerelease = nil, build = nil)
      @major = major
      @minor = minor
      @patch = patch
      @prerelease = prerelease
      @build = build
    end

    def marshal_load(data)
      m = REGEX.match(data[0])
      initialize(m[1].to_i, m[2].to_i, m[3].to_i, m[4], m[5])
    end

    attr_reader :prerelease, :build

    def to_s
      "#{major}.#{minor}.#{patch}#{"-#{prerelease}" if prerelease}#{"+#{build}" if build}"
    end
    alias inspect to_s

    def <=>(other)
      return nil unless other.is_a?(Version)

      order = [major, minor, patch] <=> [other.major, other.minor, other.patch]
      return order unless order.zero?
      return 0 if prerelease == other.prerelease
      return 1 if prerelease.nil?
      return -1 if other.prerelease.nil?

      compare_prerelease(other)
    end

    def compare_prerelease(other)
      mine = prerelease.split('.')
      theirs = other.prerelease.split('.')
      mine.zip(theirs).each do |a, b|
        return 1 if b.nil?

        numbers = [a, b].map { |x| x.match?(/\A\d+\z/) }
        order = if numbers.all? then a.to_i <=> b.to_i
                elsif numbers.none? then a <=> b
                else numbers[0] ? -1 : 1
                end
        return order unless order.zero?
      end
      mine.size <=> theirs.size
    end

    def eql?(other)
      other.is_a?(Version) && to_s == other.to_s
    end

    def hash
      to_s.hash
    end
  end

  class VersionRange
    def self.parse(text)
      new(text)
    end

    def initialize(text)
      @text = text
    end

    def marshal_load(data)
      @text = data[0]
    end

    def to_s
      @text
    end
    alias inspect to_s

    def include?(version)
      PupcWorker.callback(:instance, "SemVer['#{@text}']", version)
    end
    alias === include?
    alias cover? include?
  end
end
SemVer = SemanticPuppet::Version unless defined?(SemVer)

class PuppetURI
  def marshal_load(data)
    @text = data[0]
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
