# -- file
class String
  def self.try_convert(value)
    value.is_a?(String) ? value : nil
  end

  def -@
    frozen? ? self : dup.freeze
  end

  def codepoints(&block)
    return each_codepoint(&block) if block

    chars.map(&:ord)
  end

  def each_codepoint(&block)
    return codepoints.each unless block

    codepoints.each(&block)
    self
  end

  def each_byte(&block)
    return bytes.each unless block

    bytes.each(&block)
    self
  end

  def each_line(separator = "\n", chomp: false, &block)
    list = lines(separator, chomp: chomp)
    return list.each unless block

    list.each(&block)
    self
  end

  def lines(separator = "\n", chomp: false)
    PupcCore.ruby if !separator.is_a?(String) || separator == '' || block_given?
    out = []
    at = 0
    while at < size
      stop = index(separator, at)
      ending = stop.nil? ? size : stop + separator.size
      line = self[at...ending]
      line = separator == "\n" ? line.chomp : line.delete_suffix(separator) if chomp
      out << line
      at = ending
    end
    out
  end

  def grapheme_clusters(&block)
    PupcCore.ruby unless ascii_only? && !include?("\r")
    return chars if block.nil?

    chars.each(&block)
    self
  end

  def each_grapheme_cluster(&block)
    block ? grapheme_clusters(&block) : grapheme_clusters.each
  end

  def ascii_only?
    bytesize == size
  end

  def getbyte(place)
    PupcCore.ruby unless place.is_a?(Integer)
    bytes[place]
  end

  def setbyte(place, value)
    PupcCore.ruby
  end

  def byteslice(from, *count)
    PupcCore.ruby unless ascii_only? && count.size < 2 && count.all?(Integer)
    PupcCore.ruby unless from.is_a?(Integer) || (count.empty? && from.is_a?(Range))
    count.empty? ? self[from] : self[from, count[0]]
  end

  def byteindex(text, from = 0)
    PupcCore.ruby unless ascii_only?
    index(text, from)
  end

  def oct
    return self[/\A\s*-?0[xX]\h+/].delete(' ').to_i(16) if self =~ /\A\s*-?0[xX]/
    return PupcCore.ruby if self =~ /\A\s*[-+]?0[bBoOdD]/ || self =~ /_/

    to_i(8)
  end

  def hex
    to_i(16)
  end

  def next!
    replace(succ)
  end

  def succ!
    replace(succ)
  end

  def next
    succ
  end

  def sum(bits = 16)
    PupcCore.ruby unless bits.between?(1, 60)
    bytes.sum % (1 << bits)
  end

  def slice!(*args)
    taken = self[*args]
    return nil if taken.nil?

    case args[0]
    when Integer, Range
      from = args[0].is_a?(Range) ? args[0].begin || 0 : args[0]
      from += size if from < 0
    when Regexp
      PupcCore.ruby if args.size > 1
      from = index(args[0])
    else from = index(args[0])
    end
    replace(self[0, from] + (self[from + taken.size..] || ''))
    taken
  end

  def tr_s(from, to)
    PupcCore.ruby if from.start_with?('^') && from.size > 1
    last = nil
    out = +''
    chars.each do |c|
      changed = c.tr(from, to)
      hit = c.count(from) > 0
      out << changed unless hit && last == changed
      last = hit ? changed : nil
    end
    out
  end

  def tr_s!(from, to)
    changed = tr_s(from, to)
    changed == self ? nil : replace(changed)
  end

  def upto(last, exclusive = false, &block)
    list = exclusive ? (self...last).to_a : (self..last).to_a
    return list.each unless block

    list.each(&block)
    self
  end

  def dump
    out = +'"'
    chars.each_with_index do |c, i|
      out << case c
             when '"' then '\\"'
             when '\\' then '\\\\'
             when "\n" then '\\n'
             when "\t" then '\\t'
             when "\r" then '\\r'
             when "\e" then '\\e'
             when "\a" then '\\a'
             when "\b" then '\\b'
             when "\v" then '\\v'
             when "\f" then '\\f'
             when '#' then ['$', '@', '{'].include?(self[i + 1]) ? '\\#' : '#'
             else
               code = c.ord
               if code < 32 || code == 127
                 format('\\x%02X', code)
               elsif code < 127
                 c
               elsif code < 65_536
                 format('\\u%04X', code)
               else
                 format('\\u{%X}', code)
               end
             end
    end
    out << '"'
  end

  def undump
    inside = self[/\A"((?:[^"\\]|\\.)*)"\z/m, 1]
    PupcCore.ruby if inside.nil? || !ascii_only? || include?("\0") || (inside.include?('\u') && inside.include?('\x'))
    inside.gsub(/\\(?:u\{(\h{1,6})\}|u(\h{4})|x([0-7]\h)|(.))/m) do
      digits = $1 || $2 || $3
      if digits
        code = digits.hex
        PupcCore.ruby if code.between?(0xD800, 0xDFFF) || code > 0x10FFFF
        [code].pack('U')
      else
        case $4
        when '"', '\\', '#' then $4
        when 'n' then "\n"
        when 't' then "\t"
        when 'r' then "\r"
        when 'e' then "\e"
        when 'a' then "\a"
        when 'b' then "\b"
        when 'v' then "\v"
        when 'f' then "\f"
        when 'u', 'x' then PupcCore.ruby
        else "\\#{$4}"
        end
      end
    end
  end

  def encoding
    PupcCore.ruby
  end

  def valid_encoding?
    true
  end

  def scrub(*args)
    dup
  end

  def scrub!(*args)
    self
  end

  def encode(*args)
    return PupcCore.encoded(self, args[0]) if args.size == 1 && args[0].is_a?(String) && args[0] =~ /\AUTF-(16|32)[LB]E\z/i
    return __xml(args[0][:xml]) if args.size == 1 && args[0].is_a?(Hash) && args[0].keys == [:xml]

    PupcCore.ruby unless args.empty? || (args[0].is_a?(String) && args[0].downcase == 'utf-8')
    PupcCore.ruby if args.last.is_a?(Hash) && args.last.keys.any? { |key| ![:invalid, :undef, :replace].include?(key) }
    dup
  end

  def __xml(form)
    text = gsub('&', '&amp;').gsub('<', '&lt;').gsub('>', '&gt;')
    case form
    when :text then text
    when :attr then "\"#{text.gsub('"', '&quot;').gsub("'", '&apos;')}\""
    else PupcCore.ruby
    end
  end

  def force_encoding(name)
    PupcCore.ruby unless name.is_a?(String) && name.downcase == 'utf-8'
    self
  end

  def unicode_normalize(*args)
    PupcCore.ruby unless ascii_only?
    dup
  end

  def crypt(salt)
    PupcCore.crypt(self, salt)
  end

  def parse_csv(**options)
    CSV.parse_line(self, **options)
  end

  def shellescape
    Shellwords.escape(self)
  end

  def shellsplit
    Shellwords.__split(self)
  end

  def casecmp?(other)
    PupcCore.ruby unless other.is_a?(String)
    downcase == other.downcase
  end

  def each_with_index
    PupcCore.ruby
  end

  def unpack_all
    PupcCore.ruby
  end
