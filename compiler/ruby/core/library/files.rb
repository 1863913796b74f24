# -- file
# Files and directories: what reads, and what makes, writes and removes files.
class File
  SEPARATOR = '/'
  FNM_NOESCAPE = 1
  FNM_PATHNAME = 2
  FNM_DOTMATCH = 4
  FNM_CASEFOLD = 8
  FNM_EXTGLOB = 16

  def self.__path(path)
    return path if path.is_a?(String)

    PupcCore.ruby unless path.respond_to?(:to_path)
    path.to_path
  end

  def self.__utf8(encodings)
    encodings.each { |one| PupcCore.ruby unless one.nil? || one.to_s =~ /\A(?:r?[t]?:)?(?:bom\|)?utf-?8\z|\Art?\z/i }
    encodings.any? { |one| one.to_s =~ /bom/i }
  end

  def self.read(path, length = nil, mode: nil, encoding: nil, external_encoding: nil)
    PupcCore.ruby unless length.nil?
    bom = __utf8([mode, encoding, external_encoding])
    text = PupcCore.read_file(__path(path))
    PupcCore.ruby if text.nil? # Ruby words the error

    bom ? text.delete_prefix("\uFEFF") : text
  end

  def self.readlines(path, chomp: false, mode: nil, encoding: nil)
    read(path, mode: mode, encoding: encoding).lines(chomp: chomp)
  end

  def self.foreach(path, chomp: false, mode: nil, encoding: nil, &block)
    lines = readlines(path, chomp: chomp, mode: mode, encoding: encoding)
    return lines.each unless block

    lines.each(&block)
    nil
  end

  def self.open(path, mode = 'r', permissions = 0o666, encoding: nil, external_encoding: nil, &block)
    return __write(path, mode, permissions, &block) if mode =~ /\A[wa][bt]?(?::utf-?8)?\z/i && block && encoding.nil? && external_encoding.nil?

    PupcCore.ruby unless mode.is_a?(String) && mode.start_with?('r') && !mode.include?('+') && !mode.include?('b')
    file = StringIO.new(read(path, mode: mode, encoding: encoding, external_encoding: external_encoding))
    block_given? ? yield(file) : file
  end

  # What a file opened for writing takes; the file gets it when the block ends.
  class Writer < StringIO
    attr_reader :path

    def initialize(path)
      super()
      @path = path
    end

    def __text
      @text
    end

    %i[read gets getc each each_line readline readlines string rewind truncate].each { |name| define_method(name) { |*| PupcCore.ruby } }
  end

  def self.__write(path, mode, permissions)
    path = __path(path)
    append = mode.start_with?('a')
    PupcCore.write_file(path, '', append, permissions)
    writer = Writer.new(path)
    begin
      yield writer
    ensure
      PupcCore.write_file(path, writer.__text, true, permissions)
    end
  end

  def self.write(path, text, mode: 'w', perm: 0o666)
    PupcCore.ruby unless mode == 'w' || mode == 'a'
    text = text.to_s
    PupcCore.write_file(__path(path), text, mode == 'a', perm)
    text.bytesize
  end

  def self.chown(user, group, *paths)
    paths.each { |path| PupcCore.set_owner(__path(path), user, group) }.size
  end

  def self.chmod(mode, *paths)
    paths.each { |path| PupcCore.set_mode(__path(path), mode) }.size
  end

  def self.delete(*paths)
    paths.each { |path| PupcCore.remove_file(__path(path)) }.size
  end

  def self.unlink(*paths)
    delete(*paths)
  end

  def self.expand_path(path, from = nil)
    path = __path(path)
    path = __home + path.delete_prefix('~') if path == '~' || path.start_with?('~/')
    PupcCore.ruby if path.start_with?('~')
    path = "#{from.nil? ? Dir.pwd : expand_path(from)}/#{path}" unless path.start_with?('/')
    __clean(path)
  end

  def self.absolute_path(path, from = nil)
    path = __path(path)
    path = "#{from.nil? ? Dir.pwd : absolute_path(from)}/#{path}" unless path.start_with?('/')
    __clean(path)
  end

  def self.__home
    home = PupcCore.environment('HOME')
    PupcCore.ruby if home.nil? || !home.start_with?('/')
    home
  end

  def self.__clean(path)
    kept = []
    path.split('/').each do |part|
      next if part == '' || part == '.'

      part == '..' ? kept.pop : kept << part
    end
    "/#{kept.join('/')}"
  end

  def self.absolute_path?(path)
    __path(path).start_with?('/')
  end

  def self.realpath(path, from = nil)
    found = PupcCore.real_path(from.nil? ? __path(path) : expand_path(path, from))
    PupcCore.ruby if found.nil?
    found
  end

  def self.readlink(path)
    found = PupcCore.read_link(__path(path))
    PupcCore.ruby if found.nil?
    found
  end

  def self.split(path)
    [dirname(path), basename(path)]
  end

  def self.path(path)
    __path(path).dup
  end

  def self.__state(path, follow = true)
    PupcCore.file_state(__path(path), follow)
  end

  def self.stat(path)
    state = __state(path)
    PupcCore.ruby if state.nil?
    File::Stat.new(state)
  end

  def self.lstat(path)
    state = __state(path, false)
    PupcCore.ruby if state.nil?
    File::Stat.new(state)
  end

  def self.size(path)
    stat(path).size
  end

  def self.size?(path)
    state = __state(path)
    state.nil? || state[0] == 0 ? nil : state[0]
  end

  def self.zero?(path)
    state = __state(path)
    !state.nil? && state[0] == 0
  end

  def self.empty?(path)
    zero?(path)
  end

  def self.mtime(path)
    stat(path).mtime
  end

  def self.ftype(path)
    lstat(path).ftype
  end

  def self.owned?(path)
    PupcCore.ruby
  end

  def self.writable?(path)
    PupcCore.file_access(__path(path), 2)
  end

  def self.executable?(path)
    PupcCore.file_access(__path(path), 1)
  end

  def self.pipe?(path)
    state = __state(path)
    !state.nil? && state[1] == 'fifo'
  end

  def self.socket?(path)
    state = __state(path)
    !state.nil? && state[1] == 'socket'
  end

  def self.fnmatch(pattern, path, flags = 0)
    PupcCore.ruby if flags & (FNM_NOESCAPE | FNM_CASEFOLD) != 0
    patterns = flags & FNM_EXTGLOB == 0 ? [pattern] : Dir.__braces(pattern)
    dots = flags & FNM_DOTMATCH != 0
    return patterns.any? { |one| Dir.__matches(one, __path(path), dots, true) } if flags & FNM_PATHNAME == 0

    patterns.any? { |one| Dir.__matches_parts(one.split('/', -1), __path(path).split('/', -1), dots) }
  end

  def self.fnmatch?(pattern, path, flags = 0)
    fnmatch(pattern, path, flags)
  end

  class Stat
    def initialize(state)
      @state = state
    end

    def size
      @state[0]
    end

    def size?
      @state[0] == 0 ? nil : @state[0]
    end

    def zero?
      @state[0] == 0
    end

    def ftype
      @state[1]
    end

    def file?
      @state[1] == 'file'
    end

    def directory?
      @state[1] == 'directory'
    end

    def symlink?
      @state[1] == 'link'
    end

    def mode
      @state[2]
    end

    def mtime
      Time.at(@state[3], @state[4], :nsec)
    end

    def uid
      @state[5]
    end

    def gid
      @state[6]
    end
  end
