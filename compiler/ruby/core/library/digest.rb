# -- file
# Digests that are made in parts, SHA-384 and SHA-512, HMAC.
module Digest
  # Those that only pass on what they get cost no more than the primitive itself.
  class Instance
    def initialize(algorithm)
      PupcCore.digest_begin(self, algorithm)
    end

    def update(part)
      PupcCore.digest_add(self, part)
    end

    def <<(part)
      PupcCore.digest_add(self, part)
    end

    def reset
      PupcCore.digest_reset(self)
    end

    def hexdigest(text = nil)
      PupcCore.digest_end_hex(self, text)
    end

    def digest(text = nil)
      PupcCore.digest_end(self, text)
    end

    def base64digest(text = nil)
      [digest(text)].pack('m0')
    end

    def to_s
      hexdigest
    end

    def ==(other)
      other.is_a?(Digest::Instance) ? digest == other.digest : other.is_a?(String) && hexdigest == other
    end

    # A copy would share the text with this one.
    def dup
      PupcCore.ruby
    end

    def clone
      PupcCore.ruby
    end
  end

  class Sha2 < Instance
    def self.hexdigest(text)
      new.hexdigest(text)
    end

    def self.digest(text)
      new.digest(text)
    end

    def self.base64digest(text)
      new.base64digest(text)
    end
  end

  class SHA384 < Sha2
    def initialize
      super('sha384')
    end
  end

  class SHA512 < Sha2
    def initialize
      super('sha512')
    end
  end

  MD5 = Digest::MD5
  SHA1 = Digest::SHA1
  SHA256 = Digest::SHA256
end
# -- file
class Digest::MD5
  def self.new
    Digest::Instance.new('md5')
  end
end
# -- file
class Digest::SHA1
  def self.new
    Digest::Instance.new('sha1')
  end
end
# -- file
class Digest::SHA256
  def self.new
    Digest::Instance.new('sha256')
  end
end
# -- file
module OpenSSL
  class Digest < ::Digest::Instance
    def self.digest(name, text)
      new(name).digest(text)
    end

    def self.hexdigest(name, text)
      new(name).hexdigest(text)
    end

    def initialize(name)
      algorithm = name.to_s.downcase.delete('-')
      PupcCore.ruby unless %w[md5 sha1 sha256 sha384 sha512].include?(algorithm)
      super(algorithm)
    end

    def name
      @algorithm.upcase
    end

    MD5 = ::Digest::MD5
    SHA1 = ::Digest::SHA1
    SHA256 = ::Digest::SHA256
  end

  class HMAC
    def self.hexdigest(algorithm, key, text)
      algorithm = algorithm.is_a?(OpenSSL::Digest) ? algorithm.name.downcase : algorithm.to_s.downcase.delete('-')
      PupcCore.ruby unless %w[md5 sha1 sha256 sha384 sha512].include?(algorithm)
      size = %w[sha384 sha512].include?(algorithm) ? 128 : 64
      bytes = key.bytesize > size ? PupcCore.digest_bytes(algorithm, [key]).bytes : key.bytes
      bytes += [0] * (size - bytes.size)
      inner = PupcCore.digest_bytes(algorithm, [bytes.map { |b| b ^ 0x36 }.pack('C*'), text])
      PupcCore.digest(algorithm, [bytes.map { |b| b ^ 0x5c }.pack('C*'), inner])
    end

    def self.digest(algorithm, key, text)
      [hexdigest(algorithm, key, text)].pack('H*')
    end
  end
end
