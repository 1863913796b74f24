# -- file
class Hash
  def self.try_convert(value)
    value.is_a?(Hash) ? value : nil
  end

  def <=(other)
    PupcCore.ruby unless other.is_a?(Hash)
    all? { |key, value| other.key?(key) && other[key] == value }
  end

  def <(other)
    PupcCore.ruby unless other.is_a?(Hash)
    size < other.size && self <= other
  end

  def >=(other)
    PupcCore.ruby unless other.is_a?(Hash)
    other <= self
  end

  def >(other)
    PupcCore.ruby unless other.is_a?(Hash)
    other < self
  end

  def assoc(key)
    key?(key) ? [key, fetch(key)] : nil
  end

  def rassoc(value)
    each { |key, own| return [key, own] if own == value }
    nil
  end

  def compact!
    before = size
    delete_if { |_, value| value.nil? }
    before == size ? nil : self
  end

  def filter!(&block)
    select!(&block)
  end

  def transform_values!
    keys.each { |key| self[key] = yield(fetch(key)) }
    self
  end

  def transform_keys!(*args, &block)
    replace(transform_keys(*args, &block))
  end

  def transform_keys(names = nil)
    PupcCore.ruby unless names.is_a?(Hash)
    out = {}
    each do |key, value|
      name = names.key?(key) ? names[key] : block_given? ? yield(key) : key
      out[name] = value
    end
    out
  end

  def replace(other)
    PupcCore.ruby unless other.is_a?(Hash)
    copy = other.to_a
    clear
    copy.each { |key, value| self[key] = value }
    self
  end

  def to_proc
    own = self
    lambda { |key| own[key] }
  end

  def deconstruct_keys(keys)
    self
  end

  def flatten(depth = 1)
    PupcCore.ruby unless depth.is_a?(Integer)
    to_a.flatten(depth)
  end

  def eql?(other)
    other.is_a?(Hash) && size == other.size && all? { |key, value| other.key?(key) && value.eql?(other[key]) }
  end

  def find_index(*args, &block)
    to_a.index(*args, &block)
  end

  def max(*args, &block)
    to_a.max(*args, &block)
  end

  def min(*args, &block)
    to_a.min(*args, &block)
  end

  def minmax(*args, &block)
    to_a.minmax(*args, &block)
  end

  def cycle(*args, &block)
    to_a.cycle(*args, &block)
  end

  def collect(&block)
    map(&block)
  end

  def collect_concat(&block)
    flat_map(&block)
  end

  def reduce(*args, &block)
    to_a.inject(*args, &block)
  end

  def update(*others, &block)
    others.each { |other| merge!(other, &block) }
    self
  end

  def dig(key, *rest)
    found = self[key]
    rest.empty? || found.nil? ? found : found.dig(*rest)
  end

  def merge(*others, &block)
    out = dup
    others.each { |other| out.merge!(other, &block) }
    out
  end
end