end
# -- file
class Regexp
  IGNORECASE = 1
  EXTENDED = 2
  MULTILINE = 4

  def self.union(*patterns)
    patterns = patterns[0] if patterns.size == 1 && patterns[0].is_a?(Array)
    return /(?!)/ if patterns.empty?
    return patterns[0].is_a?(Regexp) ? patterns[0] : Regexp.new(Regexp.escape(patterns[0])) if patterns.size == 1

    Regexp.new(patterns.map { |pattern| pattern.is_a?(Regexp) ? "#{pattern.to_s[/\A[^:]*:/]}#{pattern.source})" : Regexp.escape(pattern.to_s) }.join('|'))
  end

  def self.compile(*args)
    given = args[0]
    if args.size == 1 && !given.is_a?(String) && !given.is_a?(Regexp)
      raise TypeError, "no implicit conversion of #{given.nil? || given == true || given == false ? given.inspect : given.class} into String"
    end

    new(*args)
  end

  def names
    out = []
    source.scan(/\(\?<([A-Za-z_]\w*)>/) { |name| out << name[0] unless out.include?(name[0]) }
    out
  end

  def casefold?
    to_s =~ /\A\(\?[mx]*i/ ? true : false
  end

  def options
    flags = to_s[/\A\(\?([mix]*)/, 1]
    (flags.include?('i') ? 1 : 0) + (flags.include?('x') ? 2 : 0) + (flags.include?('m') ? 4 : 0) + (source.ascii_only? ? 0 : 16)
  end

  def ~
    PupcCore.ruby
  end
end
# -- file
class MatchData
  def size
    to_a.size
  end

  def length
    to_a.size
  end

  def values_at(*places)
    places.flat_map { |place| place.is_a?(Range) ? to_a.values_at(place) : [self[place]] }
  end

  def deconstruct
    captures
  end

  def deconstruct_keys(keys)
    all = names.map { |name| [name.to_sym, self[name]] }.to_h
    keys.nil? ? all : all.slice(*keys)
  end

  def offset(group)
    [self.begin(group), self.end(group)]
  end

  def string
    (pre_match + self[0] + post_match).freeze
  end

  # Unlike [], an error where there is no such group, also for a negative number.
  def match(group)
    self.begin(group) && self[group]
  end

  def match_length(group)
    self.begin(group) && self[group].size
  end

  def ==(other)
    PupcCore.ruby
  end
end
# -- file
class NilClass
  def to_a
    []
  end

  def =~(other)
    nil
  end
end
# -- file
class Range
  def lazy
    own = self
    Enumerator::Lazy.__make { |block| own.each { |item| block.call(item) } }
  end

  def each_slice(*args, &block)
    groups = to_a.each_slice(*args, &block)
    block ? self : groups
  end

  def %(by)
    step(by)
  end

  def minmax(&block)
    PupcCore.ruby if block
    [min, max]
  end

  def max(*args, &block)
    return to_a.max(*args, &block) if block || !args.empty? || !self.begin.is_a?(Integer) || !self.end.is_a?(Integer)

    last = exclude_end? ? self.end - 1 : self.end
    last < self.begin ? nil : last
  end

  def min(*args, &block)
    return to_a.min(*args, &block) if block || !args.empty?

    PupcCore.ruby
  end

  def sum(*args, &block)
    to_a.sum(*args, &block)
  end

  def count(*args, &block)
    to_a.count(*args, &block)
  end

  def ===(value)
    PupcCore.ruby
  end

  def eql?(other)
    other.is_a?(Range) && self == other
  end

  def to_s
    PupcCore.ruby
  end

  def bsearch
    low = self.begin
    high = exclude_end? ? self.end - 1 : self.end
    PupcCore.ruby unless low.is_a?(Integer) && high.is_a?(Integer)
    found = nil
    while low <= high
      middle = low + (high - low) / 2
      answer = yield(middle)
      return middle if answer == 0

      if answer == true || (answer.is_a?(Numeric) && answer < 0)
        found = middle if answer == true
        high = middle - 1
      else
        low = middle + 1
      end
    end
    found
  end

  def cover?(value)
    PupcCore.ruby unless value.is_a?(Range)
    return false if value.begin.nil? || value.end.nil? || self.begin.nil? || self.end.nil? || value.begin > value.end

    PupcCore.ruby if value.exclude_end? != exclude_end?
    value.begin >= self.begin && value.end <= self.end
  end
end
