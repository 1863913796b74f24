# -- file
# Random numbers of a seed: as Ruby draws them.
class Random
  def self.__default
    @default ||= new
  end

  def self.rand(limit = nil)
    limit.nil? ? __default.rand : __default.rand(limit)
  end

  # For what no seed may foretell.
  def self.__secret
    @secret ||= new
  end

  def self.random_number(limit = nil)
    __default.random_number(limit)
  end

  def self.bytes(count)
    __default.bytes(count)
  end

  def self.seed
    __default.seed
  end

  def self.srand(seed = nil)
    before = __default.seed
    @default = new(seed)
    before
  end

  def self.new_seed
    PupcCore.random_hex(16).to_i(16)
  end

  def initialize(seed = nil)
    @seed = seed.nil? ? Random.new_seed : seed
    @seed = @seed.to_i if @seed.is_a?(Float)
    PupcCore.ruby unless @seed.is_a?(Integer)
    words = []
    rest = @seed.abs
    while rest > 0
      words << (rest & 0xffffffff)
      rest >>= 32
    end
    @state = PupcCore.random_state(words)
  end

  def seed
    @seed
  end

  def ==(other)
    other.is_a?(Random) && @state == other.__state
  end

  def __state
    @state
  end

  # A number from 0 to `limit`.
  def __upto(limit)
    PupcCore.random_draw(@state, limit)
  end

  def bytes(count)
    PupcCore.random_bytes(@state, count)
  end

  def rand(limit = nil)
    return PupcCore.random_draw(@state, nil) if limit.nil?

    case limit
    when Integer
      raise ArgumentError, "invalid argument - #{limit}" if limit <= 0

      __upto(limit - 1)
    when Float
      raise ArgumentError, "invalid argument - #{limit}" if limit < 0

      PupcCore.random_draw(@state, nil) * limit
    when Range
      PupcCore.ruby unless limit.begin.is_a?(Integer) && limit.end.is_a?(Integer)
      last = limit.exclude_end? ? limit.end - 1 : limit.end
      PupcCore.ruby if last < limit.begin
      __upto(last - limit.begin) + limit.begin
    else PupcCore.ruby
    end
  end

  def random_number(limit = nil)
    limit.nil? || (limit.is_a?(Integer) && limit <= 0) ? rand : rand(limit)
  end
end
# -- file
# Random numbers without a seed.
module SecureRandom
  def self.hex(count = nil)
    PupcCore.random_hex(count || 16)
  end

  def self.uuid
    digits = PupcCore.random_hex(16)
    digits[12] = '4'
    digits[16] = '89ab'[digits[16].to_i(16) % 4]
    "#{digits[0, 8]}-#{digits[8, 4]}-#{digits[12, 4]}-#{digits[16, 4]}-#{digits[20, 12]}"
  end

  def self.random_number(limit = nil)
    Random.__secret.random_number(limit)
  end

  def self.rand(limit = nil)
    random_number(limit)
  end

  def self.alphanumeric(count = nil)
    letters = [*'A'..'Z', *'a'..'z', *'0'..'9']
    Array.new(count || 16) { letters[Random.__secret.rand(62)] }.join
  end
end
