# -- file
# Struct: classes of named values.
class Struct
  include Enumerable

  def self.new(*fields, keyword_init: nil, &block)
    made = Class.new(self)
    if fields[0].is_a?(String)
      const_set(fields[0], made)
      fields = fields.drop(1)
    end
    names = fields.map(&:to_sym)
    made.instance_variable_set(:@members, names)
    made.instance_variable_set(:@keyword_init, keyword_init)
    made.define_singleton_method(:new) { |*args, **options, &b| __make(args, options) }
    made.define_singleton_method(:[]) { |*args, **options| __make(args, options) }
    names.each do |name|
      made.define_method(name) { instance_variable_get("@#{name}") }
      made.define_method("#{name}=") { |value| instance_variable_set("@#{name}", value) }
    end
    made.class_eval(&block) if block
    made
  end

  def self.__make(args, options)
    if __keyword_init
      raise ArgumentError, "wrong number of arguments (given #{args.size}, expected 0)" unless args.empty?
      return __new__(**options)
    end
    args += [options] unless options.empty?
    __new__(*args)
  end

  def self.members
    known = instance_variable_get(:@members)
    known.nil? ? superclass.members : known.dup
  end

  def self.__keyword_init
    instance_variable_get(:@members).nil? ? superclass.__keyword_init : instance_variable_get(:@keyword_init)
  end

  def self.keyword_init?
    __keyword_init
  end

  def initialize(*args, **options)
    names = self.class.members
    if self.class.__keyword_init
      unknown = options.keys - names
      raise ArgumentError, "unknown keywords: #{unknown.join(', ')}" unless unknown.empty?

      names.each { |name| instance_variable_set("@#{name}", options[name]) }
    else
      args += [options] unless options.empty?
      raise ArgumentError, 'struct size differs' if args.size > names.size

      names.each_with_index { |name, i| instance_variable_set("@#{name}", args[i]) }
    end
  end

  def members
    self.class.members
  end

  def to_a
    members.map { |name| instance_variable_get("@#{name}") }
  end

  def deconstruct
    to_a
  end

  def values
    to_a
  end

  def to_h(&block)
    pairs = members.map { |name| [name, instance_variable_get("@#{name}")] }
    block ? pairs.to_h(&block) : pairs.to_h
  end

  def deconstruct_keys(keys)
    keys.nil? ? to_h : to_h.slice(*keys)
  end

  def __field(key)
    if key.is_a?(Integer)
      raise IndexError, "offset #{key} too large for struct(size:#{members.size})" if key >= members.size
      raise IndexError, "offset #{key} too small for struct(size:#{members.size})" if key < -members.size

      members[key]
    else
      raise NameError, "no member '#{key}' in struct" unless members.include?(key.to_sym)

      key
    end
  end

  def [](key)
    instance_variable_get("@#{__field(key)}")
  end

  def []=(key, value)
    instance_variable_set("@#{__field(key)}", value)
  end

  def dig(key, *rest)
    found = self[key]
    rest.empty? || found.nil? ? found : found.dig(*rest)
  end

  def each(&block)
    return to_a.each unless block

    to_a.each(&block)
    self
  end

  def each_pair(&block)
    return to_h.each_pair unless block

    to_h.each_pair(&block)
    self
  end

  def size
    members.size
  end

  def length
    members.size
  end

  def values_at(*places)
    to_a.values_at(*places)
  end

  def ==(other)
    other.is_a?(self.class) && self.class == other.class && to_a == other.to_a
  end

  def eql?(other)
    self.class == other.class && to_a.eql?(other.to_a)
  end

  def to_s
    inspect
  end

  def inspect
    name = self.class.name
    shown = members.map { |field| "#{field}=#{instance_variable_get("@#{field}").inspect}" }.join(', ')
    name.nil? ? "#<struct #{shown}>" : "#<struct #{name} #{shown}>"
  end
end
