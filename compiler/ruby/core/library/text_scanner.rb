# -- file
# StringScanner: reads a text from its beginning, one pattern after another. Places are bytes, as in Ruby.
class StringScanner
  def initialize(text)
    @text = text
    @pos = 0
    @found = nil
    @before = 0
  end

  def string
    @text
  end

  def string=(text)
    @text = text
    reset
    text
  end

  def pos
    @text[0, @pos].bytesize
  end

  def pointer
    pos
  end

  def charpos
    @pos
  end

  def pos=(place)
    PupcCore.ruby unless place >= 0 && place <= @text.bytesize
    @pos = __first(@text, place).size
  end

  # The characters of so many bytes.
  def __first(text, bytes)
    return text[0, bytes] if text.ascii_only?

    size = 0
    out = text.each_char.take_while { |c| (size += c.bytesize) <= bytes }.join
    PupcCore.ruby if out.bytesize != bytes
    out
  end

  def reset
    @pos = 0
    @found = nil
    self
  end

  def terminate
    @pos = @text.size
    @found = nil
    self
  end

  def <<(more)
    @text = @text + more
    self
  end

  def concat(more)
    self << more
  end

  def eos?
    @pos >= @text.size
  end

  def rest?
    !eos?
  end

  def rest
    @text[@pos..] || ''
  end

  def rest_size
    rest.bytesize
  end

  def beginning_of_line?
    @pos == 0 || @text[@pos - 1] == "\n"
  end

  def bol?
    beginning_of_line?
  end

  def __try(pattern, anchored, advance)
    pattern = Regexp.new(Regexp.escape(pattern)) if pattern.is_a?(String)
    left = rest
    @found = pattern.match(left)
    @found = nil if anchored && !@found.nil? && @found.begin(0) != 0
    return nil if @found.nil?

    @before = @pos
    @pos += @found.end(0) if advance
    left[0, @found.end(0)]
  end

  def scan(pattern)
    __try(pattern, true, true)
  end

  def scan_until(pattern)
    __try(pattern, false, true)
  end

  def check(pattern)
    __try(pattern, true, false)
  end

  def check_until(pattern)
    __try(pattern, false, false)
  end

  def skip(pattern)
    found = scan(pattern)
    found.nil? ? nil : found.bytesize
  end

  def skip_until(pattern)
    found = scan_until(pattern)
    found.nil? ? nil : found.bytesize
  end

  def match?(pattern)
    found = check(pattern)
    found.nil? ? nil : found.bytesize
  end

  def exist?(pattern)
    found = check_until(pattern)
    found.nil? ? nil : found.bytesize
  end

  def getch
    scan(/./m)
  end

  def peek(count)
    __first(rest, [count, rest_size].min)
  end

  def unscan
    PupcCore.ruby if @found.nil?
    @pos = @before
    @found = nil
    self
  end

  def matched
    @found.nil? ? nil : @found[0]
  end

  def matched?
    !@found.nil?
  end

  def matched_size
    @found.nil? ? nil : @found[0].bytesize
  end

  def [](group)
    @found.nil? ? nil : @found[group]
  end

  def size
    @found.nil? ? nil : @found.size
  end

  def captures
    @found.nil? ? nil : @found.captures
  end

  def named_captures
    @found.nil? ? {} : @found.named_captures
  end

  def values_at(*groups)
    @found.nil? ? nil : @found.values_at(*groups)
  end

  def pre_match
    @found.nil? ? nil : @text[0, @before + @found.begin(0)]
  end

  def post_match
    @found.nil? ? nil : @found.post_match
  end
end
# -- file
# StringIO, for what is written and read as a text.
class StringIO
  include Enumerable

  def initialize(text = nil, mode = nil)
    @text = text.nil? ? +'' : text
    @pos = mode.to_s.start_with?('a') ? @text.size : 0
    @lineno = 0
  end

  def string
    @text
  end

  def write(*parts)
    parts.map { |part| __write(part.to_s) }.sum
  end

  def __write(part)
    PupcCore.ruby unless @pos == @text.size
    @text << part
    @pos = @text.size
    part.bytesize
  end

  def <<(part)
    write(part)
    self
  end

  def print(*parts)
    parts.each { |part| write(part) }
    nil
  end

  def puts(*lines)
    write("\n") if lines.empty?
    lines.flatten.each { |line| write(line.to_s.end_with?("\n") ? line : "#{line}\n") }
    nil
  end

  def printf(format, *args)
    write(format(format, *args))
    nil
  end

  def read(length = nil)
    return __read_some(length) unless length.nil?

    out = @text[@pos..] || ''
    @pos = @text.size
    out
  end

  def __read_some(length)
    PupcCore.ruby unless @text.ascii_only?
    return nil if @pos >= @text.size && length > 0

    out = @text[@pos, length]
    @pos += out.size
    out.b
  end

  def pos
    PupcCore.ruby unless @text.ascii_only?
    @pos
  end

  def tell
    pos
  end

  def size
    @text.bytesize
  end

  def length
    @text.bytesize
  end

  def truncate(length)
    PupcCore.ruby unless length == 0
    @text.clear
    0
  end

  def closed?
    false
  end

  def each_char(&block)
    out = read.chars
    block ? out.each(&block) : out.each
  end

  def gets
    return nil if @pos >= @text.size

    at = @text.index("\n", @pos)
    stop = at.nil? ? @text.size : at + 1
    line = @text[@pos...stop]
    @pos = stop
    @lineno += 1
    line
  end

  def getc
    return nil if @pos >= @text.size

    @pos += 1
    @text[@pos - 1]
  end

  def each_line
    return readlines.each unless block_given?

    while (line = gets)
      yield line
    end
    self
  end

  def each(&block)
    each_line(&block)
  end

  def readlines
    out = []
    each_line { |line| out << line }
    out
  end

  def lineno
    @lineno
  end

  def eof?
    @pos >= @text.size
  end

  def rewind
    @pos = 0
    @lineno = 0
    0
  end

  def close
    nil
  end

  def flush
    self
  end
end
