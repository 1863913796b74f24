# -- file
class Float
  INFINITY = 1.0 / 0
  NAN = 0.0 / 0
  EPSILON = 2.220446049250313e-16
  MAX = 1.7976931348623157e+308
  MIN = 2.2250738585072014e-308
  DIG = 15

  def next_float
    PupcCore.ruby
  end

  def nan?
    self != self
  end

  def infinite?
    return nil if self != self || abs != INFINITY

    self < 0 ? -1 : 1
  end

  def to_int
    to_i
  end

  def divmod(other)
    PupcCore.ruby unless other.is_a?(Numeric) && other != 0 && self == self && abs < 1e15 && (self / other).abs < 1e15
    rest = self % other
    [((self - rest) / other).round, rest]
  end

  def eql?(other)
    other.is_a?(Float) && self == other
  end
end
# -- file
module Math
  PI = 3.141592653589793
  E = 2.718281828459045
end
# -- file
class Integer
  def self.sqrt(number)
    raise Math::DomainError if number < 0

    root = Math.sqrt(number).floor
    root -= 1 while root * root > number
    root += 1 while (root + 1) * (root + 1) <= number
    root
  end

  def digits(base = 10)
    base = base.to_i if base.is_a?(Float)
    PupcCore.ruby if self < 0 || base < 2
    return [0] if self == 0

    out = []
    rest = self
    while rest > 0
      out << rest % base
      rest /= base
    end
    out
  end

  def bit_length
    number = self < 0 ? ~self : self
    size = 0
    while number > 0
      size += 1
      number >>= 1
    end
    size
  end

  def gcd(other)
    PupcCore.ruby unless other.is_a?(Integer)
    a = abs
    b = other.abs
    a, b = b, a % b while b != 0
    a
  end

  def lcm(other)
    PupcCore.ruby unless other.is_a?(Integer)
    self == 0 || other == 0 ? 0 : (self / gcd(other) * other).abs
  end

  def gcdlcm(other)
    [gcd(other), lcm(other)]
  end

  def pow(exponent, modulus = nil)
    return self**exponent if modulus.nil?

    PupcCore.ruby if exponent < 0 || modulus <= 0 || modulus > 3_000_000_000
    out = 1
    base = self % modulus
    while exponent > 0
      out = out * base % modulus if exponent.odd?
      base = base * base % modulus
      exponent >>= 1
    end
    out % modulus
  end

  def allbits?(mask)
    (self & mask) == mask
  end

  def anybits?(mask)
    (self & mask) != 0
  end

  def nobits?(mask)
    (self & mask) == 0
  end

  def ceildiv(other)
    -div(-other)
  end

  def size
    8
  end

  def to_int
    self
  end

  def ord
    self
  end

  def ceil(digits = 0)
    return self if digits >= 0

    unit = 10**-digits
    -((-self).div(unit)) * unit
  end

  def floor(digits = 0)
    return self if digits >= 0

    unit = 10**-digits
    div(unit) * unit
  end

  def truncate(digits = 0)
    self < 0 ? ceil(digits) : floor(digits)
  end

  def round(digits = 0, half: nil)
    return self if digits >= 0

    PupcCore.ruby unless half.nil?
    unit = 10**-digits
    rest = abs % unit
    down = abs - rest
    rounded = rest * 2 >= unit ? down + unit : down
    self < 0 ? -rounded : rounded
  end

  def coerce(other)
    return [other, self] if other.is_a?(Integer)

    [Float(other), to_f]
  end

  def finite?
    true
  end

  def infinite?
    nil
  end

  def magnitude
    abs
  end

  def remainder(other)
    PupcCore.ruby unless other.is_a?(Integer)
    rest = abs % other.abs
    self < 0 ? -rest : rest
  end
end
# -- file
class Numeric
  def nonzero?
    self == 0 ? nil : self
  end

  def magnitude
    abs
  end

  def remainder(other)
    rest = abs % other.abs
    self < 0 ? -rest : rest
  end

  def integer?
    is_a?(Integer)
  end

  def step(limit = nil, by = nil, to: nil, &block)
    PupcCore.ruby if block || !to.nil? || !is_a?(Integer) || !limit.is_a?(Integer) || !(by.nil? || (by.is_a?(Integer) && by > 0))
    (self..limit).step(by || 1)
  end

  def coerce(other)
    [Float(other), to_f]
  end
end
# -- file
module Kernel
  def Pathname(path)
    Pathname.new(path)
  end

  def URI(text)
    URI.parse(text)
  end

  def __method__
    PupcCore.ruby
  end

  def srand(seed = nil)
    Random.srand(seed)
  end

  def caller(*args)
    PupcCore.ruby
  end

  def autoload(*args)
    PupcCore.ruby
  end

  def binding
    PupcCore.ruby
  end
end
# -- file
class Symbol
  def to_proc
    name = self
    lambda { |item, *args| item.public_send(name, *args) }
  end

  def id2name
    to_s
  end

  def name
    to_s
  end

  def [](*args)
    to_s[*args]
  end

  def slice(*args)
    to_s[*args]
  end

  def =~(pattern)
    to_s =~ pattern
  end

  def match(*args, &block)
    to_s.match(*args, &block)
  end

  def match?(*args)
    to_s.match?(*args)
  end

  def succ
    to_s.succ.to_sym
  end

  def next
    to_s.succ.to_sym
  end

  def capitalize
    to_s.capitalize.to_sym
  end

  def upcase(*args)
    to_s.upcase(*args).to_sym
  end

  def downcase(*args)
    to_s.downcase(*args).to_sym
  end

  def swapcase
    to_s.swapcase.to_sym
  end

  def casecmp(other)
    other.is_a?(Symbol) ? to_s.casecmp(other.to_s) : nil
  end

  def casecmp?(other)
    other.is_a?(Symbol) ? to_s.casecmp?(other.to_s) : nil
  end

  def start_with?(*args)
    to_s.start_with?(*args)
  end

  def end_with?(*args)
    to_s.end_with?(*args)
  end

  def length
    to_s.length
  end

  def size
    to_s.length
  end

  def empty?
    to_s.empty?
  end

  def encoding
    PupcCore.ruby
  end
end
# -- file
class Proc
  def >>(other)
    own = self
    lambda { |*args| other.call(own.call(*args)) }
  end

  def <<(other)
    own = self
    lambda { |*args| own.call(other.call(*args)) }
  end

  def curry(count = nil)
    count ||= arity < 0 ? -arity - 1 : arity
    __curry(count, [])
  end

  def __curry(count, given)
    own = self
    lambda do |*args|
      all = given + args
      all.size >= count ? own.call(*all) : own.__curry(count, all)
    end
  end
end
# -- file
class Exception
  def backtrace
    PupcCore.ruby
  end
end
