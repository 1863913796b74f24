# -- file
class Array
  def self.try_convert(value)
    value.is_a?(Array) ? value : nil
  end

  def self.[](*items)
    items
  end

  def values_at(*places)
    places.flat_map do |place|
      next [self[place]] unless place.is_a?(Range)

      PupcCore.ruby unless [place.begin, place.end].all? { |end_of| end_of.is_a?(Integer) && end_of >= 0 }
      place.map { |i| self[i] }
    end
  end

  def at(place)
    self[place]
  end

  def deconstruct
    self
  end

  def intersect?(other)
    !(self & other).empty?
  end

  def rassoc(value)
    find { |item| item.is_a?(Array) && item[1] == value }
  end

  def none?(*args)
    return !any?(*args) { |item| yield(item) } if block_given?

    !any?(*args)
  end

  def fill(value = nil, from = nil, count = nil)
    if block_given?
      count = from
      from = value
    end
    return self if !from.is_a?(Range) && !count.nil? && count < 1

    if from.is_a?(Range)
      PupcCore.ruby if from.begin.nil? || from.end.nil? || from.begin < 0 || from.end < 0
      count = from.end - from.begin + (from.exclude_end? ? 0 : 1)
      from = from.begin
    end
    from ||= 0
    from += size if from < 0
    count ||= size - from
    count.times { |i| self[from + i] = block_given? ? yield(from + i) : value }
    self
  end

  def bsearch
    at = bsearch_index { |item| yield item }
    at.nil? ? nil : self[at]
  end

  def bsearch_index
    found = nil
    low = 0
    high = size
    while low < high
      middle = low + (high - low) / 2
      answer = yield(self[middle])
      return middle if answer == 0

      if answer == true || (answer.is_a?(Numeric) && answer < 0)
        found = middle if answer == true
        high = middle
      elsif answer.nil? || answer == false || (answer.is_a?(Numeric) && answer > 0)
        low = middle + 1
      else
        PupcCore.ruby
      end
    end
    found
  end

  def combination(count, &block)
    __each_of(__choose(count, 0, 1, [], []), &block)
  end

  def repeated_combination(count, &block)
    __each_of(__choose(count, 0, 0, [], []), &block)
  end

  # `step`: how far the next element is behind the one that was chosen last.
  def __choose(count, from, step, chosen, out)
    return out << chosen if chosen.size == count

    (from...size).each { |i| __choose(count, i + step, step, chosen + [self[i]], out) } if chosen.size < count
    out
  end

  def permutation(count = nil, &block)
    __each_of(__permute(count || size, [], []), &block)
  end

  def __permute(count, chosen, out)
    return out << chosen.map { |i| self[i] } if chosen.size == count

    size.times { |i| __permute(count, chosen + [i], out) unless chosen.include?(i) } if chosen.size < count
    out
  end

  def repeated_permutation(count, &block)
    out = count == 0 ? [[]] : []
    out = product(*Array.new(count - 1, self)) if count > 0
    __each_of(out, &block)
  end

  def __each_of(found, &block)
    return found.each unless block

    found.each(&block)
    self
  end

  def rotate!(count = 1)
    replace(rotate(count))
  end

  def slice!(from, count = nil)
    if count.nil? && from.is_a?(Integer)
      from += size if from < 0
      return nil if from < 0 || from >= size

      return delete_at(from)
    end
    taken = count.nil? ? self[from] : self[from, count]
    return nil if taken.nil?

    if from.is_a?(Range)
      first = from.begin || 0
    else
      first = from
    end
    first += size if first < 0
    replace(self[0, first] + (self[first + taken.size..] || []))
    taken
  end

  def to_csv(**options)
    CSV.generate_line(self, **options)
  end

  def shuffle(random: Random.__default)
    PupcCore.ruby unless random.is_a?(Random)
    out = dup
    left = size
    while left > 0
      at = random.__upto(left - 1)
      left -= 1
      out[left], out[at] = out[at], out[left]
    end
    out
  end

  def shuffle!(random: Random.__default)
    replace(shuffle(random: random))
  end

  def sample(count = nil, random: Random.__default)
    PupcCore.ruby unless random.is_a?(Random)
    return size < 2 ? self[0] : self[random.__upto(size - 1)] if count.nil?

    PupcCore.ruby unless count.is_a?(Integer)
    raise ArgumentError, 'negative sample number' if count < 0

    count = size if count > size
    return __sample_few(count, random) if count <= 10

    limits = [[2560, 128], [5120, 64], [10_240, 32]]
    share = (limits.find { |limit, _| size < limit } || [0, 16])[1]
    PupcCore.ruby if count <= size / share / 2
    out = dup
    count.times do |i|
      at = random.__upto(size - i - 1) + i
      out[at], out[i] = out[i], out[at]
    end
    out.first(count)
  end

  # Draws all places first, each among those that are left.
  def __sample_few(count, random)
    drawn = Array.new(count) { |i| random.__upto(size - i - 1) }
    sorted = []
    drawn.map do |place|
      before = 0
      sorted.each do |taken|
        break if place < taken

        place += 1
        before += 1
      end
      sorted.insert(before, place)
      self[place]
    end
  end

  def eql?(other)
    other.is_a?(Array) && size == other.size && each_with_index.all? { |item, i| item.eql?(other[i]) }
  end

  def to_h(&block)
    return map(&block).to_h if block

    PupcCore.ruby
  end

  def sum(start = 0)
    PupcCore.ruby if block_given?
    inject(start) { |a, b| a + b }
  end

  def take(count)
    PupcCore.ruby
  end

  def sort_by!(&block)
    replace(sort_by(&block))
  end

  def cycle(count = nil, &block)
    PupcCore.ruby if !count.nil? && !count.is_a?(Integer)
    own = self
    unless block
      return Enumerator.new do |out|
        if count.nil?
          loop { own.each { |item| out << item } } unless own.empty?
        else
          count.times { own.each { |item| out << item } }
        end
      end
    end
    return nil if empty?

    count.nil? ? loop { each(&block) } : count.times { each(&block) }
    nil
  end

  def shelljoin
    Shellwords.join(self)
  end
end
