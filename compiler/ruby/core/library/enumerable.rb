# -- file
# Methods of everything enumerable that code seldom needs.
module Enumerable
  def lazy
    own = self
    Enumerator::Lazy.__make { |block| own.each { |*item| block.call(item.size > 1 ? item : item[0]) } }
  end

  def to_set(*args, &block)
    Set.new(self, *args, &block)
  end

  def grep(pattern, &change)
    PupcCore.ruby if change && pattern.is_a?(Regexp) # its block sees $~
    out = []
    to_a.each do |item|
      if pattern === item
        out << (change ? change.call(item) : item)
      end
    end
    out
  end

  def grep_v(pattern, &change)
    out = []
    to_a.each do |item|
      unless pattern === item
        out << (change ? change.call(item) : item)
      end
    end
    out
  end

  def each_entry(*args, &block)
    PupcCore.ruby unless args.empty?
    return to_a.each unless block

    to_a.each(&block)
    self
  end

  def each_cons(count, &block)
    raise ArgumentError, 'invalid size' if count <= 0

    all = to_a
    groups = all.size < count ? [] : (0..all.size - count).map { |i| all[i, count] }
    return groups.each unless block

    groups.each(&block)
    self
  end

  def each_slice(count, &block)
    raise ArgumentError, 'invalid slice size' if count <= 0

    all = to_a
    groups = []
    at = 0
    while at < all.size
      groups << all[at, count]
      at += count
    end
    return groups.each unless block

    groups.each(&block)
    self
  end

  def reverse_each(&block)
    return to_a.reverse.each unless block

    to_a.reverse.each(&block)
    self
  end

  def cycle(count = nil, &block)
    all = to_a
    return Enumerator.new { |out| count.nil? ? (loop { all.each { |item| out << item } } unless all.empty?) : count.times { all.each { |item| out << item } } } unless block
    return nil if all.empty?

    if count.nil?
      loop { all.each(&block) }
    else
      count.times { all.each(&block) }
    end
    nil
  end

  def chunk_while
    __split { |a, b| !yield(a, b) }
  end

  def slice_when
    __split { |a, b| yield(a, b) }
  end

  def __split
    groups = []
    last = nil
    to_a.each_with_index do |item, i|
      if i == 0 || yield(last, item)
        groups << [item]
      else
        groups.last << item
      end
      last = item
    end
    groups.each
  end

  def chunk
    groups = []
    to_a.each do |item|
      key = yield(item)
      next if key.nil? || key == :_separator

      if key != :_alone && !groups.empty? && groups.last[0] == key
        groups.last[1] << item
      else
        groups << [key, [item]]
      end
    end
    groups.each
  end

  def slice_before(pattern = nil, &block)
    groups = []
    to_a.each do |item|
      if groups.empty? || (block ? block.call(item) : pattern === item)
        groups << [item]
      else
        groups.last << item
      end
    end
    groups.each
  end

  def slice_after(pattern = nil, &block)
    groups = []
    ended = true
    to_a.each do |item|
      ended ? groups << [item] : groups.last << item
      ended = block ? block.call(item) : pattern === item
    end
    groups.each
  end

  def tally_by(&block)
    PupcCore.ruby if block.nil?
    to_a.map(&block).tally
  end

  def minmax_by(&block)
    PupcCore.ruby if block.nil?
    keyed = to_a.map { |item| [yield(item), item] }
    [keyed.min_by(&:first)&.last, keyed.max_by(&:first)&.last]
  end

  def minmax(&block)
    PupcCore.ruby if block
    [to_a.min, to_a.max]
  end

  def min(*args, &block)
    to_a.min(*args, &block)
  end

  def max(*args, &block)
    to_a.max(*args, &block)
  end

  def find_index(*args, &block)
    to_a.index(*args, &block)
  end

  def zip(*lists)
    PupcCore.ruby unless lists.all? { |list| list.respond_to?(:each) } && !(lists.empty? && block_given?)
    out = to_a.zip(*lists.map(&:to_a))
    return out unless block_given?

    out.each { |item| yield item }
    nil
  end

  def each_with_index(*args)
    return to_enum(:each_with_index, *args) unless block_given?

    at = -1
    each(*args) { |item| yield item, at += 1 }
  end

  def uniq(&block)
    to_a.uniq(&block)
  end

  def tally(*into)
    PupcCore.ruby unless into.empty? || (into.size == 1 && into[0].is_a?(Hash))
    out = into[0] || {}
    to_a.each { |item| out[item] = (out[item] || 0) + 1 }
    out
  end

  def chain(*others)
    all = to_a
    others.each { |other| all += other.to_a }
    all.each
  end

  def compact
    to_a.compact
  end

  def sum(*args, &block)
    to_a.sum(*args, &block)
  end

  def inject(*args, &block)
    to_a.inject(*args, &block)
  end

  def reduce(*args, &block)
    to_a.inject(*args, &block)
  end

  def sort_by(&block)
    to_a.sort_by(&block)
  end

  def none?(*args, &block)
    to_a.none?(*args, &block)
  end

  def one?(*args, &block)
    to_a.one?(*args, &block)
  end

  def count(*args, &block)
    to_a.count(*args, &block)
  end

  def partition(&block)
    to_a.partition(&block)
  end
end
