# -- file
# OpenStruct.
class OpenStruct
  def initialize(values = nil)
    @table = {}
    return if values.nil?

    values.each_pair { |name, value| @table[name.to_sym] = value }
  end

  def initialize_copy(other)
    @table = @table.dup
  end

  def [](name)
    @table[name.to_sym]
  end

  def []=(name, value)
    @table[name.to_sym] = value
  end

  def to_h(&block)
    block ? @table.to_h(&block) : @table.dup
  end

  def each_pair(&block)
    return @table.each_pair unless block

    @table.each_pair(&block)
    self
  end

  def dig(name, *rest)
    found = @table[name.to_sym]
    rest.empty? || found.nil? ? found : found.dig(*rest)
  end

  def delete_field(name)
    PupcCore.ruby unless @table.key?(name.to_sym)
    @table.delete(name.to_sym)
  end

  def respond_to_missing?(name, hidden = false)
    @table.key?(name.to_s.chomp('=').to_sym)
  end

  def method_missing(name, *args)
    text = name.to_s
    return @table[text.chomp('=').to_sym] = args[0] if text.end_with?('=') && args.size == 1

    PupcCore.ruby unless args.empty? && text =~ /\A[a-z_]\w*\z/
    @table[name]
  end

  def ==(other)
    other.is_a?(OpenStruct) && to_h == other.to_h
  end

  def inspect
    return '#<OpenStruct>' if @table.empty?

    "#<OpenStruct #{@table.map { |name, value| "#{name}=#{value.inspect}" }.join(', ')}>"
  end

  def to_s
    inspect
  end
end
# -- file
# Pathname, for what reads.
class Pathname
  include Comparable

  def self.pwd
    new(Dir.pwd)
  end

  def self.glob(*args)
    Dir.glob(*args).map { |path| new(path) }
  end

  def initialize(path)
    @path = File.__path(path).dup
  end

  def to_s
    @path
  end

  def to_path
    @path
  end

  def to_str
    @path
  end

  def inspect
    "#<Pathname:#{@path}>"
  end

  def <=>(other)
    other.is_a?(Pathname) ? @path.tr('/', "\0") <=> other.to_s.tr('/', "\0") : nil
  end

  def ==(other)
    other.is_a?(Pathname) && @path == other.to_s
  end

  def eql?(other)
    self == other
  end

  def ===(other)
    self == other
  end

  def +(other)
    Pathname.new(__plus(@path, other.to_s))
  end

  def /(other)
    self + other
  end

  def __plus(path, other)
    return other if other.start_with?('/')

    parts = other.split('/').reject { |part| part == '.' || part == '' }
    base = path == '.' ? '' : path
    until parts.empty?
      if parts[0] == '..' && base != '' && File.basename(base) != '..'
        base = File.dirname(base) == '.' && !base.start_with?('.') ? '' : File.dirname(base)
        base = '' if base == '.'
        parts.shift
      else
        break
      end
    end
    rest = parts.join('/')
    return base == '' ? '.' : base if rest == ''

    base == '' ? rest : File.join(base, rest)
  end

  def join(*others)
    others.inject(self) { |path, other| path + other }
  end

  def basename(suffix = '')
    Pathname.new(File.basename(@path, suffix))
  end

  def dirname
    Pathname.new(File.dirname(@path))
  end

  def extname
    File.extname(@path)
  end

  def parent
    self + '..'
  end

  def ascend
    return to_enum(:ascend) unless block_given?

    path = @path
    yield self
    until (base = File.basename(path)).delete('/') == ''
      path = path[0, path.rindex(base)]
      break if path == ''

      yield Pathname.new(__without_last_slashes(path))
    end
  end

  def descend
    return to_enum(:descend) unless block_given?

    paths = []
    ascend { |path| paths << path }
    paths.reverse_each { |path| yield path }
    nil
  end

  def __without_last_slashes(path)
    base = File.basename(path)
    return path[0, path.rindex(base)] + base unless base.delete('/') == ''

    path == '' ? path : File.dirname(path)
  end

  def absolute?
    @path.start_with?('/')
  end

  def relative?
    !absolute?
  end

  def root?
    @path != '' && @path.delete('/') == ''
  end

  def cleanpath
    root = @path.start_with?('/')
    kept = []
    @path.split('/').each do |part|
      next if part == '' || part == '.'

      if part == '..' && !kept.empty? && kept.last != '..'
        kept.pop
      elsif part != '..' || !root
        kept << part
      end
    end
    return Pathname.new(root ? '/' : '.') if kept.empty?

    Pathname.new("#{'/' if root}#{kept.join('/')}")
  end

  def expand_path(*args)
    Pathname.new(File.expand_path(@path, *args))
  end

  def realpath
    Pathname.new(File.realpath(@path))
  end

  def sub(*args, &block)
    Pathname.new(@path.sub(*args, &block))
  end

  def sub_ext(suffix)
    Pathname.new(@path.delete_suffix(File.extname(@path)) + suffix)
  end

  def relative_path_from(base)
    own = cleanpath.to_s.split('/')
    from = Pathname.new(base).cleanpath.to_s.split('/')
    PupcCore.ruby if absolute? != Pathname.new(base).absolute? || from.include?('..')
    while !own.empty? && !from.empty? && own[0] == from[0]
      own.shift
      from.shift
    end
    parts = Array.new(from.reject { |part| part == '.' }.size, '..') + own.reject { |part| part == '.' }
    Pathname.new(parts.empty? ? '.' : parts.join('/'))
  end

  def each_filename(&block)
    names = @path.split('/').reject(&:empty?).each(&block)
    block.nil? ? names : nil
  end

  def ascend(&block)
    PupcCore.ruby if @path.empty? || @path.end_with?('/') || @path.include?('//')
    all = [self]
    all << all.last.parent until all.last.to_s == '/' || !all.last.to_s.include?('/')
    found = all.each(&block)
    block.nil? ? found : nil
  end

  def descend(&block)
    found = ascend.to_a.reverse.each(&block)
    block.nil? ? found : nil
  end

  def exist?
    File.exist?(@path)
  end

  def file?
    File.file?(@path)
  end

  def directory?
    File.directory?(@path)
  end

  def readable?
    File.readable?(@path)
  end

  def writable?
    File.writable?(@path)
  end

  def executable?
    File.executable?(@path)
  end

  def symlink?
    File.symlink?(@path)
  end

  def size
    File.size(@path)
  end

  def zero?
    File.zero?(@path)
  end

  def empty?
    File.directory?(@path) ? Dir.empty?(@path) : File.empty?(@path)
  end

  def read(*args)
    File.read(@path, *args)
  end

  def readlines(*args)
    File.readlines(@path, *args)
  end

  def each_line(&block)
    File.foreach(@path, &block)
  end

  def children
    Dir.children(@path).map { |name| self + name }
  end

  def entries
    Dir.entries(@path).map { |name| Pathname.new(name) }
  end

  def glob(pattern)
    Dir.glob(File.join(@path, pattern)).map { |path| Pathname.new(path) }
  end

  def fnmatch?(*args)
    File.fnmatch?(args[0], @path)
  end

  def fnmatch(*args)
    File.fnmatch?(args[0], @path)
  end
