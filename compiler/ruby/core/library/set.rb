# -- file
# Set, as Ruby's own set.rb has it.
class Set
  include Enumerable

  def self.[](*items)
    new(items)
  end

  def initialize(items = nil, &block)
    @hash = {}
    return if items.nil?

    if block
      items.each { |item| add(block.call(item)) }
    else
      merge(items)
    end
  end

  def initialize_copy(other)
    @hash = @hash.dup
  end

  def add(item)
    @hash[item] = true
    self
  end

  def <<(item)
    @hash[item] = true
    self
  end

  def add?(item)
    return nil if @hash.key?(item)

    add(item)
  end

  def delete(item)
    @hash.delete(item)
    self
  end

  def delete?(item)
    return nil unless @hash.key?(item)

    delete(item)
  end

  def merge(*many)
    many.each { |items| items.each { |item| @hash[item] = true } }
    self
  end

  def subtract(items)
    items.each { |item| @hash.delete(item) }
    self
  end

  def clear
    @hash.clear
    self
  end

  def replace(items)
    @hash = {}
    merge(items)
  end

  def include?(item)
    @hash.key?(item)
  end

  def member?(item)
    @hash.key?(item)
  end

  def ===(item)
    @hash.key?(item)
  end

  def contain?(item)
    @hash.key?(item)
  end

  def size
    @hash.size
  end

  def length
    @hash.size
  end

  def count(*args, &block)
    return @hash.size if args.empty? && !block

    @hash.keys.count(*args, &block)
  end

  def empty?
    @hash.empty?
  end

  def each(&block)
    return @hash.keys.each unless block

    @hash.keys.each(&block)
    self
  end

  def to_a
    @hash.keys
  end

  def to_set
    self
  end

  def first(*args)
    @hash.keys.first(*args)
  end

  def |(other)
    dup.merge(other)
  end

  def union(other)
    dup.merge(other)
  end

  def +(other)
    dup.merge(other)
  end

  def -(other)
    dup.subtract(other)
  end

  def difference(other)
    dup.subtract(other)
  end

  def &(other)
    kept = Set.new
    other.each { |item| kept.add(item) if include?(item) }
    kept
  end

  def intersection(other)
    self & other
  end

  def ^(other)
    kept = Set.new(other)
    each { |item| kept.add(item) unless kept.delete?(item) }
    kept
  end

  def ==(other)
    return false unless other.is_a?(Set)

    size == other.size && other.all? { |item| @hash.key?(item) }
  end

  def eql?(other)
    self == other
  end

  def superset?(other)
    size >= other.size && other.all? { |item| include?(item) }
  end

  def >=(other)
    superset?(other)
  end

  def proper_superset?(other)
    size > other.size && superset?(other)
  end

  def >(other)
    proper_superset?(other)
  end

  def subset?(other)
    other.superset?(self)
  end

  def <=(other)
    other.superset?(self)
  end

  def proper_subset?(other)
    other.proper_superset?(self)
  end

  def <(other)
    other.proper_superset?(self)
  end

  def <=>(other)
    return nil unless other.is_a?(Set)
    return 0 if self == other
    return -1 if proper_subset?(other)
    return 1 if proper_superset?(other)

    nil
  end

  def intersect?(other)
    any? { |item| other.include?(item) }
  end

  def disjoint?(other)
    !intersect?(other)
  end

  def map!(&block)
    replace(@hash.keys.map(&block))
  end

  def collect!(&block)
    map!(&block)
  end

  def select(&block)
    PupcCore.ruby if block.nil?
    Set.new(@hash.keys.select(&block))
  end

  def filter(&block)
    select(&block)
  end

  def reject(&block)
    PupcCore.ruby if block.nil?
    Set.new(@hash.keys.reject(&block))
  end

  def partition(&block)
    @hash.keys.partition(&block)
  end

  def select!(&block)
    before = size
    @hash.select! { |item, _| block.call(item) }
    size == before ? nil : self
  end

  def filter!(&block)
    select!(&block)
  end

  def keep_if(&block)
    select!(&block)
    self
  end

  def reject!(&block)
    before = size
    @hash.reject! { |item, _| block.call(item) }
    size == before ? nil : self
  end

  def delete_if(&block)
    reject!(&block)
    self
  end

  def classify(&block)
    out = {}
    each { |item| (out[block.call(item)] ||= Set.new).add(item) }
    out
  end

  def group_by(&block)
    @hash.keys.group_by(&block)
  end

  def flatten
    out = Set.new
    each { |item| item.is_a?(Set) ? out.merge(item.flatten) : out.add(item) }
    out
  end

  def join(separator = nil)
    to_a.join(separator)
  end

  def inspect
    "#<Set: {#{@hash.keys.map(&:inspect).join(', ')}}>"
  end

  def to_s
    inspect
  end

  def freeze
    @hash.freeze
    super
  end
end
