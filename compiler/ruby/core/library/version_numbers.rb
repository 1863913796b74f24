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
# -- file
# Versions: a subset of what the gem semantic_puppet has.
module SemanticPuppet
  class Version < Numeric
    class ValidationFailure < ArgumentError
    end

    include Comparable

    FORM = /\A(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?(?:\+([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?\z/

    attr_reader :major, :minor, :patch

    def self.parse(text)
      found = FORM.match(text)
      raise ValidationFailure, "Unable to parse '#{text}' as a semantic version identifier" unless found

      early = __parts(found[4])
      PupcCore.ruby if early && found[4].split('.').any? { |part| part =~ /\A0\d+\z/ }
      new(found[1].to_i, found[2].to_i, found[3].to_i, early, found[5]&.split('.'))
    end

    def self.valid?(text)
      FORM.match?(text)
    end

    def self.__parts(text)
      text&.split('.')&.map { |part| part =~ /\A\d+\z/ ? part.to_i : part }
    end

    def initialize(major, minor, patch, prerelease = nil, build = nil)
      @major = major
      @minor = minor
      @patch = patch
      @prerelease = prerelease
      @build = build
    end

    def prerelease
      @prerelease && !@prerelease.empty? ? @prerelease.join('.') : nil
    end

    def build
      @build && !@build.empty? ? @build.join('.') : nil
    end

    def stable?
      prerelease.nil?
    end

    def to_stable
      Version.new(@major, @minor, @patch)
    end

    def next(part)
      case part
      when :major then Version.new(@major.next, 0, 0)
      when :minor then Version.new(@major, @minor.next, 0)
      when :patch then Version.new(@major, @minor, @patch.next)
      else PupcCore.ruby
      end
    end

    def __early
      @prerelease || []
    end

    def <=>(other)
      PupcCore.ruby unless other.is_a?(Version)
      order = [@major, @minor, @patch] <=> [other.major, other.minor, other.patch]
      return order if order != 0

      mine = __early
      others = other.__early
      return 0 if mine.empty? && others.empty?
      return 1 if mine.empty?
      return -1 if others.empty?

      mine.zip(others).each do |a, b|
        return 1 if b.nil?
        next if a == b
        return a <=> b if a.class == b.class

        return a.is_a?(Integer) ? -1 : 1
      end
      mine.size <=> others.size
    end

    def eql?(other)
      other.is_a?(Version) && to_s == other.to_s
    end

    def ==(other)
      other.is_a?(Version) && (self <=> other) == 0
    end

    def hash
      to_s.hash
    end

    def to_s
      "#{@major}.#{@minor}.#{@patch}#{"-#{prerelease}" if prerelease}#{"+#{build}" if build}"
    end
  end

  class VersionRange
    def self.parse(text)
      found = PupcCore.range_text(text)
      raise ArgumentError, "Unparsable version range: #{text.inspect}" if found.nil?

      new(found)
    end

    def initialize(text, *others)
      PupcCore.ruby unless text.is_a?(String) && others.empty?
      @text = text
    end

    def include?(version)
      version.is_a?(Version) && PupcCore.in_range(@text, version.to_s)
    end

    def ===(version)
      include?(version)
    end

    def cover?(version)
      include?(version)
    end

    def member?(version)
      include?(version)
    end

    def to_s
      @text
    end
  end
end