end
# -- file
# ERB::Util and ERB.
class ERB
  module Util
    def self.html_escape(text)
      CGI.escapeHTML(text.to_s)
    end

    def self.h(text)
      CGI.escapeHTML(text.to_s)
    end

    def self.url_encode(text)
      text.to_s.gsub(/[^a-zA-Z0-9_\-.~]/) { |c| c.bytes.map { |b| format('%%%02X', b) }.join }
    end

    def self.u(text)
      url_encode(text)
    end

    def html_escape(text)
      CGI.escapeHTML(text.to_s)
    end

    def h(text)
      CGI.escapeHTML(text.to_s)
    end

    def url_encode(text)
      ERB::Util.url_encode(text)
    end
  end

  def initialize(text, safe_level = nil, old_trim_mode = nil, trim_mode: nil, eoutvar: '_erbout')
    trim_mode ||= old_trim_mode
    PupcCore.ruby unless trim_mode == '-' || (trim_mode.nil? && text !~ /-%>|<%-/)
    @text = text
  end

  attr_accessor :filename, :lineno

  def result(place = nil)
    return place.__render(@text) if place

    PupcCore.render_text(@text, {}, nil)
  end

  def result_with_hash(values)
    PupcCore.render_text(@text, values, nil)
  end
end
# -- file
class Binding
  def initialize(place)
    @place = place
    @own = {}
  end

  def __render(text)
    PupcCore.render_text(text, @own, @place)
  end

  def local_variable_set(name, value)
    @own[name.to_sym] = value
  end

  def local_variable_get(name)
    @own.fetch(name.to_sym) { PupcCore.ruby }
  end
