# Types made of other types, types of resources, aliases and objects (the others: type_classes.rb).
module Puppet
  module Pops
    module Types
      class PCollectionType < PAnyType
        member :size_type
        def initialize(size_type = nil)
          super
        end

        def size_range
          (size_type || PCollectionType::DEFAULT_SIZE).range
        end

        # rubocop:disable Naming/PredicateName
        def has_empty_range?
          size_range == [0, 0]
        end
        # rubocop:enable Naming/PredicateName

        private

        def text_parameters(_exact)
          size_text(size_type)
        end
      end

      class PArrayType < PCollectionType
        member :element_type, :size_type
        def initialize(element_type = nil, size_type = nil)
          empty = size_type && size_type.to == 0
          super(size_type)
          @members = [empty ? PUnitType::DEFAULT : element_type || PAnyType::DEFAULT, size_type]
        end

        private

        def text_parameters(exact)
          return ['0', '0'] if has_empty_range?

          (element_type == PAnyType::DEFAULT ? [] : [text(element_type, exact)]) + size_text(size_type)
        end
      end

      class PHashType < PCollectionType
        member :key_type, :value_type, :size_type
        alias element_type value_type

        def initialize(key_type = nil, value_type = nil, size_type = nil)
          empty = size_type && size_type.to == 0
          super(size_type)
          @members = [empty ? PUnitType::DEFAULT : key_type || PAnyType::DEFAULT, empty ? PUnitType::DEFAULT : value_type || PAnyType::DEFAULT, size_type]
        end

        def is_the_empty_hash? # rubocop:disable Naming/PredicateName
          has_empty_range?
        end

        private

        def text_parameters(exact)
          return ['0', '0'] if has_empty_range?

          any = [key_type, value_type].all? { |t| t == PAnyType::DEFAULT }
          (any ? [] : [text(key_type, exact), text(value_type, exact)]) + size_text(size_type)
        end
      end

      class PTupleType < PAnyType
        include Enumerable
        member :types, :size_type
        def initialize(types = [], size_type = nil)
          super(types, size_type && size_type.to_size)
        end

        def each(&block)
          block ? types.each(&block) : types.each
        end

        def size_range
          return size_type.range if size_type

          types.empty? ? [0, Float::INFINITY] : [types.size, types.size]
        end

        def repeat_last_range
          return [1, 1] if size_type.nil?

          from, to = size_type.range
          [[from - (types.size - 1), 0].max, to - (types.size - 1)]
        end

        def callable_args?(callable, _guard = nil)
          PupcWorker.callback(:type_accepts, callable, self)
        end

        private

        def text_parameters(exact)
          types.map { |t| text(t, exact) } + size_text(size_type)
        end
      end

      class PStructElement
        attr_accessor :key_type, :value_type

        def initialize(key_type, value_type)
          @key_type = key_type
          @value_type = value_type
        end

        def name
          key = key_type
          key = key.type if key.is_a?(PTypeWithContainedType)
          key.is_a?(PEnumType) ? key.values[0] : key.value
        end

        def to_s
          text(false)
        end

        # A key is only wrapped in Optional or NotUndef where the value's type does not already say whether the key may be missing.
        def text(exact)
          optional_value = value_type.assignable?(PUndefType::DEFAULT)
          quoted = "'#{name}'"
          key = case key_type
                when POptionalType then optional_value ? quoted : "Optional[#{quoted}]"
                when PNotUndefType then "NotUndef[#{quoted}]"
                else optional_value ? "NotUndef[#{quoted}]" : quoted
                end
          "#{key} => #{exact ? value_type.exact_text : value_type}"
        end

        def ==(other)
          other.is_a?(PStructElement) && key_type == other.key_type && value_type == other.value_type
        end
        alias eql? ==

        def hash
          [key_type, value_type].hash
        end

        def <=>(other)
          name <=> other.name
        end
        include Comparable
      end

      class PStructType < PAnyType
        include Enumerable
        member :elements
        def initialize(elements = [])
          super
        end

        def each(&block)
          block ? elements.each(&block) : elements.each
        end

        def hashed_elements
          @hashed_elements ||= elements.to_h { |e| [e.name, e] }
        end

        private

        def shape(list)
          [list.map { |key, value| PStructElement.new(key, value) }]
        end

        def text_parameters(exact)
          elements.empty? ? [] : ["{#{elements.map { |e| e.text(exact) }.join(', ')}}"]
        end
      end

      class PVariantType < PAnyType
        include Enumerable
        member :types
        def self.maybe_create(types)
          types = flatten_variants(types).uniq
          types.size == 1 ? types[0] : new(types)
        end

        def self.flatten_variants(types)
          types.flat_map { |t| t.is_a?(PVariantType) ? t.types : [t] }
        end

        def initialize(types = [])
          super
        end

        def each(&block)
          block ? types.each(&block) : types.each
        end

        private

        def text_parameters(exact)
          types.map { |t| text(t, exact) }
        end
      end

      class PCallableType < PAnyType
        member :param_types, :block_type, :return_type
        def initialize(param_types = nil, block_type = nil, return_type = nil)
          super(param_types, block_type, return_type == PAnyType::DEFAULT ? nil : return_type)
        end

        def size_range
          param_types&.size_range
        end

        def last_range
          param_types&.repeat_last_range
        end

        def block_range
          case block_type
          when POptionalType then [0, 1]
          when PVariantType, PCallableType then [1, 1]
          else [0, 0]
          end
        end

        def callable_with?(args, block = nil)
          PupcWorker.callback(:type_accepts, self, TypeCalculator.infer_set(args), block.nil? ? nil : TypeCalculator.infer(block))
        end

        def callable_args?(required, _guard = nil)
          required.assignable?(self)
        end

        private

        def text_parameters(exact)
          return return_type ? ['[0, 0]', text(return_type, exact)] : [] if param_types.nil?

          parts = param_types.types.reject { |t| t.is_a?(PUnitType) }.map { |t| text(t, exact) }
          parts += param_types.types.empty? && param_types.size_type.nil? ? %w[0 0] : size_text(param_types.size_type)
          parts << text(block_type, exact) if block_type
          return_type ? ["[#{parts.join(', ')}]", text(return_type, exact)] : parts
        end
      end

      class PRuntimeType < PAnyType
        member :runtime, :name_or_pattern
        def initialize(runtime = nil, name_or_pattern = nil)
          super(runtime&.to_sym, name_or_pattern)
        end

        def runtime_type_name
          name_or_pattern.is_a?(String) ? name_or_pattern : nil
        end

        def class_or_module
          Object.const_get(name_or_pattern)
        end

        private

        def shape(list)
          [list[0]&.to_sym, list[1]]
        end

        def instance_of_ruby?(value)
          return true if name_or_pattern.nil?

          value.class.ancestors.any? { |c| c.name == name_or_pattern }
        end

        def text_parameters(_exact)
          return [] if runtime.nil?

          [runtime.to_s, *(quote(name_or_pattern) if name_or_pattern)]
        end
      end

      class PResourceType < PCatalogEntryType
        member :type_name, :title
        def initialize(type_name = nil, title = nil)
          super(type_name && TypeFormatter.singleton.capitalize_segments(type_name.to_s), title)
        end

        def downcased_name
          type_name&.downcase
        end

        def encode_with(coder)
          super
          coder['downcased_name'] = downcased_name
        end

        private

        def text_of(_exact)
          return 'Resource' unless type_name

          title ? "#{type_name}[#{quote(title)}]" : type_name
        end
      end

      class PClassType < PCatalogEntryType
        member :class_name
        def initialize(class_name = nil)
          super
        end

        private

        def text_parameters(exact)
          class_name ? [exact ? quote(class_name) : class_name] : []
        end
      end
      PHostClassType = PClassType

      class PTypeReferenceType < PAnyType
        member :type_string
        def initialize(type_string = 'UnresolvedReference')
          super
        end

        def resolve(_loader = nil)
          TypeParser.singleton.parse(type_string)
        end

        private

        def text_parameters(_exact)
          [quote(type_string)]
        end
      end

      class PMetaType < PAnyType; end

      class PTypeAliasType < PAnyType
        member :name, :resolved_type
        def name
          @members ? members[0] : to_s
        end

        def initialize(name = 'UnresolvedAlias', type_expr = nil, resolved_type = nil)
          super(name, resolved_type || (type_expr.is_a?(PAnyType) ? type_expr : nil))
        end

        def type_expr
          resolved_type
        end

        # Passes questions on to the type that the alias stands for.
        def method_missing(method, *args, &block)
          resolved_type.respond_to?(method) ? resolved_type.public_send(method, *args, &block) : super
        end

        def respond_to_missing?(method, all = false)
          resolved_type.respond_to?(method, all)
        end

        private

        def text_of(_exact)
          name
        end
      end

      class PObjectType < PMetaType
        # An attribute or function of an object type.
        Member = Struct.new(:name, :type, :container, :kind, :value, :has_value) do
          def value?
            has_value
          end

          def to_s
            "#{container.name}[#{name}]"
          end
        end

        member :name, :parent
        def attributes(include_parent = false)
          own_members(2, include_parent)
        end

        def functions(include_parent = true)
          own_members(3, include_parent)
        end

        def members_hash
          attributes(true).merge(functions)
        end

        def [](name)
          members_hash[name]
        end

        def simple_name
          (name || 'Object').split('::').last
        end

        def resolved_parent
          parent.is_a?(PTypeAliasType) ? parent.resolved_type : parent
        end

        private

        def own_members(index, include_parent)
          own = members[index].to_h { |n, type, kind, valued, value| [n, Member.new(n, type, self, kind, value, valued)] }
          include_parent && parent ? resolved_parent.public_send(index == 2 ? :attributes : :functions, true).merge(own) : own
        end

        def shape(list)
          list.empty? ? [nil, nil, [], []] : list
        end

        def text_of(_exact)
          @members && @members[0] || 'Object'
        end
      end

      class PObjectTypeExtension < PAnyType; end

      class PTypeSetType < PMetaType
        member :name, :version, :types
        def [](name)
          types[name]
        end

        private

        def shape(list)
          list.empty? ? [nil, nil, {}] : list
        end
      end

      class PURIType < PAnyType
        member :parameters
      end

      class PSensitiveType < PTypeWithContainedType
        def initialize(type = nil)
          super(type.nil? ? PAnyType.new : type)
        end

        private

        def text_parameters(exact)
          type.instance_of?(PAnyType) ? [] : super
        end

        def shape(list)
          [list[0] || PAnyType::DEFAULT]
        end
      end

      # The types without parameters. Any comes first, because the other defaults refer to it.
      PAnyType::DEFAULT = PAnyType.new
      constants.each do |name|
        type = const_get(name)
        type.const_set(:DEFAULT, type.new) if type.is_a?(Class) && type <= PAnyType && !type.const_defined?(:DEFAULT, false)
      end
      PCollectionType::DEFAULT_SIZE = PIntegerType.new(0)
      PCollectionType::ZERO_SIZE = PIntegerType.new(0, 0)
      PCollectionType::NOT_EMPTY_SIZE = PIntegerType.new(1)
      PArrayType::EMPTY = PArrayType.new(PUnitType::DEFAULT, PCollectionType::ZERO_SIZE)
      PHashType::EMPTY = PHashType.new(PUnitType::DEFAULT, PUnitType::DEFAULT, PCollectionType::ZERO_SIZE)
      PHashType::KEY_PAIR_TUPLE_SIZE = PIntegerType.new(2, 2)
      PHashType::DEFAULT_KEY_PAIR_TUPLE = PTupleType.new([PUnitType::DEFAULT, PUnitType::DEFAULT], PHashType::KEY_PAIR_TUPLE_SIZE)
      PBooleanType::TRUE = PBooleanType.new(true)
      PBooleanType::FALSE = PBooleanType.new(false)
    end
  end
end
