# Data types that modules write in Ruby: the declarations of their files, and Ruby objects for their values.
module Puppet
  module DataTypes
    # Evaluates the block of create_type and holds what it declares.
    class TypeBuilder
      attr_reader :name, :text, :override, :ruby_class

      def initialize(name)
        @name = name
      end

      def interface(text)
        raise ArgumentError, 'a data type can only have one interface' if @text

        @text = text
      end

      def implementation(&block)
        raise ArgumentError, 'a data type can only have one implementation' if implemented?

        @override = block
      end

      def implementation_class(ruby_class)
        raise ArgumentError, 'a data type can only have one implementation' if implemented?

        @ruby_class = ruby_class
      end

      def implemented?
        !(@override.nil? && @ruby_class.nil?)
      end

      def load_file(name)
        require name
      end
    end

    def self.create_type(name, &block)
      builder = TypeBuilder.new(name.to_s)
      builder.instance_eval(&block)
      raise ArgumentError, 'a data type must have an interface' unless builder.text.is_a?(String)

      builder
    rescue StandardError => e
      raise ArgumentError, "Data Type Load Error for type '#{name}': #{e.message}"
    end
  end

  module Pops
    module Types
      # Included by classes that implement data types.
      module PuppetObject
        def _pcore_init_hash
          instance_variables.to_h { |v| [v.to_s.delete_prefix('@'), instance_variable_get(v)] }
        end
      end
    end
  end
end

module PupcWorker
  # An object whose type has no Ruby class of its own. Its attributes are methods.
  class DataObject
    include Puppet::Pops::Types::PuppetObject
  end

  # Loads an object from pupc, which sends its number and its text.
  class ObjectLoader
    def self._load(data)
      number, text = data.split(' ', 2)
      PupcWorker.object_of(number.to_i, text.force_encoding(Encoding::UTF_8))
    end
  end

  class << self
    def load_data_type(name, file)
      type = data_type(name, file)
      [type.name, type.text, type.implemented?]
    end

    # Runs a data type's file and returns its declaration. Runs it again when the file changed.
    def data_type(name, file)
      @data_types ||= {}
      stamp = File.stat(file).then { |s| [s.mtime, s.size] }
      known = @data_types[file]
      return known[1] if known && known[0] == stamp

      created = eval(File.read(file, encoding: Encoding::UTF_8), Puppet::Pops::Loader::RubyDataTypeInstantiator.pupc_binding, file, 1) # rubocop:disable Security/Eval
      unless created.is_a?(Puppet::DataTypes::TypeBuilder)
        raise ArgumentError, "The code loaded from #{file} did not produce a data type when evaluated. Got '#{created.class}'"
      end

      @data_types[file] = [stamp, created]
      created
    end

    # Maps the Ruby objects of this compile to the numbers of pupc's objects.
    def object_numbers
      compile_state[:object_numbers] ||= {}.compare_by_identity
    end

    def object_of(number, text)
      description = callback(:object, number)
      return object(description) if description

      handle = Handle.allocate
      handle.marshal_load([number, text, 'object'])
      handle
    end

    # The Ruby object for an object that pupc describes. Each object of pupc has exactly one.
    def object((identity, number, chain, names, attributes))
      objects = (compile_state[:objects] ||= {})
      known = objects[identity]
      return known if known

      made = chain.last && chain.last[1] && data_type(*chain.last).ruby_class
      instance = if made
                   values = names.map { |n| attributes[n] }
                   values.pop while values.size > required_of(made) && values.last.nil?
                   made.new(*values)
                 else
                   object_class(chain, attributes.keys).allocate.tap { |o| attributes.each { |n, v| o.instance_variable_set(:"@#{n}", v) } }
                 end
      object_numbers[instance] = number
      objects[identity] = instance
    end

    def required_of(ruby_class)
      ruby_class.instance_method(:initialize).parameters.count { |kind, _| kind == :req }
    end

    # Makes a Ruby class for an object type. Its ancestors implement the parent types, from the root type on.
    def object_class(chain, names)
      (compile_state[:object_classes] ||= {})[chain] ||= begin
        of_parents = chain.reduce(DataObject) do |parent, (name, file)|
          type = file && data_type(name, file)
          type&.ruby_class || Class.new(parent) { class_eval(&type.override) if type&.override }
        end
        Class.new(of_parents) do
          names.each { |n| define_method(n) { instance_variable_get(:"@#{n}") } unless of_parents.method_defined?(n) }
        end
      end
    end

    # [result], or nil when the object has no such method.
    def call_object(description, name, args, block)
      instance = object(description)
      return unless instance.respond_to?(name)

      [instance.public_send(name, *args, &block)]
    end

    # The declared data type that the object's class implements; nil when there is none.
    def implemented_type(value)
      (@data_types || {}).each_value { |_, type| return type if type.ruby_class && value.instance_of?(type.ruby_class) }
      nil
    end

    def object_attributes(value, _type)
      return value._pcore_init_hash if value.is_a?(Puppet::Pops::Types::PuppetObject)

      value.instance_variables.to_h { |v| [v.to_s.delete_prefix('@'), value.instance_variable_get(v)] }
    end
  end
end