end
# -- file
class CGI
  def self.escapeHTML(text)
    text.gsub(/['&"<>]/, "'" => '&#39;', '&' => '&amp;', '"' => '&quot;', '<' => '&lt;', '>' => '&gt;')
  end

  def self.escape_html(text)
    escapeHTML(text)
  end

  def self.h(text)
    escapeHTML(text)
  end

  def self.unescapeHTML(text)
    PupcCore.ruby if text =~ /&#/ && text !~ /\A(?:[^&]|&(?:#39|amp|quot|lt|gt);)*\z/
    text.gsub(/&(?:apos|#39|amp|quot|lt|gt);/, '&apos;' => "'", '&#39;' => "'", '&amp;' => '&', '&quot;' => '"', '&lt;' => '<', '&gt;' => '>')
  end

  def self.unescape_html(text)
    unescapeHTML(text)
  end

  def self.parse(query)
    params = Hash.new([].freeze)
    query.split(/[&;]/).each do |pair|
      key, value = pair.split('=', 2).map { |part| unescape(part) }
      next unless key

      params[key] = [] unless params.key?(key)
      params[key].push(value) if value
    end
    params
  end

  def self.unescape(text)
    text.tr('+', ' ').gsub(/(?:%\h\h)+/) { |run| __text(run.scan(/\h\h/).map { |pair| pair.to_i(16) }) }
  end

  # The text of bytes in UTF-8.
  def self.__text(bytes)
    out = +''
    until bytes.empty?
      size = bytes[0] < 0x80 ? 1 : bytes[0] < 0xc2 ? 0 : bytes[0] < 0xe0 ? 2 : bytes[0] < 0xf0 ? 3 : bytes[0] < 0xf5 ? 4 : 0
      rest = bytes[1, [size - 1, 0].max]
      PupcCore.ruby if size == 0 || rest.size != size - 1 || rest.any? { |byte| byte >> 6 != 2 } || size > 3
      code = size == 1 ? bytes[0] : rest.inject(bytes[0] & (0xff >> (size + 1))) { |sum, byte| (sum << 6) | (byte & 0x3f) }
      PupcCore.ruby if (size == 3 && code < 0x800) || code.between?(0xd800, 0xdfff)
      out << [code].pack('U')
      bytes = bytes.drop(size)
    end
    out
  end
end
# -- file
class Shellwords
  def self.split(line)
    __split(line)
  end

  def self.__split(line)
    words = []
    field = +''
    line.scan(/\G\s*(?>([^\s\\'"]+)|'([^']*)'|"((?:[^"\\]|\\.)*)"|(\\.?)|(\S))(\s|\z)?/m) do |word, sq, dq, esc, garbage, sep|
      raise ArgumentError, "Unmatched quote: #{line.inspect}" if garbage

      field << (word || sq || (dq && dq.gsub(/\\([$`"\\\n])/, '\\1')) || esc.gsub(/\\(.)/, '\\1'))
      if sep
        words << (field.ascii_only? ? field.b : field) # Ruby begins with a text of bytes
        field = +''
      end
    end
    words
  end

  def self.shellsplit(line)
    __split(line)
  end

  def self.shellwords(line)
    __split(line)
  end

  def self.join(words)
    words.map { |word| escape(word) }.join(' ')
  end

  def self.shelljoin(words)
    join(words)
  end
end
# -- file
# The environment of the process.
module ENV
  def self.[](name)
    PupcCore.environment(name)
  end

  def self.fetch(name, *default)
    found = PupcCore.environment(name)
    return found unless found.nil?
    return yield(name) if block_given?

    PupcCore.ruby if default.empty?
    default[0]
  end

  def self.key?(name)
    !PupcCore.environment(name).nil?
  end

  def self.has_key?(name)
    key?(name)
  end

  def self.include?(name)
    key?(name)
  end
end
# -- file
module Process
  CLOCK_REALTIME = 0
  CLOCK_MONOTONIC = 1

  def self.clock_gettime(clock, unit = :float_second)
    sec, nsec = clock == CLOCK_REALTIME ? PupcCore.time_now : PupcCore.time_now(true)
    case unit
    when :float_second then sec + nsec / 1_000_000_000.0
    when :second then sec
    when :millisecond then sec * 1000 + nsec / 1_000_000
    when :microsecond then sec * 1_000_000 + nsec / 1000
    when :nanosecond then sec * 1_000_000_000 + nsec
    else PupcCore.ruby
    end
  end
end
# -- file
module Singleton
  def self.included(of)
    of.define_singleton_method(:instance) { @singleton__instance ||= new }
  end
end
# -- file
module Forwardable
  def instance_delegate(targets)
    targets.each { |methods, to| [*methods].each { |method| def_instance_delegator(to, method) } }
  end

  def delegate(targets)
    instance_delegate(targets)
  end

  def def_instance_delegator(to, method, name = method)
    to = to.to_s
    define_method(name) do |*args, **options, &block|
      target = if to.start_with?('@@') then PupcCore.ruby
               elsif to.start_with?('@') then instance_variable_get(to)
               else to.split('.').inject(self) { |object, part| part == 'self' ? object : object.__send__(part) }
               end
      options.empty? ? target.__send__(method, *args, &block) : target.__send__(method, *args, **options, &block)
    end
    name.to_sym
  end

  def def_delegator(to, method, name = method)
    def_instance_delegator(to, method, name)
  end

  def def_instance_delegators(to, *methods)
    methods.each { |method| def_instance_delegator(to, method) }
  end

  def def_delegators(to, *methods)
    def_instance_delegators(to, *methods)
  end
end
# -- file
class Base64
  def self.decode64(text)
    text.unpack1('m')
  end

  def self.strict_decode64(text)
    text.unpack1('m0')
  end

  def self.urlsafe_encode64(bytes, padding: true)
    text = strict_encode64(bytes).tr('+/', '-_')
    padding ? text : text.delete('=')
  end

  def self.urlsafe_decode64(text)
    text = text.ljust((text.length + 3) & ~3, '=') if !text.end_with?('=') && text.length % 4 != 0
    strict_decode64(text.tr('-_', '+/'))
  end
end
