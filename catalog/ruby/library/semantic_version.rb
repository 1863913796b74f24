# -- file
# Semantic versions, as the gem semantic_puppet has them.
module SemanticPuppet
  # Identifiers of an early version are numbers or texts, those of a build texts: lists, or nil where there are none.
  class Version < Numeric
    include Comparable

    class ValidationFailure < ArgumentError
    end

    FORM = /\A(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?(?:\+([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?\Z/

    attr_reader :major, :minor, :patch

    def self.parse(text)
      found = FORM.match(text)
      raise ValidationFailure, "Unable to parse '#{text}' as a semantic version identifier" unless found

      early = found[4] && found[4].split('.').map { |part| __identifier(part) }
      new(found[1].to_i, found[2].to_i, found[3].to_i, early, found[5] && found[5].split('.')).freeze
    end

    def self.valid?(text)
      found = FORM.match(text)
      !found.nil? && (found[4].nil? || found[4].split('.').none? { |part| part.match?(/\A0\d+\z/) })
    end

    def self.__identifier(part)
      return part unless part.match?(/\A\d+\z/)
      raise ValidationFailure, 'Numeric pre-release identifiers MUST NOT contain leading zeroes' if part.size > 1 && part.start_with?('0')

      part.to_i
    end

    def initialize(major, minor, patch, prerelease = nil, build = nil)
      @major = major
      @minor = minor
      @patch = patch
      @prerelease = prerelease
      @build = build
    end

    def prerelease
      @prerelease.nil? || @prerelease.empty? ? nil : @prerelease.join('.')
    end

    def build
      @build.nil? || @build.empty? ? nil : @build.join('.')
    end

    def stable?
      @prerelease.nil? || @prerelease.empty?
    end

    # Its build stays.
    def to_stable
      @prerelease.nil? ? self : Version.new(@major, @minor, @patch, nil, @build)
    end

    def next(part)
      case part
      when :major then Version.new(@major.next, 0, 0)
      when :minor then Version.new(@major, @minor.next, 0)
      when :patch then Version.new(@major, @minor, @patch.next)
      end
    end

    def __early
      @prerelease
    end

    def __build
      @build
    end

    # The build has no part in the order, but in equality.
    def <=>(other)
      return nil unless other.is_a?(Version)

      order = [@major, @minor, @patch] <=> [other.major, other.minor, other.patch]
      order == 0 ? compare_prerelease(other) : order
    end

    def compare_prerelease(other)
      others = other.__early
      return others.nil? ? 0 : 1 if @prerelease.nil?
      return -1 if others.nil?

      @prerelease.zip(others).each do |a, b|
        return 1 if b.nil?
        next if a == b
        return a <=> b if a.is_a?(Integer) == b.is_a?(Integer)

        return a.is_a?(Integer) ? -1 : 1
      end
      @prerelease.size <=> others.size
    end

    def eql?(other)
      other.is_a?(Version) && @major == other.major && @minor == other.minor && @patch == other.patch &&
        @prerelease == other.__early && @build == other.__build
    end

    def ==(other)
      eql?(other)
    end

    def hash
      to_s.hash
    end

    def to_s
      "#{@major}.#{@minor}.#{@patch}#{"-#{prerelease}" if @prerelease}#{"+#{build}" if @build}"
    end

    def inspect
      to_s
    end

    MIN = new(0, 0, 0, []).freeze
    MAX = new(Float::INFINITY, 0, 0).freeze
  end

  # A range: the compiler knows what lies in it (`PupcCore`).
  class VersionRange
    def self.parse(text)
      found = PupcCore.range_text(text)
      raise ArgumentError, "Unparsable version range: #{text.inspect}" if found.nil?

      new(found).freeze
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

    def inspect
      @text
    end
  end
end
