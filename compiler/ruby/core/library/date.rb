# -- file
# Date and DateTime of the Gregorian calendar.
class Date
  include Comparable
  include PupcParts

  class Error < ArgumentError
  end

  MONTHNAMES = [nil, 'January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November', 'December'].freeze
  ABBR_MONTHNAMES = [nil, 'Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'].freeze
  DAYNAMES = %w[Sunday Monday Tuesday Wednesday Thursday Friday Saturday].freeze
  ABBR_DAYNAMES = %w[Sun Mon Tue Wed Thu Fri Sat].freeze

  def self.today
    now = Time.now
    new(now.year, now.month, now.day)
  end

  def self.new(year = -4712, month = 1, day = 1)
    PupcCore.ruby if year < 1583 || !month.is_a?(Integer) || !day.is_a?(Integer)
    month += 13 if month < 0
    day = __last_day(year, month) + 1 + day if day < 0 && month.between?(1, 12)
    raise Date::Error, 'invalid date' unless month.between?(1, 12) && day.between?(1, __last_day(year, month))

    __new__(Time.__days(year, month, day))
  end

  def self.civil(*args)
    new(*args)
  end

  def self.__last_day(year, month)
    return leap?(year) ? 29 : 28 if month == 2

    [4, 6, 9, 11].include?(month) ? 30 : 31
  end

  def self.leap?(year)
    (year % 4 == 0 && year % 100 != 0) || year % 400 == 0
  end

  def self.gregorian_leap?(year)
    leap?(year)
  end

  def self.valid_date?(year, month, day)
    return false unless year.is_a?(Integer) && month.is_a?(Integer) && day.is_a?(Integer)

    PupcCore.ruby if year < 1583
    month += 13 if month < 0
    return false unless month.between?(1, 12)

    day = __last_day(year, month) + 1 + day if day < 0
    day.between?(1, __last_day(year, month))
  end

  def self.valid_civil?(year, month, day)
    valid_date?(year, month, day)
  end

  def self.parse(text, comp = true)
    found = /\A\s*(\d{4})-(\d\d?)-(\d\d?)(?:[T ][0-9:.]+(?: ?(?:Z|UTC|GMT|[+-]\d\d:?\d\d))?)?\s*\z/.match(text)
    found ||= /\A\s*(\d{4})(\d\d)(\d\d)\s*\z/.match(text)
    found ||= /\A\s*(\d{4})\/(\d\d?)\/(\d\d?)\s*\z/.match(text)
    return new(found[1].to_i, found[2].to_i, found[3].to_i) unless found.nil?

    names = /(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?/i
    found = /\A\s*(?:[a-z]{3,9},?\s+)?(?<day>\d\d?)(?:st|nd|rd|th)?[\s-]+(?<month>#{names})[\s,-]+(?<year>\d{4})\s*\z/i.match(text)
    found ||= /\A\s*(?<month>#{names})\s+(?<day>\d\d?)(?:st|nd|rd|th)?[\s,]+(?<year>\d{4})\s*\z/i.match(text)
    return new(found[:year].to_i, PupcParse::MONTHS.index(found[:month][0, 3].downcase) + 1, found[:day].to_i) unless found.nil?

    PupcCore.ruby if text =~ /\d|\b(?:sun|mon|tue|wed|thu|fri|sat|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)/i
    raise Date::Error, 'invalid date'
  end

  def self.iso8601(text)
    found = /\A\s*(\d{4})-(\d\d)-(\d\d)\s*\z/.match(text)
    PupcCore.ruby if found.nil?
    new(found[1].to_i, found[2].to_i, found[3].to_i)
  end

  def self.xmlschema(text)
    iso8601(text)
  end

  def self.strptime(text, format = '%F')
    parts = PupcParse.date(text, format)
    raise Date::Error, 'invalid date' if parts.nil?

    PupcCore.ruby unless parts.key?(:year)
    return new(parts[:year], 1, 1) + parts[:yday] - 1 if parts.key?(:yday)

    new(parts[:year], parts[:month] || 1, parts[:day] || 1)
  end

  def initialize(days)
    @days = days
    @parts = nil
  end

  def __days
    @days
  end

  def __split
    @parts ||= PupcCore.time_parts(@days * 86_400, false)
  end

  def hour
    0
  end

  def min
    0
  end

  def sec
    0
  end

  def nsec
    0
  end

  def utc_offset
    0
  end

  def zone
    '+00:00'
  end

  def jd
    @days + 2_440_588
  end

  def mjd
    @days + 40_587
  end

  def cweek
    PupcFormat.week(self)[1]
  end

  def cwyear
    PupcFormat.week(self)[0]
  end

  def cwday
    (wday + 6) % 7 + 1
  end

  def leap?
    Date.leap?(year)
  end

  def sunday? = wday == 0
  def monday? = wday == 1
  def tuesday? = wday == 2
  def wednesday? = wday == 3
  def thursday? = wday == 4
  def friday? = wday == 5
  def saturday? = wday == 6

  def +(count)
    PupcCore.ruby unless count.is_a?(Integer)
    Date.__new__(@days + count)
  end

  def -(other)
    return Rational.__new__(@days - other.__days) if other.is_a?(Date)

    PupcCore.ruby unless other.is_a?(Integer)
    Date.__new__(@days - other)
  end

  def >>(count)
    PupcCore.ruby unless count.is_a?(Integer)
    months = year * 12 + month - 1 + count
    Date.new(months.div(12), months % 12 + 1, [day, Date.__last_day(months.div(12), months % 12 + 1)].min)
  end

  def <<(count)
    self >> -count
  end

  def next
    self + 1
  end

  def succ
    self + 1
  end

  def next_day(count = 1)
    self + count
  end

  def prev_day(count = 1)
    self - count
  end

  def next_month(count = 1)
    self >> count
  end

  def prev_month(count = 1)
    self << count
  end

  def next_year(count = 1)
    self >> count * 12
  end

  def prev_year(count = 1)
    self << count * 12
  end

  def <=>(other)
    return nil unless other.is_a?(Date)

    PupcCore.ruby unless other.instance_of?(Date) && instance_of?(Date)
    @days <=> other.__days
  end

  def ==(other)
    other.is_a?(Date) && (self <=> other) == 0
  end

  def ===(other)
    self == other
  end

  def eql?(other)
    other.is_a?(Date) && self == other
  end

  def step(limit, by = 1, &block)
    days = []
    at = self
    while by > 0 ? at <= limit : at >= limit
      days << at
      at += by
    end
    return days.each unless block

    days.each(&block)
    self
  end

  def upto(limit, &block)
    step(limit, 1, &block)
  end

  def downto(limit, &block)
    step(limit, -1, &block)
  end

  def ld
    jd - 2_299_160
  end

  def to_date
    self
  end

  def to_time
    Time.local(year, month, day)
  end

  def strftime(format = '%F')
    PupcCore.ruby if format =~ /%[-0^#_:]*\d*[sQ+cZ]/
    PupcFormat.date(self, format)
  end

  def to_s
    format('%.4d-%02d-%02d', year, month, day)
  end

  def iso8601
    to_s
  end

  def xmlschema
    to_s
  end

  def inspect
    "#<Date: #{self} ((#{jd}j,0s,0n),+0s,2299161j)>"
  end

  def rfc3339
    "#{self}T00:00:00+00:00"
  end

  def rfc2822
    strftime('%a, %-d %b %Y 00:00:00 +0000')
  end

  def httpdate
    strftime('%a, %d %b %Y 00:00:00 GMT')
  end

  def ctime
    strftime('%a %b %e 00:00:00 %Y')
  end

  def asctime
    ctime
  end

  def deconstruct_keys(keys)
    all = { year: year, month: month, day: day, wday: wday, yday: yday }
    keys.nil? ? all : all.slice(*keys)
  end
end
# -- file
# What the difference of two dates is: a number of whole days.
class Rational
  include Comparable

  def initialize(days)
    @days = days
  end

  def to_i
    @days
  end

  def to_r
    self
  end

  def truncate
    @days
  end

  def round
    @days
  end

  def floor
    @days
  end

  def ceil
    @days
  end

  def numerator
    @days
  end

  def denominator
    1
  end

  def to_f
    @days.to_f
  end

  def abs
    Rational.__new__(@days.abs)
  end

  def zero?
    @days == 0
  end

  def negative?
    @days < 0
  end

  def positive?
    @days > 0
  end

  def <=>(other)
    other.is_a?(Rational) ? @days <=> other.to_i : @days <=> other
  end

  def ==(other)
    other.is_a?(Rational) ? @days == other.to_i : @days == other
  end

  def to_s
    "#{@days}/1"
  end

  def inspect
    "(#{@days}/1)"
  end

  def method_missing(name, *args)
    PupcCore.ruby
  end
end
# -- file
# strptime.
module PupcParse
  MONTHS = %w[jan feb mar apr may jun jul aug sep oct nov dec].freeze

  def self.date(text, format)
    names = []
    pattern = format.gsub(/%([-0^#]?)([a-zA-Z%])|([^%]+)/) do
      literal = $3
      kind = $2
      literal.nil? ? piece(kind, names) : Regexp.escape(literal).gsub(/(\\ )+/, '\s*')
    end
    found = Regexp.new("\\A#{pattern}\\z").match(text)
    return nil if found.nil?

    out = {}
    names.each_with_index { |name, i| note(out, name, found[i + 1]) }
    out
  end

  def self.piece(kind, names)
    simple = { 'Y' => [:year, '([+-]?\d{1,4})'], 'm' => [:month, '(\d\d?)'], 'd' => [:day, '\s?(\d\d?)'], 'e' => [:day, '\s?(\d\d?)'], 'H' => [:hour, '(\d\d?)'],
               'k' => [:hour, '\s?(\d\d?)'], 'M' => [:min, '(\d\d?)'], 'S' => [:sec, '(\d\d?)'], 'y' => [:short_year, '(\d\d?)'], 'j' => [:yday, '(\d{1,3})'],
               'b' => [:month_name, '([A-Za-z]{3,9})'], 'B' => [:month_name, '([A-Za-z]{3,9})'], 'h' => [:month_name, '([A-Za-z]{3,9})'], 'z' => [:zone, '(Z|[+-]\d\d:?\d\d)'],
               's' => [:epoch, '(\d+)'] }
    return '%' if kind == '%'
    return piece('Y', names) + '-' + piece('m', names) + '-' + piece('d', names) if kind == 'F'
    return piece('H', names) + ':' + piece('M', names) + ':' + piece('S', names) if kind == 'T'
    return piece('H', names) + ':' + piece('M', names) if kind == 'R'

    PupcCore.ruby unless simple.key?(kind)
    name, pattern = simple[kind]
    names << name
    pattern
  end

  def self.note(out, name, text)
    case name
    when :short_year then out[:year] = text.to_i + (text.to_i < 69 ? 2000 : 1900)
    when :month_name
      at = MONTHS.index(text[0, 3].downcase)
      PupcCore.ruby if at.nil?
      out[:month] = at + 1
    when :zone then out[:zone] = text
    else out[name] = text.to_i
    end
  end
end
# -- file
# DateTime, for code that asks whether a value is one; what makes one is Ruby's.
class DateTime < Date
  def self.new(*)
    PupcCore.ruby
  end

  def self.method_missing(*)
    PupcCore.ruby
  end
end
