# Puppet's types as Ruby code sees them: Puppet's classes with their members. A type that came from pupc is a number in pupc's table, and
# asks pupc for its members when code reads them. A type that Ruby code made has its members, and goes to pupc as text.
module PupcWorker
  # Raised for a Ruby object that no Puppet value can represent.
  class NoValue < Puppet::Error; end
end

module Puppet
  module Pops
    module Types
      # Raised by TypeAsserter.
      class TypeAssertionError < Puppet::Error
        attr_reader :expected_type, :actual_type

        def initialize(message, expected_type, actual_type)
          super(message)
          @expected_type = expected_type
          @actual_type = actual_type
        end
      end

      # The base class of all types. `members` has the parts of a type, in the order of the constructor's parameters.
      class PAnyType # rubocop:disable Metrics/ClassLength
        class << self
          # Defines readers for the members, in their order. Members without a name have none.
          def member(*names)
            @member_names = names
            names.each_with_index { |name, i| define_method(name) { members[i] } }
          end

          def member_names
            @member_names || (superclass.respond_to?(:member_names) ? superclass.member_names : [])
          end

          def simple_name
            name.split('::').last.delete_prefix('P').delete_suffix('Type')
          end

          def create(*args)
            args.empty? ? self::DEFAULT : new(*args)
          end
        end

        def initialize(*members)
          @members = members
        end

        def marshal_load(data)
          @text, @number = data
          @epoch = PupcWorker.epoch
        end

        # What YAML shows of the type: Puppet's instance variables.
        def encode_with(coder)
          self.class.member_names.each { |name| coder[name.to_s] = public_send(name) }
        end

        # The type's number in pupc's table; nil for a type that Ruby made, or that came in an earlier compile.
        def pupc_number
          @number if @number && @epoch == PupcWorker.epoch
        end

        def marshal_dump
          pupc_number ? [exact_text, pupc_number] : [exact_text]
        end

        def members
          @members ||= shape(PupcWorker.callback(:type_members, self))
        end

        def to_s
          @text ||= text_of(false)
        end

        # As `to_s`, but types of single texts, which print as String, keep their text.
        def exact_text
          @number ? @text : (@exact ||= text_of(true))
        end

        def to_alias_expanded_s
          PupcWorker.callback(:expanded_text, self)
        end

        def inspect
          to_s
        end

        def simple_name
          self.class.simple_name
        end
        alias name simple_name

        def instance?(value, _guard = nil)
          PupcWorker.callback(:instance, self, value)
        rescue PupcWorker::NoValue
          instance_of_ruby?(value)
        end

        def really_instance?(value, _guard = nil)
          instance?(value) ? 1 : -1
        end

        def assignable?(other, _guard = nil)
          raise Puppet::Error, 'wrong argument type (expected a Type)' if other.nil?

          other = TypeCalculator.singleton.type(other) if other.is_a?(Class)
          PupcWorker.callback(:assignable, self, other)
        end

        def callable?(args_type, _guard = nil)
          args_type.is_a?(PAnyType) && kind_of_callable? && args_type.callable_args?(self)
        end

        def callable_args?(_callable, _guard = nil)
          false
        end

        def generalize
          PupcWorker.callback(:type_generalize, self)
        end

        def normalize(_guard = nil)
          PupcWorker.callback(:type_normalize, self)
        end

        def resolve(_loader = nil)
          self
        end

        def loader
          nil
        end

        def check_self_recursion(_originator); end

        def kind_of_callable?(optional = true, _guard = nil)
          PupcWorker.callback(:type_callable, self, optional)
        end

        def iterable?(_guard = nil)
          PupcWorker.callback(:type_iterable, self)
        end

        def iterable_type(_guard = nil)
          return nil unless iterable?

          element = PupcWorker.callback(:type_iterable_element, self)
          element.nil? || element == PAnyType::DEFAULT ? PIterableType::DEFAULT : PIterableType.new(element)
        end

        def roundtrip_with_string?
          false
        end

        def new_function
          NewFunction.new(self)
        end

        NewFunction = Struct.new(:type) do
          def call(_scope = nil, *args)
            PupcWorker.callback(:new_instance, type, args)
          end
        end

        def create(*args)
          PupcWorker.callback(:new_instance, self, args)
        end

        def ==(other)
          eql?(other)
        end

        def eql?(other)
          other.class == self.class && (equal?(other) || (other.exact_text == exact_text && other.identity == identity))
        end

        def hash
          exact_text.hash
        end

        # A value that distinguishes types with the same text.
        def identity
          nil
        end

        private

        def instance_of_ruby?(_value)
          instance_of?(PAnyType)
        end

        # Converts pupc's list of the members into the members.
        def shape(list)
          list
        end

        def text_of(exact)
          parameters = text_parameters(exact)
          parameters.empty? ? simple_name : "#{simple_name}[#{parameters.join(', ')}]"
        end

        def text_parameters(_exact)
          []
        end

        def text(type, exact)
          exact ? type.exact_text : type.to_s
        end

        def range_text(range)
          from, to = range.numeric_from, range.numeric_to
          from = from == -Float::INFINITY ? 'default' : from.to_s
          to == Float::INFINITY ? [from] : [from, to.to_s]
        end

        def size_text(size)
          size.nil? ? [] : range_text(size)
        end

        def quote(string)
          "'#{string.gsub(/[\\']/) { |c| "\\#{c}" }}'"
        end
      end

      class PTypeWithContainedType < PAnyType
        member :type
        def initialize(type = nil)
          super
        end

        private

        def text_parameters(exact)
          return [] if type.nil?

          [type.is_a?(PStringType) && type.value ? quote(type.value) : text(type, exact)]
        end
      end

      class PTypeType < PTypeWithContainedType
        private

        def instance_of_ruby?(value)
          type.nil? && value.is_a?(Module)
        end
      end

      class PNotUndefType < PTypeWithContainedType
        def initialize(type = nil)
          super(type.is_a?(PAnyType) && type.instance_of?(PAnyType) ? nil : type)
        end

        private

        def instance_of_ruby?(_value)
          type.nil?
        end
      end

      class POptionalType < PTypeWithContainedType
        alias optional_type type
      end

      class PIterableType < PTypeWithContainedType
        alias element_type type

        private

        def instance_of_ruby?(value)
          type.nil? && (value.is_a?(Iterable) || value.is_a?(Enumerator))
        end
      end

      class PIteratorType < PTypeWithContainedType
        alias element_type type

        private

        def instance_of_ruby?(value)
          type.nil? && value.is_a?(Iterable)
        end
      end

      class PInitType < PTypeWithContainedType
        member :type, :init_args
        def initialize(type = nil, init_args = [])
          super(type)
          @members << init_args
        end

        private

        def text_parameters(exact)
          type.nil? ? [] : [text(type, exact), *init_args.map { |a| a.is_a?(String) ? quote(a) : a.to_s }]
        end
      end

      class PUndefType < PAnyType; end
      class PUnitType < PAnyType; end
      class PDefaultType < PAnyType; end
      class PCatalogEntryType < PAnyType; end
      class PBinaryType < PAnyType; end
      class PScalarType < PAnyType; end
      class PScalarDataType < PScalarType; end

      class PEnumType < PScalarDataType
        include Enumerable
        member :values, :case_insensitive
        alias case_insensitive? case_insensitive

        def initialize(values = [], case_insensitive = false)
          super(values.uniq.sort.freeze, case_insensitive)
        end

        def each(&block)
          block ? values.each(&block) : values.each
        end

        private

        def text_parameters(_exact)
          values.map { |v| quote(v) } + (case_insensitive ? ['true'] : [])
        end
      end

      class PNumericType < PScalarDataType
        def initialize(from = nil, to = nil)
          from = nil if from == :default || from == -Float::INFINITY
          to = nil if to == :default || to == Float::INFINITY
          raise ::ArgumentError, "'from' must be less or equal to 'to'. Got (#{from}, #{to}" if from && to && from > to

          super(from, to)
        end
        member :from, :to

        def encode_with(coder)
          coder['from'] = numeric_from
          coder['to'] = numeric_to
        end

        def numeric_from
          from || -Float::INFINITY
        end

        def numeric_to
          to || Float::INFINITY
        end

        def unbounded?
          from.nil? && to.nil?
        end

        def intersect?(other)
          other.instance_of?(self.class) && !(numeric_to < other.numeric_from || other.numeric_to < numeric_from)
        end

        def merge(other)
          return nil unless intersect?(other) || (respond_to?(:adjacent?) && adjacent?(other))

          self.class.new([numeric_from, other.numeric_from].min, [numeric_to, other.numeric_to].max)
        end

        private

        def shape(list)
          list.empty? ? [nil, nil] : list
        end

        def text_parameters(_exact)
          unbounded? ? [] : range_text(self)
        end
      end

      class PIntegerType < PNumericType
        def finite_range?
          !from.nil? && !to.nil?
        end

        def range
          [numeric_from, numeric_to]
        end

        def adjacent?(other)
          other.is_a?(PIntegerType) && (numeric_to + 1 == other.from || numeric_from == (other.numeric_to + 1))
        end

        def size
          finite_range? ? 1 + (to - from).abs : Float::INFINITY
        end

        def each(&block)
          iterator = Iterable.on(self)
          block && iterator ? iterator.each(&block) : iterator
        end

        def to_size
          numeric_from >= 0 ? self : PIntegerType.new(0, [numeric_to, 0].max)
        end
      end

      class PFloatType < PNumericType; end

      class PAbstractTimeDataType < PScalarType
        member :from, :to
        def initialize(from = nil, to = nil)
          super(*[from, to].map { |v| v == :default ? nil : v })
        end
        alias numeric_from from
        alias numeric_to to

        def unbounded?
          from.nil? && to.nil?
        end

        private

        def text_parameters(_exact)
          return [] if unbounded?

          [from ? quote(from.to_s) : 'default', *(quote(to.to_s) if to)]
        end
      end

      class PTimespanType < PAbstractTimeDataType; end
      class PTimestampType < PAbstractTimeDataType; end

      class PBooleanType < PScalarDataType
        member :value
        def initialize(value = nil)
          super
        end

        private

        def text_parameters(_exact)
          value.nil? ? [] : [value.to_s]
        end
      end

      class PStringType < PScalarDataType
        member :size_type_or_value
        def initialize(size_type_or_value = nil, more = [])
          size_type_or_value = more[0] unless more.empty?
          super(size_type_or_value.is_a?(PIntegerType) ? size_type_or_value.to_size : size_type_or_value)
        end

        def value
          size_type_or_value.is_a?(PIntegerType) ? nil : size_type_or_value
        end

        def size_type
          size_type_or_value.is_a?(PIntegerType) ? size_type_or_value : nil
        end

        def derived_size_type
          return PIntegerType.new(value.size, value.size) if value

          size_type || PCollectionType::DEFAULT_SIZE
        end

        def identity
          value
        end

        private

        def text_of(exact)
          exact && value ? "Enum[#{quote(value)}]" : super
        end

        def text_parameters(_exact)
          size_text(size_type)
        end
      end

      class PRegexpType < PScalarType
        member :pattern
        def initialize(pattern = nil)
          @regexp = pattern if pattern.is_a?(Regexp)
          super(pattern.is_a?(Regexp) ? self.class.regexp_to_s(pattern) : pattern)
        end

        def regexp
          @regexp ||= Regexp.new(pattern || '')
        end

        def self.regexp_to_s(regexp)
          append_flags_group(regexp.source, regexp.options)
        end

        def self.regexp_to_s_with_delimiters(regexp)
          regexp.options.zero? ? regexp.inspect : "/#{regexp}/"
        end

        def self.append_flags_group(source, options)
          return source if options.zero?

          flags = { 'i' => Regexp::IGNORECASE, 'm' => Regexp::MULTILINE, 'x' => Regexp::EXTENDED }
          on, off = flags.keys.partition { |f| options.anybits?(flags[f]) }
          "(?#{on.join}#{"-#{off.join}" unless off.empty?}:#{source})"
        end

        private

        def shape(list)
          @regexp = list[0]
          [@regexp && self.class.regexp_to_s(@regexp)]
        end

        def text_parameters(_exact)
          pattern.nil? ? [] : [self.class.regexp_to_s_with_delimiters(regexp)]
        end
      end

      class PPatternType < PScalarDataType
        member :patterns
        def initialize(patterns = [])
          super
        end

        private

        def shape(list)
          [list.map { |r| PRegexpType.new(r) }]
        end

        def text_parameters(_exact)
          patterns.map { |p| PRegexpType.regexp_to_s_with_delimiters(p.regexp) }
        end
      end

      class PSemVerType < PScalarType
        member :ranges
        def initialize(ranges = [])
          super(ranges.map { |r| r.is_a?(SemanticPuppet::VersionRange) ? r : SemanticPuppet::VersionRange.parse(r) })
        end

        private

        def text_parameters(_exact)
          ranges.map { |r| quote(r.to_s) }
        end
      end

      class PSemVerRangeType < PAnyType; end
    end
  end
end