end
# -- file
module FileUtils
  def self.__each(paths, &block)
    [paths].flatten.map { |path| File.__path(path) }.each(&block)
  end

  def self.mkdir(paths)
    __each(paths) { |path| Dir.mkdir(path.delete_suffix('/')) }
  end

  def self.mkdir_p(paths)
    __each(paths) do |path|
      missing = []
      path = path == '/' ? path : path.delete_suffix('/')
      until File.directory?(path)
        missing << path
        path = File.dirname(path)
      end
      missing.reverse_each { |one| PupcCore.make_directory(one, true) }
    end
  end

  def self.mkpath(paths)
    mkdir_p(paths)
  end

  def self.makedirs(paths)
    mkdir_p(paths)
  end

  def self.chmod(mode, paths)
    PupcCore.ruby unless mode.is_a?(Integer)
    __each(paths) { |path| File.chmod(mode, path) }
  end

  def self.chown(user, group, paths)
    PupcCore.ruby unless [user, group].all? { |one| one.nil? || one.is_a?(Integer) }
    __each(paths) { |path| File.chown(user, group, path) }
  end

  def self.rm(paths)
    __each(paths) { |path| File.delete(path) }
  end

  def self.rm_f(paths)
    __each(paths) { |path| File.delete(path) if File.exist?(path) || File.symlink?(path) }
  end
end
# -- file
class IO
  def self.write(path, *args, **options)
    File.write(path, *args, **options)
  end

  def self.read(path, *args, **options)
    File.read(path, *args, **options)
  end

  def self.readlines(path, **options)
    File.readlines(path, **options)
  end

  def self.foreach(path, **options, &block)
    File.foreach(path, **options, &block)
  end
