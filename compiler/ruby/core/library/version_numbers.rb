# -- file
# Versions of gems.
module Gem
  class Version
    include Comparable

    def self.correct?(text)
      PupcCore.ruby if text.nil?
      text.to_s.match?(/\A\s*([0-9]+(\.[0-9a-zA-Z]+)*(-[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?)?\s*\z/)
    end

    def self.create(version)
      version.is_a?(Gem::Version) || version.nil? ? version : new(version)
    end

    def initialize(version)
      raise ArgumentError, "Malformed version number string #{version}" unless Gem::Version.correct?(version)

      version = 0 if version.is_a?(String) && version =~ /\A\s*\z/
      @version = version.to_s.strip.gsub('-', '.pre.')
    end

    def version
      @version
    end

    def to_s
      @version
    end

    def inspect
      "Gem::Version.new(#{@version.inspect})"
    end

    def hash
      canonical_segments.hash
    end

    def eql?(other)
      other.is_a?(Gem::Version) && @version == other.version
    end

    def segments
      @version.scan(/[0-9]+|[a-z]+/i).map { |part| part =~ /\A\d+\z/ ? part.to_i : part }
    end

    def canonical_segments
      all = segments
      start = all.index { |part| part.is_a?(String) } || all.size
      [all.take(start), all.drop(start)].flat_map { |part| part.reverse.drop_while { |one| one == 0 }.reverse }
    end

    def prerelease?
      @version =~ /[a-zA-Z]/ ? true : false
    end

    def release
      return self unless prerelease?

      left = segments
      left.pop while left.any? { |part| part.is_a?(String) }
      Gem::Version.new(left.join('.'))
    end

    def bump
      left = segments
      left.pop while left.any? { |part| part.is_a?(String) }
      left.pop if left.size > 1
      left[-1] = left[-1].succ
      Gem::Version.new(left.join('.'))
    end

    def <=>(other)
      return self <=> Gem::Version.new(other) if other.is_a?(String) && Gem::Version.correct?(other)
      return nil unless other.is_a?(Gem::Version)

      mine = canonical_segments
      others = other.canonical_segments
      [mine.size, others.size].max.times do |i|
        a = mine[i] || 0
        b = others[i] || 0
        next if a == b
        return -1 if a.is_a?(String) && b.is_a?(Integer)
        return 1 if a.is_a?(Integer) && b.is_a?(String)

        return a <=> b
      end
      0
    end
  end

  class Requirement
    def self.default
      new('>= 0')
    end

    def self.create(*requirements)
      requirements.size == 1 && requirements[0].is_a?(Gem::Requirement) ? requirements[0] : new(*requirements)
    end

    def initialize(*requirements)
      requirements = requirements.flatten.compact.uniq
      requirements = ['>= 0'] if requirements.empty?
      @requirements = requirements.map { |one| __parsed(one) }
    end

    def __parsed(one)
      return ['=', one] if one.is_a?(Gem::Version)

      found = /\A\s*(!=|>=|<=|~>|=|>|<)?\s*([0-9]+(?:\.[0-9a-zA-Z]+)*(?:-[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?)\s*\z/.match(one)
      PupcCore.ruby if found.nil?
      [found[1] || '=', Gem::Version.new(found[2])]
    end

    def satisfied_by?(version)
      PupcCore.ruby unless version.is_a?(Gem::Version)
      @requirements.all? do |sign, wanted|
        case sign
        when '=' then version == wanted
        when '!=' then version != wanted
        when '>' then version > wanted
        when '<' then version < wanted
        when '>=' then version >= wanted
        when '<=' then version <= wanted
        else version >= wanted && version.release < wanted.bump
        end
      end
    end

    def ===(version)
      satisfied_by?(version)
    end

    def =~(version)
      satisfied_by?(version)
    end

    def to_s
      @requirements.map { |sign, version| "#{sign} #{version}" }.join(', ')
    end
  end
end
