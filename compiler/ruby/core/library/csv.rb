# -- file
# CSV of texts: what reads and writes lines. Liberal reading, other row separators and dates are Ruby's.
class CSV
  class MalformedCSVError < RuntimeError
  end

  class Row
    include Enumerable

    def initialize(headers, fields)
      @pairs = headers.each_with_index.map { |name, i| [name, fields[i]] }
      fields.drop(headers.size).each { |field| @pairs << [nil, field] }
    end

    def headers
      @pairs.map { |pair| pair[0] }
    end

    def fields(*names)
      names.empty? ? @pairs.map { |pair| pair[1] } : names.map { |name| self[name] }
    end

    def values_at(*names)
      fields(*names)
    end

    def [](name)
      return (@pairs[name] || [])[1] if name.is_a?(Integer)

      found = @pairs.find { |pair| pair[0] == name }
      found && found[1]
    end

    def field(name)
      self[name]
    end

    def []=(name, value)
      found = name.is_a?(Integer) ? @pairs[name] : @pairs.find { |pair| pair[0] == name }
      found.nil? ? @pairs << [name, value] : found[1] = value
    end

    def fetch(name, *default)
      found = @pairs.find { |pair| pair[0] == name }
      return found[1] if found
      return yield(name) if block_given?
      return default[0] unless default.empty?

      raise KeyError, "key not found: #{name}"
    end

    def has_key?(name)
      @pairs.any? { |pair| pair[0] == name }
    end

    def key?(name)
      has_key?(name)
    end

    def header?(name)
      has_key?(name)
    end

    def include?(name)
      has_key?(name)
    end

    def dig(name, *rest)
      found = self[name]
      rest.empty? || found.nil? ? found : found.dig(*rest)
    end

    def each(&block)
      PupcCore.ruby if block.nil?
      @pairs.each(&block)
      self
    end

    def each_pair(&block)
      each(&block)
    end

    def to_h
      @pairs.each_with_object({}) { |(name, field), out| out[name] = field unless out.key?(name) }
    end

    def to_hash
      to_h
    end

    def to_a
      @pairs.map(&:dup)
    end

    def size
      @pairs.size
    end

    def ==(other)
      other.is_a?(CSV::Row) ? to_a == other.to_a : to_a == other
    end

    def to_csv(**options)
      CSV.generate_line(fields, **options)
    end

    def to_s
      to_csv
    end
  end

  class Table
    include Enumerable

    def initialize(headers, rows)
      @headers = headers
      @rows = rows
    end

    def headers
      @rows.empty? ? @headers.dup : @rows[0].headers
    end

    def each(&block)
      return @rows.each unless block

      @rows.each(&block)
      self
    end

    def [](at)
      at.is_a?(Integer) || at.is_a?(Range) ? @rows[at] : @rows.map { |row| row[at] }
    end

    def size
      @rows.size
    end

    def length
      @rows.size
    end

    def to_a
      [headers] + @rows.map(&:fields)
    end

    def to_csv(**options)
      CSV.generate_line(headers, **options) + @rows.map { |row| row.to_csv(**options) }.join
    end

    def to_s
      to_csv
    end
  end

  def self.parse(text, headers: false, converters: nil, header_converters: nil, **options, &block)
    rows = __lines(text, **options)
    return __each(rows.map { |row| __converted(row, converters) }, &block) unless headers

    names = headers == true || headers == :first_row ? rows.shift || [] : headers
    names = parse_line(names, **options) if names.is_a?(String)
    PupcCore.ruby unless names.is_a?(Array) && rows.none?(&:empty?)
    names = names.map { |name| __header(name, header_converters) }
    rows = rows.map { |row| Row.new(names, __converted(row, converters)) }
    block ? __each(rows, &block) : Table.new(names, rows)
  end

  def self.__each(rows, &block)
    return rows unless block

    rows.each(&block)
    nil
  end

  def self.parse_line(text, **options)
    found = parse(text, **options)
    found.is_a?(Table) ? found[0] : found[0]
  end

  def self.read(path, **options)
    parse(File.read(path), **options)
  end

  def self.readlines(path, **options)
    read(path, **options)
  end

  def self.table(path, **options)
    read(path, headers: true, converters: :numeric, header_converters: :symbol, **options)
  end

  def self.foreach(path, mode = 'r', **options, &block)
    return read(path, **options).each unless block

    read(path, **options).each(&block)
    nil
  end

  def self.generate_line(fields, col_sep: ',', row_sep: "\n", quote_char: '"', force_quotes: false)
    fields.map { |field| __quoted(field, col_sep, quote_char, force_quotes) }.join(col_sep) + row_sep
  end

  def self.generate_lines(rows, **options)
    rows.map { |row| generate_line(row, **options) }.join
  end

  def self.generate(text = +'', **options)
    out = Writer.new(text, options)
    yield out
    out.string
  end

  class Writer
    def initialize(text, options)
      @text = text
      @options = options
    end

    def <<(row)
      @text << CSV.generate_line(row.is_a?(CSV::Row) ? row.fields : row, **@options)
      self
    end

    def add_row(row)
      self << row
    end

    def puts(row)
      self << row
    end

    def string
      @text
    end
  end

  def self.__quoted(field, col_sep, quote, force)
    return force ? quote * 2 : '' if field.nil?

    text = field.to_s
    return quote + text.gsub(quote, quote * 2) + quote if force || text.empty? || text =~ /[\r\n]/ || text.include?(quote) || text.include?(col_sep)

    text
  end

  def self.__lines(text, col_sep: ',', quote_char: '"', skip_blanks: false, strip: false, row_sep: :auto, liberal_parsing: false, nil_value: nil)
    PupcCore.ruby unless col_sep.size == 1 && quote_char.is_a?(String) && quote_char.size == 1 && !strip && !liberal_parsing && (row_sep == :auto || row_sep == "\n")
    PupcCore.ruby if text =~ /\r(?!\n)/ || (text.include?("\r\n") && text =~ /(?<!\r)\n/)
    sep = Regexp.escape(col_sep)
    quote = Regexp.escape(quote_char)
    piece = /\G(?:#{quote}((?:[^#{quote}]|#{quote}#{quote})*)#{quote}|([^#{sep}#{quote}\r\n]*))(#{sep}|\r?\n|\z)/m
    rows = []
    row = []
    at = 0
    while at < text.size || !row.empty?
      found = text.match(piece, at)
      raise MalformedCSVError, PupcCore.ruby if found.nil?

      at = found.end(0)
      field = found[1] ? found[1].gsub(quote_char * 2, quote_char) : found[2]
      row << (found[1].nil? && field == '' ? nil_value : field)
      next if found[3] == col_sep

      row = [] if row.size == 1 && found[1].nil? && found[2] == ''
      rows << row unless row.empty? && skip_blanks
      row = []
    end
    rows
  end

  def self.__converted(row, converters)
    return row if converters.nil?

    [*converters].each do |kind|
      row = row.map do |field|
        next field unless field.is_a?(String)

        case kind
        when :integer then __integer(field)
        when :float then __float(field)
        when :numeric then __float(__integer(field))
        else
          PupcCore.ruby unless kind.respond_to?(:call) && kind.arity == 1
          kind.call(field)
        end
      end
    end
    row
  end

  def self.__integer(field)
    Integer(field)
  rescue ArgumentError
    field
  end

  def self.__float(field)
    field.is_a?(String) ? Float(field) : field
  rescue ArgumentError
    field
  end

  def self.__header(name, converters)
    [*converters].each do |kind|
      case kind
      when :symbol then name = name.strip.downcase.gsub(/[^\s\w]+/, '').gsub(/\s+/, '_').to_sym
      when :downcase then name = name.downcase
      else
        PupcCore.ruby unless kind.respond_to?(:call) && kind.arity == 1
        name = kind.call(name)
      end
    end
    name
  end
end
