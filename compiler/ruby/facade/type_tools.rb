# Puppet's tools for working with types in Ruby: parser, calculator, factory, formatter, asserter, iterables.
module Puppet
  module Pops
    module Types
      class TypeParser
        def self.singleton
          @singleton ||= new
        end

        # Parses the text of a type. Raises Puppet::ParseError when it is none.
        def parse(text, _loader = nil)
          PupcWorker.callback(:parse_type, text)
        end
        alias interpret parse
      end

      class TypeFormatter
        def self.singleton
          @singleton ||= new
        end

        def self.string(type)
          singleton.string(type)
        end

        def string(type)
          type.is_a?(PAnyType) ? type.to_s : StringConverter.convert(type, '%p')
        end

        def alias_expanded_string(type)
          type.to_alias_expanded_s
        end

        def capitalize_segments(name)
          name.match?(/\A[A-Z]/) ? name : name.split('::').map(&:capitalize).join('::')
        end
      end

      class TypeCalculator
        OF_CLASSES = { 'Integer' => :PIntegerType, 'Float' => :PFloatType, 'Numeric' => :PNumericType, 'String' => :PStringType, 'Array' => :PArrayType,
                       'Hash' => :PHashType, 'Regexp' => :PRegexpType, 'NilClass' => :PUndefType, 'TrueClass' => :PBooleanType,
                       'FalseClass' => :PBooleanType, 'SemanticPuppet::Version' => :PSemVerType, 'Symbol' => :PRuntimeType }.freeze

        def self.singleton
          @singleton ||= new
        end

        def type(ruby_class)
          name = ruby_class.name
          return PRuntimeType.new(:ruby, name) if name == 'Symbol' || !OF_CLASSES.key?(name)
          return PArrayType.new(TypeFactory.data) if name == 'Array'
          return PHashType.new(PScalarType::DEFAULT, TypeFactory.data) if name == 'Hash'

          Types.const_get(OF_CLASSES[name])::DEFAULT
        end

        def infer(value)
          return PRuntimeType.new(:ruby, 'Symbol') if value.is_a?(Symbol) && value != :undef && value != :default

          PupcWorker.callback(:infer, value, false)
        rescue PupcWorker::NoValue
          value.is_a?(Module) ? PTypeType.new(PRuntimeType.new(:ruby, value.name)) : PRuntimeType.new(:ruby, value.class.name)
        end

        def infer_set(value)
          PupcWorker.callback(:infer, value, true)
        rescue PupcWorker::NoValue
          infer(value)
        end

        def infer_generic(value)
          infer(value).generalize
        end

        def instance?(type, value)
          type.instance?(value)
        end

        def assignable?(left, right)
          left = self.type(left) if left.is_a?(Class)
          left.assignable?(right)
        end

        def callable?(callable, args)
          callable.is_a?(PAnyType) && callable.callable?(args)
        end

        def generalize(type)
          type.nil? ? nil : type.generalize
        end

        def iterable(type)
          (type.is_a?(Class) ? self.type(type) : type).iterable_type
        end

        def equals(left, right)
          left == right
        end

        def common_type(left, right)
          PupcWorker.callback(:common_type, left, right)
        end

        def is_ptype?(type) # rubocop:disable Naming/PredicateName
          type.is_a?(PAnyType)
        end

        def string(value)
          value.to_s
        end

        def unwrap_single_variant(type)
          type.is_a?(PVariantType) && type.types.size == 1 ? type.types[0] : type
        end

        class << self
          %i[type infer infer_set infer_generic instance? assignable? callable? generalize iterable].each do |name|
            define_method(name) { |*args| singleton.public_send(name, *args) }
          end

          def is_kind_of_callable?(type, optional = true) # rubocop:disable Naming/PredicateName
            type.is_a?(PAnyType) && type.kind_of_callable?(optional)
          end
        end
      end

      class TypeMismatchDescriber
        def self.describe_mismatch(name, expected, actual, _tense = nil)
          PupcWorker.callback(:describe_mismatch, name, expected, actual)
        end

        def self.singleton
          self
        end

        def describe_mismatch(...)
          self.class.describe_mismatch(...)
        end
      end

      module TypeAsserter
        def self.assert_assignable(subject, expected, type, &block)
          report(subject, expected, type, 'is incorrect', &block) unless expected.assignable?(type)
          type
        end

        def self.assert_instance_of(subject, expected, value, nil_ok = false, &block)
          return value if (value.nil? && nil_ok) || expected.instance?(value)

          report(subject, expected, TypeCalculator.infer_set(value), 'has wrong type', &block)
        end

        def self.report(subject, expected, actual, what)
          subject = yield(subject) if block_given?
          subject = subject[0] % subject[1..] if subject.is_a?(Array)
          raise TypeAssertionError.new(TypeMismatchDescriber.describe_mismatch("#{subject} #{what},", expected, actual), expected, actual)
        end
        private_class_method :report
      end

      class StringConverter
        def self.singleton
          @singleton ||= new
        end

        def self.convert(value, *formats)
          PupcWorker.callback(:new_instance, 'String', [value, *formats])
        end

        def convert(value, *formats)
          self.class.convert(value, *formats)
        end
      end

      # Makes values iterable for Ruby code as they are in the Puppet language.
      module Iterable
        def self.asserted_iterable(caller, value, _infer_elements = false)
          on(value) or raise ::ArgumentError, "#{caller.class}(): wrong argument type (#{value.class}; is not Iterable."
        end

        def self.on(value, element_type = nil, _infer_elements = true)
          case value
          when Iterable then value
          when String then Iterator.new(PStringType.new(PIntegerType.new(1, 1)), value.each_char)
          when Array then Iterator.new(value.empty? ? PUnitType::DEFAULT : element_type, value.each)
          when Hash then HashIterator.new(value.empty? ? PHashType::DEFAULT_KEY_PAIR_TUPLE : element_type, value.each_pair)
          when Integer then value.zero? ? Iterator.new(PUnitType::DEFAULT, value.times) : of_range(0, value - 1)
          when PIntegerType then value.finite_range? ? of_range(value.from, value.to) : nil
          when PEnumType then Iterator.new(value, value.values.each)
          when PTypeAliasType then on(value.resolved_type)
          when Range
            first, last = value.minmax
            first.is_a?(Integer) ? of_range(first, last) : Iterator.new(PStringType.new(PIntegerType.new(*[first.size, last.size].minmax)), value.each)
          end
        end

        def self.of_range(from, to)
          from <= to ? Iterator.new(PIntegerType.new(from, to), (from..to).each) : nil
        end
        private_class_method :of_range

        def self.unbounded?(value)
          value.is_a?(Iterable) ? value.unbounded? : false
        end

        def hash_style?
          false
        end

        def unbounded?
          false
        end
      end

      class Iterator
        include Enumerable
        include Iterable
        attr_reader :element_type

        def initialize(element_type, enumeration)
          @element_type = element_type || PAnyType::DEFAULT
          @enumeration = enumeration
        end

        def each(&block)
          return self unless block

          @enumeration.each(&block)
          self
        rescue StopIteration # break() of a Puppet block ends an iteration of Puppet's
          self
        end

        def next
          @enumeration.next
        end

        def rewind
          @enumeration.rewind
        end

        def size
          @enumeration.size
        end

        def reverse_each(&block)
          reversed = Iterator.new(element_type, @enumeration.to_a.reverse.each)
          block ? reversed.each(&block) : reversed
        end

        def step(step, &block)
          every = Iterator.new(element_type, @enumeration.each_slice(step).map(&:first).each)
          block ? every.each(&block) : every
        end
      end

      class HashIterator < Iterator
        def hash_style?
          true
        end
      end

      module TypeFactory
        SIMPLE = { any: :PAnyType, integer: :PIntegerType, float: :PFloatType, numeric: :PNumericType, undef: :PUndefType, default: :PDefaultType,
                   scalar: :PScalarType, scalar_data: :PScalarDataType, binary: :PBinaryType, catalog_entry: :PCatalogEntryType,
                   sem_ver_range: :PSemVerRangeType, all_callables: :PCallableType, array_of_any: :PArrayType, hash_of_any: :PHashType }.freeze
        NAMED = { data: 'Data', rich_data: 'RichData', rich_data_key: 'RichDataKey', error: 'Error', deferred: 'Deferred' }.freeze
        SIMPLE.each { |name, type| define_singleton_method(name) { Types.const_get(type)::DEFAULT } }
        NAMED.each { |name, text| define_singleton_method(name) { TypeParser.singleton.parse(text) } }

        # Methods with one optional parameter; nil makes the type without parameters.
        { sensitive: :PSensitiveType, iterable: :PIterableType, iterator: :PIteratorType, collection: :PCollectionType, type_type: :PTypeType,
          regexp: :PRegexpType, type_reference: :PTypeReferenceType }.each do |name, type|
          define_singleton_method(name) { |parameter = nil| parameter.nil? ? Types.const_get(type)::DEFAULT : Types.const_get(type).new(parameter) }
        end

        class << self
          def range(from, to)
            PIntegerType.new(from == 'default' ? nil : from, to == 'default' ? nil : to)
          end

          def float_range(from, to)
            PFloatType.new(*[from, to].map { |v| v.nil? || v == :default ? nil : Float(v) })
          end

          def boolean(value = nil)
            value.nil? ? PBooleanType::DEFAULT : PBooleanType.new(value)
          end

          def string(size_type_or_value = nil, *more)
            size_type_or_value.nil? && more.empty? ? PStringType::DEFAULT : PStringType.new(size_type_or_value, more)
          end

          def optional(type = nil)
            return POptionalType::DEFAULT if type.nil?

            POptionalType.new(type.is_a?(String) ? string(type) : type_of(type))
          end

          def not_undef(type = nil)
            PNotUndefType.new(type.is_a?(String) ? string(type) : type)
          end

          def enum(*values)
            case_insensitive = [true, false].include?(values.last) ? values.pop : false
            PEnumType.new(values, case_insensitive)
          end

          def variant(*types)
            PVariantType.maybe_create(types.map { |t| type_of(t) })
          end

          def struct(hash = {})
            PStructType.new(hash.map { |key, value| struct_element(key, type_of(value)) })
          end

          def tuple(types = [], size_type = nil)
            PTupleType.new(types.map { |t| type_of(t) }, size_type)
          end

          def timestamp(*args)
            args.empty? ? PTimestampType::DEFAULT : PTimestampType.new(*args)
          end

          def timespan(*args)
            args.empty? ? PTimespanType::DEFAULT : PTimespanType.new(*args)
          end

          def init(type = nil, *args)
            type.nil? ? PInitType::DEFAULT : PInitType.new(type, args)
          end

          def pattern(*expressions)
            PPatternType.new(expressions.flat_map do |e|
              case e
              when String, Regexp then PRegexpType.new(e).tap(&:regexp)
              when PRegexpType then e
              when PPatternType then e.patterns
              else raise ::ArgumentError, "Only String, Regexp, Pattern-Type, and Regexp-Type are allowed: got '#{e.class}"
              end
            end.uniq)
          end

          def callable(*params)
            returns = nil
            params, returns = params[0], type_of(params[1]) if params.size == 2 && params[0].is_a?(Array)
            params = params.dup
            block = TypeCalculator.is_kind_of_callable?(params.last) ? params.pop : nil
            limits = []
            limits.unshift(params.pop) while limits.size < 2 && is_range_parameter?(params.last)
            size = limits.empty? ? nil : range(limits[0], limits[1])
            types = params.map { |p| type_of(p) }
            types << PUnitType::DEFAULT if types.empty? && size && size.range[1].positive?
            PCallableType.new(tuple(types, size), block, returns)
          end

          def sem_ver(*ranges)
            ranges.empty? ? PSemVerType::DEFAULT : PSemVerType.new(ranges)
          end

          def array_of(type, size_type = nil)
            PArrayType.new(type_of(type), size_type)
          end

          def array_of_data
            PArrayType.new(data)
          end

          def hash_of(value, key = scalar, size_type = nil)
            PHashType.new(type_of(key), type_of(value), size_type)
          end

          def hash_kv(key, value, size_type = nil)
            PHashType.new(key, value, size_type)
          end

          def hash_of_data
            PHashType.new(string, data)
          end

          def resource(type_name = nil, title = nil)
            case type_name
            when PResourceType then PResourceType.new(type_name.type_name, title)
            when String
              name = TypeFormatter.singleton.capitalize_segments(type_name)
              raise ::ArgumentError, "Illegal type name '#{name}'" unless name.match?(/\A(?:::)?[A-Z]\w*(?:::[A-Z]\w*)*\z/)

              PResourceType.new(name, title)
            when nil
              raise ::ArgumentError, 'The type name cannot be nil, if title is given' unless title.nil?

              PResourceType::DEFAULT
            else raise ::ArgumentError, "The type name cannot be a #{type_name.class.name}"
            end
          end

          def host_class(name = nil)
            name.nil? ? PClassType::DEFAULT : PClassType.new(name.sub(/\A::/, ''))
          end

          def uri(parameters = nil)
            parameters.nil? ? PURIType::DEFAULT : TypeParser.singleton.parse("URI[#{StringConverter.convert(parameters, '%p')}]")
          end

          def runtime(runtime = nil, name = nil)
            PRuntimeType.new(runtime, name)
          end

          def ruby_type(name = nil)
            PRuntimeType.new(:ruby, name)
          end

          def ruby(value)
            value.is_a?(Class) ? TypeCalculator.type(value) : PRuntimeType.new(:ruby, value.class.name)
          end

          def type_of(value)
            case value
            when PAnyType then value
            when Class then TypeCalculator.type(value)
            when String then PRuntimeType.new(:ruby, value)
            else TypeCalculator.singleton.infer_generic(value)
            end
          end

          def label(type)
            type.to_s
          end

          def parse(text)
            TypeParser.singleton.parse(text)
          end

          def is_range_parameter?(value) # rubocop:disable Naming/PredicateName
            value.is_a?(Integer) || value == 'default' || value == :default
          end

          private

          def struct_element(key, value)
            if key.is_a?(String)
              raise ::ArgumentError, 'Struct element key cannot be an empty String' if key.empty?

              key = string(key)
              key = optional(key) if value.assignable?(PUndefType::DEFAULT)
              return PStructElement.new(key, value)
            end
            key = key.type if key.is_a?(PNotUndefType)
            inner = key.is_a?(POptionalType) ? key.type : key
            inner = PStringType.new(inner.values[0]) if inner.is_a?(PEnumType) && inner.values.size == 1
            unless [PStringType, PEnumType, POptionalType].any? { |t| key.is_a?(t) }
              raise ::ArgumentError, "Illegal Struct member key type. Expected NotUndef, Optional, String, or Enum. Got: #{key.class.name}"
            end
            unless inner.is_a?(PStringType) && inner.value
              raise ::ArgumentError, "Unable to extract a non-empty literal string from Struct member key type #{key}"
            end

            PStructElement.new(key, value)
          end
        end
      end
    end
  end
end