end
# -- file
class Dir
  def self.pwd
    PupcCore.working_directory
  end

  def self.getwd
    pwd
  end

  def self.home
    File.__home
  end

  def self.exist?(path)
    File.directory?(File.__path(path))
  end

  def self.mkdir(path)
    PupcCore.make_directory(File.__path(path), false)
    0
  end

  def self.__names(path)
    found = PupcCore.directory(File.__path(path))
    PupcCore.ruby if found.nil?
    found
  end

  def self.entries(path)
    __names(path)
  end

  def self.children(path)
    __names(path) - ['.', '..']
  end

  def self.each_child(path, &block)
    return children(path).each unless block

    children(path).each(&block)
    nil
  end

  def self.foreach(path, &block)
    return entries(path).each unless block

    entries(path).each(&block)
    nil
  end

  def self.empty?(path)
    File.directory?(File.__path(path)) && children(path).empty?
  end

  def self.[](*patterns)
    glob(patterns.flatten)
  end

  # Sorted, as Ruby does: what a directory holds comes right behind the directory.
  def self.glob(patterns, flags = 0, base: nil, sort: true, &block)
    PupcCore.ruby unless flags == 0 || flags == File::FNM_EXTGLOB
    found = []
    (patterns.is_a?(Array) ? patterns : [patterns]).each do |pattern|
      __braces(File.__path(pattern)).each do |one|
        next if one == ''

        parts = one.split('/').reject(&:empty?)
        root = one.start_with?('/') ? '/' : ''
        parts.empty? ? found << root : __walk(root, base.nil? ? '' : "#{File.__path(base)}/", [parts], one.end_with?('/'), found)
      end
    end
    return found unless block

    found.each(&block)
    nil
  end

  def self.__walk(at, base, states, only_directories, found)
    states = states.flat_map { |parts| parts.size > 1 && parts[0] == '**' ? [parts, parts.drop_while { |part| part == '**' }] : [parts] }
    states = states.reject(&:empty?).uniq
    plain = states.all? { |parts| parts[0] !~ /[*?\[\\]/ }
    names = plain ? states.map(&:first).uniq : PupcCore.directory(at == '' && base == '' ? '.' : base + at)
    return if names.nil?

    found << at if only_directories && at != '' && states.include?(['**'])
    (plain ? names : names.sort).each do |name|
      next if !plain && name == '..'

      state = PupcCore.file_state(base + at + name, true) || PupcCore.file_state(base + at + name, false)
      next if state.nil?

      directory = state[1] == 'directory'
      hit = false
      more = []
      states.each do |parts|
        if parts[0] == '**' && (parts.size > 1 || only_directories)
          more << parts if directory && !name.start_with?('.') && !File.symlink?(base + at + name)
        elsif parts[0] == name || __matches(parts[0], name, false, false)
          parts.size == 1 ? hit = true : more << parts.drop(1)
        end
      end
      found << at + name + (only_directories ? '/' : '') if hit && (directory || !only_directories)
      __walk("#{at}#{name}/", base, more, only_directories, found) if directory && !more.empty? && name != '.'
    end
  end

  def self.__braces(pattern)
    open = pattern.index('{')
    return [pattern] if open.nil?

    PupcCore.ruby if pattern.include?('\\')
    depth = 0
    parts = ['']
    (open...pattern.size).each do |i|
      c = pattern[i]
      depth += 1 if c == '{'
      depth -= 1 if c == '}'
      if depth == 0
        return parts.flat_map { |part| __braces(pattern[0, open] + part + pattern[(i + 1)..]) }
      elsif c == ',' && depth == 1
        parts << ''
      elsif depth > 1 || i > open
        parts[-1] += c
      end
    end
    PupcCore.ruby
  end

  # Whether a name fits a pattern without slashes; `slashes`: the wildcards stand for slashes, too.
  def self.__matches(pattern, name, dots, slashes)
    return false if name.start_with?('.') && !dots && !pattern.start_with?('.')
    return pattern == name unless pattern =~ /[*?\[\\]/

    any = slashes ? '' : '[^/]'
    text = pattern.gsub(/\\(.)|\*+|\?|\[([!^]?)(\]?[^\]]*)\]|[^*?\[\\]+|./m) do |part|
      case part[0]
      when '*' then slashes ? '.*' : "#{any}*"
      when '?' then slashes ? '.' : any
      when '[' then part.size > 1 ? part.sub('[!', '[^') : PupcCore.ruby
      when '\\' then Regexp.escape(part[1..])
      else Regexp.escape(part)
      end
    end
    Regexp.new("(?m)\\A#{text}\\z").match?(name)
  end

  def self.__matches_parts(patterns, names, dots)
    return names.empty? if patterns.empty?

    if patterns[0] == '**' && patterns.size > 1
      return true if __matches_parts(patterns.drop(1), names, dots)

      return !names.empty? && (dots || !names[0].start_with?('.')) && __matches_parts(patterns, names.drop(1), dots)
    end
    !names.empty? && __matches(patterns[0], names[0], dots, false) && __matches_parts(patterns.drop(1), names.drop(1), dots)
  end
end
