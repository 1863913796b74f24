# -- file
# Enumerators that make their elements when they are asked for: Enumerator.new and lazy ones.
class Enumerator
  def self.new(size = nil, &block)
    Enumerator::Generator.__new__(size, block)
  end

  def self.__of(method, args)
    Enumerator::Generator.__new__(nil, lambda { |out| method.call(*args) { |*items| out.yield(*items) } })
  end

  def self.produce(*first)
    PupcCore.ruby if first.size > 1
    Enumerator.new do |out|
      at = first.empty? ? yield : first[0]
      loop do
        out << at
        at = yield(at)
      end
    end
  end

  def with_index(first = 0)
    PupcCore.ruby unless block_given?
    index = (first.nil? ? 0 : first) - 1
    each { |*items| yield(items.size < 2 ? items[0] : items, index += 1) }
  end

  def each_with_index(&block)
    PupcCore.ruby if block.nil?
    with_index(0, &block)
  end

  def with_object(memo)
    PupcCore.ruby unless block_given?
    each { |*items| yield(items.size < 2 ? items[0] : items, memo) }
    memo
  end

  def each_with_object(memo, &block)
    with_object(memo, &block)
  end

  class Yielder
    def initialize(block)
      @block = block
    end

    def <<(item)
      @block.call(item)
      self
    end

    def yield(*items)
      @block.call(*items)
    end

    def call(*items)
      @block.call(*items)
    end

    def to_proc
      own = self
      proc { |*items| own.yield(*items) }
    end
  end

  class Generator
    include Enumerable

    def initialize(size, block)
      @size = size
      @block = block
    end

    def each(&block)
      return self unless block

      @block.call(Enumerator::Yielder.new(block))
    end

    def size
      @size.respond_to?(:call) ? @size.call : @size
    end

    def __peek
      @items ||= first(1000) # not all: many make elements without end
      @at ||= 0
      PupcCore.ruby if @at >= 1000
      raise StopIteration, 'iteration reached an end' if @at >= @items.size

      @items[@at]
    end

    def next
      item = __peek
      @at += 1
      item
    end

    def peek
      __peek
    end

    def rewind
      @at = 0
      self
    end

    def first(count = nil)
      if count.nil?
        each { |item| return item }
        return nil
      end
      out = []
      return out if count == 0

      each do |item|
        out << item
        break if out.size >= count
      end
      out
    end

    def take(count)
      first(count)
    end

    def take_while
      out = []
      each do |item|
        break unless yield(item)

        out << item
      end
      out
    end

    def find
      each { |item| return item if yield(item) }
      nil
    end

    def detect(&block)
      find(&block)
    end

    def include?(wanted)
      each { |item| return true if item == wanted }
      false
    end

    def find_index(wanted = nil)
      at = 0
      each do |item|
        return at if block_given? ? yield(item) : item == wanted

        at += 1
      end
      nil
    end

    def each_with_index
      return with_index unless block_given?

      at = -1
      each { |*item| yield(item.size > 1 ? item : item[0], at += 1) }
    end

    def with_index(from = 0)
      own = self
      unless block_given?
        return Enumerator.new do |out|
          own.with_index(from) { |item, i| out << [item, i] }
        end
      end

      at = (from || 0) - 1
      each { |item| yield(item, at += 1) }
    end

    def each_slice(count, &block)
      return super if block || !count.is_a?(Integer) || count < 1

      own = self
      Enumerator.new do |out|
        group = []
        own.each do |item|
          group << item
          if group.size == count
            out << group
            group = []
          end
        end
        out << group unless group.empty?
      end
    end

    def each_cons(count, &block)
      return super if block || !count.is_a?(Integer) || count < 1

      own = self
      Enumerator.new do |out|
        group = []
        own.each do |item|
          group = (group + [item]).last(count)
          out << group if group.size == count
        end
      end
    end

    def lazy
      own = self
      Enumerator::Lazy.__make { |block| own.each { |*item| block.call(item.size > 1 ? item : item[0]) } }
    end
  end

  class Lazy
    include Enumerable

    def self.__make(&walk)
      __new__(walk)
    end

    def initialize(walk)
      @walk = walk
    end

    def each(&block)
      return self unless block

      @walk.call(block)
      self
    end

    def __chain(&walk)
      Enumerator::Lazy.__make(&walk)
    end

    def map(&change)
      own = self
      __chain { |block| own.each { |item| block.call(change.call(item)) } }
    end

    def collect(&change)
      map(&change)
    end

    def select(&wanted)
      own = self
      __chain { |block| own.each { |item| block.call(item) if wanted.call(item) } }
    end

    def filter(&wanted)
      select(&wanted)
    end

    def find_all(&wanted)
      select(&wanted)
    end

    def reject(&unwanted)
      own = self
      __chain { |block| own.each { |item| block.call(item) unless unwanted.call(item) } }
    end

    def filter_map(&change)
      own = self
      __chain do |block|
        own.each do |item|
          changed = change.call(item)
          block.call(changed) if changed
        end
      end
    end

    def flat_map(&change)
      own = self
      __chain do |block|
        own.each do |item|
          changed = change.call(item)
          changed.is_a?(Array) ? changed.each { |one| block.call(one) } : block.call(changed)
        end
      end
    end

    def collect_concat(&change)
      flat_map(&change)
    end

    def take(count)
      own = self
      __chain do |block|
        taken = 0
        if count > 0
          own.each do |item|
            block.call(item)
            taken += 1
            break if taken >= count
          end
        end
      end
    end

    def take_while(&wanted)
      own = self
      __chain do |block|
        own.each do |item|
          break unless wanted.call(item)

          block.call(item)
        end
      end
    end

    def drop(count)
      own = self
      __chain do |block|
        seen = 0
        own.each do |item|
          seen += 1
          block.call(item) if seen > count
        end
      end
    end

    def drop_while(&unwanted)
      own = self
      __chain do |block|
        dropping = true
        own.each do |item|
          dropping &&= unwanted.call(item)
          block.call(item) unless dropping
        end
      end
    end

    def with_index(from = 0, &with)
      own = self
      __chain do |block|
        at = (from || 0) - 1
        own.each do |item|
          at += 1
          if with
            with.call(item, at)
            block.call(item)
          else
            block.call([item, at])
          end
        end
      end
    end

    def each_with_index(&with)
      with_index(0, &with)
    end

    def zip(*others)
      own = self
      lists = others.map { |other| other.is_a?(Array) ? other : (PupcCore.ruby unless other.is_a?(Range) && other.begin.is_a?(Integer); other) }
      __chain do |block|
        at = -1
        own.each do |item|
          at += 1
          block.call([item] + lists.map { |list| list.is_a?(Array) ? list[at] : list.include?(list.begin + at) ? list.begin + at : nil })
        end
      end
    end

    def uniq(&key)
      own = self
      __chain do |block|
        seen = {}
        own.each do |item|
          of = key ? key.call(item) : item
          unless seen.key?(of)
            seen[of] = true
            block.call(item)
          end
        end
      end
    end

    def compact
      reject(&:nil?)
    end

    def grep(pattern, &change)
      own = self
      __chain do |block|
        own.each do |item|
          block.call(change ? change.call(item) : item) if pattern === item
        end
      end
    end

    def grep_v(pattern, &change)
      own = self
      __chain do |block|
        own.each do |item|
          block.call(change ? change.call(item) : item) unless pattern === item
        end
      end
    end

    def first(count = nil)
      if count.nil?
        each { |item| return item }
        return nil
      end
      take(count).to_a
    end

    def to_a
      out = []
      each { |item| out << item }
      out
    end

    def force
      to_a
    end

    def eager
      own = self
      Enumerator.new { |out| own.each { |item| out << item } }
    end

    def lazy
      self
    end

    def include?(wanted)
      each { |item| return true if item == wanted }
      false
    end

    def find
      each { |item| return item if yield(item) }
      nil
    end

    def detect(&block)
      find(&block)
    end
  end
end
