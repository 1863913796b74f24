# -- file
# What a Time and a Date tell of their day, which each splits in its own way.
module PupcParts
  def year
    __split[0]
  end

  def month
    __split[1]
  end

  def mon
    __split[1]
  end

  def day
    __split[2]
  end

  def mday
    __split[2]
  end

  def wday
    __split[6]
  end

  def yday
    __split[7]
  end
end
# -- file
# Time, with what the library `time` adds.
class Time
  include Comparable
  include PupcParts

  RFC2822_MONTH_NAME = %w[Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec].freeze

  def self.now
    sec, nsec = PupcCore.time_now
    __new__(sec, nsec, nil)
  end

  def self.new(year = nil, month = nil, day = nil, hour = nil, min = nil, sec = nil, zone = nil)
    return now if year.nil?
    return __with_offset(year, month, day, hour, min, sec, zone) unless zone.nil?

    local(year, month, day, hour, min, sec)
  end

  def self.__with_offset(year, month, day, hour, min, sec, zone)
    offset = __offset(zone)
    at = utc(year, month, day, hour, min, sec)
    __new__(at.to_i - offset, at.nsec, offset)
  end

  def self.__offset(zone)
    return zone if zone.is_a?(Integer)
    return 0 if zone == 'UTC' || zone == 'Z'

    found = /\A([+-])(\d\d):?(\d\d)(?::?(\d\d))?\z/.match(zone)
    offset = found[2].to_i * 3600 + found[3].to_i * 60 + found[4].to_i
    found[1] == '-' ? -offset : offset
  end

  def self.at(at, part = nil, unit = :microsecond)
    return __new__(at.to_i, at.nsec, at.__zone) if at.is_a?(Time)

    sec = at.floor
    nsec = at.is_a?(Float) ? ((at - sec) * 1_000_000_000).floor : 0
    unless part.nil?
      nsec += (part * { millisecond: 1_000_000, microsecond: 1000, usec: 1000, nanosecond: 1, nsec: 1 }.fetch(unit)).floor
    end
    __new__(sec + nsec / 1_000_000_000, nsec % 1_000_000_000, nil)
  end

  def self.utc(year, month = nil, day = nil, hour = nil, min = nil, sec = nil)
    month, day, hour, min, sec = __parts(month, day, hour, min, sec)
    whole = sec.floor
    nsec = sec.is_a?(Float) ? ((sec - whole) * 1_000_000_000).round : 0
    __new__(__days(year.to_i, month, day) * 86_400 + hour * 3600 + min * 60 + whole, nsec, :utc)
  end

  def self.gm(*args)
    utc(*args)
  end

  def self.local(year, month = nil, day = nil, hour = nil, min = nil, sec = nil)
    month, day, hour, min, sec = __parts(month, day, hour, min, sec)
    whole = sec.floor
    nsec = sec.is_a?(Float) ? ((sec - whole) * 1_000_000_000).round : 0
    __new__(PupcCore.time_local(year.to_i, month, day, hour, min, whole), nsec, nil)
  end

  def self.mktime(*args)
    local(*args)
  end

  def self.__parts(month, day, hour, min, sec)
    month = RFC2822_MONTH_NAME.index(month.capitalize) + 1 if month.is_a?(String) && month =~ /\A[A-Za-z]/
    sec = sec.include?('.') ? sec.to_f : sec.to_i if sec.is_a?(String)
    parts = [month || 1, day || 1, hour || 0, min || 0].map(&:to_i)
    raise ArgumentError, 'argument out of range' unless parts[0].between?(1, 12) && parts[1].between?(1, 31) && parts[2].between?(0, 24) && parts[3].between?(0, 59)

    parts + [sec || 0]
  end

  def self.__days(year, month, day)
    year -= 1 if month <= 2
    era = year.div(400)
    of_era = year - era * 400
    of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
  end

  def self.iso8601(text)
    found = /\A\s*(-?\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d+))?(Z|[+-]\d\d(?::?\d\d)?)?\s*\z/i.match(text)
    PupcCore.ruby if found.nil? && text =~ /\A\s*-?\d+-\d\d-\d\d/
    raise ArgumentError, "invalid xmlschema format: #{text.inspect}" if found.nil?

    __from(found)
  end

  def self.xmlschema(text)
    iso8601(text)
  end

  def self.__from(found)
    zone = found[8]
    at = zone.nil? ? local(*found.captures[0, 6]) : utc(*found.captures[0, 6])
    nsec = found[7].nil? ? 0 : (found[7] + '000000000')[0, 9].to_i
    return __new__(at.to_i, nsec, nil) if zone.nil?
    return __new__(at.to_i, nsec, :utc) if zone == 'Z' || zone == 'z'

    offset = __offset(zone.size == 3 ? "#{zone}00" : zone)
    __new__(at.to_i - offset, nsec, offset)
  end

  def self.parse(text, now = nil)
    found = /\A\s*(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d):(\d\d)(?:\.(\d+))?\s*(Z|UTC|[+-]\d\d:?\d\d)?\s*\z/.match(text)
    found ||= /\A\s*(\d{4})-(\d\d)-(\d\d)()()()()()\s*\z/.match(text)
    found ||= /\A\s*(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d)()()\s*(Z|UTC|[+-]\d\d:?\d\d)?\s*\z/.match(text)
    if found.nil?
      named = /\A\s*(?:[A-Za-z]{3},\s*)?(?<day>\d\d?)[\s-](?<month>[A-Za-z]{3})[\s-](?<year>\d{4})\s+(?<clock>\d\d:\d\d:\d\d)\s*(?<zone>Z|UTC|GMT|[+-]\d\d:?\d\d)?\s*\z/.match(text)
      month = named && PupcParse::MONTHS.index(named[:month].downcase)
      PupcCore.ruby if month.nil?
      return parse(format('%s-%02d-%02d %s %s', named[:year], month + 1, named[:day].to_i, named[:clock], named[:zone].to_s.sub('GMT', 'UTC')))
    end
    zone = found[8] == '' ? nil : found[8]
    parts = found.captures[0, 6].map { |part| part == '' ? nil : part }
    return local(*parts) if zone.nil? && (found[7].nil? || found[7] == '')

    at = zone.nil? ? local(*parts) : utc(*parts)
    nsec = found[7].nil? || found[7] == '' ? 0 : (found[7] + '000000000')[0, 9].to_i
    return __new__(at.to_i, nsec, nil) if zone.nil?
    return __new__(at.to_i, nsec, :utc) if zone == 'Z' || zone == 'UTC'

    offset = __offset(zone)
    __new__(at.to_i - offset, nsec, offset)
  end

  def self.strptime(text, format)
    parts = PupcParse.date(text, format)
    raise ArgumentError, "invalid date or strptime format - `#{text}' `#{format}'" if parts.nil?
    return at(parts[:epoch]) if parts.key?(:epoch)

    PupcCore.ruby unless parts.key?(:year) && !parts.key?(:yday)
    fields = [parts[:year], parts[:month] || 1, parts[:day] || 1, parts[:hour] || 0, parts[:min] || 0, parts[:sec] || 0]
    return local(*fields) unless parts.key?(:zone)

    offset = __offset(parts[:zone])
    parts[:zone] == 'Z' ? utc(*fields) : __new__(utc(*fields).to_i - offset, 0, offset)
  end

  # zone: :utc, nil for the machine's own, or seconds.
  def initialize(sec, nsec, zone)
    @sec = sec
    @nsec = nsec
    @zone = zone
    @parts = nil
  end

  def __zone
    @zone
  end

  def __split
    @parts ||= @zone.nil? ? PupcCore.time_parts(@sec, true) : PupcCore.time_parts(@sec + (@zone == :utc ? 0 : @zone), false)
  end

  def hour
    __split[3]
  end

  def min
    __split[4]
  end

  def sec
    __split[5]
  end

  def nsec
    @nsec
  end

  def tv_nsec
    @nsec
  end

  def usec
    @nsec / 1000
  end

  def tv_usec
    @nsec / 1000
  end

  def to_i
    @sec
  end

  def tv_sec
    @sec
  end

  def to_f
    @nsec == 0 ? @sec.to_f : @sec + @nsec / 1_000_000_000.0
  end

  def isdst
    @zone.nil? ? __split[8] : false
  end

  def dst?
    isdst
  end

  def utc_offset
    return 0 if @zone == :utc

    @zone.nil? ? __split[9] : @zone
  end

  def gmt_offset
    utc_offset
  end

  def gmtoff
    utc_offset
  end

  def zone
    return 'UTC' if @zone == :utc

    @zone.nil? ? __split[10] : nil
  end

  def utc?
    @zone == :utc
  end

  def to_a
    [sec, min, hour, day, month, year, wday, yday, isdst, zone]
  end

  def gmt?
    @zone == :utc
  end

  def utc
    @zone = :utc
    @parts = nil
    self
  end

  def gmtime
    utc
  end

  def getutc
    Time.__new__(@sec, @nsec, :utc)
  end

  def getgm
    getutc
  end

  def localtime(offset = nil)
    @zone = offset.nil? ? nil : Time.__offset(offset)
    @parts = nil
    self
  end

  def getlocal(offset = nil)
    Time.__new__(@sec, @nsec, offset.nil? ? nil : Time.__offset(offset))
  end

  def sunday? = wday == 0
  def monday? = wday == 1
  def tuesday? = wday == 2
  def wednesday? = wday == 3
  def thursday? = wday == 4
  def friday? = wday == 5
  def saturday? = wday == 6

  def +(seconds)
    raise TypeError, 'time + time?' if seconds.is_a?(Time)

    __moved(seconds)
  end

  def __moved(seconds)
    whole = seconds.floor
    nsec = @nsec + (seconds.is_a?(Float) ? ((seconds - whole) * 1_000_000_000).round : 0)
    Time.__new__(@sec + whole + nsec / 1_000_000_000, nsec % 1_000_000_000, @zone)
  end

  def -(other)
    return (@sec - other.to_i) + (@nsec - other.nsec) / 1_000_000_000.0 if other.is_a?(Time)

    __moved(-other)
  end

  def <=>(other)
    return nil unless other.is_a?(Time)

    [@sec, @nsec] <=> [other.to_i, other.nsec]
  end

  def ==(other)
    other.is_a?(Time) && @sec == other.to_i && @nsec == other.nsec
  end

  def eql?(other)
    self == other
  end

  def to_a
    [sec, min, hour, day, month, year, wday, yday, isdst, zone]
  end

  def round(digits = 0)
    unit = 10**(9 - digits)
    nsec = (@nsec + unit / 2) / unit * unit
    Time.__new__(@sec + nsec / 1_000_000_000, nsec % 1_000_000_000, @zone)
  end

  def floor(digits = 0)
    unit = 10**(9 - digits)
    Time.__new__(@sec, @nsec / unit * unit, @zone)
  end

  def to_time
    self
  end

  def to_date
    Date.new(year, month, day)
  end

  def to_s
    strftime(@zone == :utc ? '%Y-%m-%d %H:%M:%S UTC' : '%Y-%m-%d %H:%M:%S %z')
  end

  def inspect
    part = @nsec == 0 ? '' : ".#{format('%09d', @nsec).sub(/0+\z/, '')}"
    strftime("%Y-%m-%d %H:%M:%S#{part} #{@zone == :utc ? 'UTC' : '%z'}")
  end

  def ctime
    strftime('%a %b %e %H:%M:%S %Y')
  end

  def asctime
    ctime
  end

  def iso8601(digits = 0)
    digits = digits.to_i
    part = digits == 0 ? '' : ".%#{digits}N"
    strftime("%Y-%m-%dT%H:%M:%S#{part}#{@zone == :utc ? 'Z' : '%:z'}")
  end

  def xmlschema(digits = 0)
    iso8601(digits)
  end

  def rfc2822
    strftime("%a, %d %b %Y %H:%M:%S #{@zone == :utc ? '-0000' : '%z'}")
  end

  def rfc822
    rfc2822
  end

  def httpdate
    getutc.strftime('%a, %d %b %Y %H:%M:%S GMT')
  end

  def strftime(format)
    PupcFormat.date(self, format)
  end
end
# -- file
# strftime of Time, Date and DateTime.
module PupcFormat
  def self.date(at, format)
    format.gsub(/%([-0^#_:]*)(\d*)([a-zA-Z%+])/) { one(at, $1, $2, $3, $&) }
  end

  def self.one(at, flags, width, kind, whole)
    case kind
    when 'Y' then number(at.year, flags, width, at.year < 0 ? 5 : 4, '0')
    when 'C' then number(at.year.div(100), flags, width, 2, '0')
    when 'y' then number(at.year % 100, flags, width, 2, '0')
    when 'm' then number(at.month, flags, width, 2, '0')
    when 'd' then number(at.day, flags, width, 2, '0')
    when 'e' then number(at.day, flags, width, 2, ' ')
    when 'j' then number(at.yday, flags, width, 3, '0')
    when 'H' then number(at.hour, flags, width, 2, '0')
    when 'k' then number(at.hour, flags, width, 2, ' ')
    when 'I' then number((at.hour + 11) % 12 + 1, flags, width, 2, '0')
    when 'l' then number((at.hour + 11) % 12 + 1, flags, width, 2, ' ')
    when 'M' then number(at.min, flags, width, 2, '0')
    when 'S' then number(at.sec, flags, width, 2, '0')
    when 'u' then number((at.wday + 6) % 7 + 1, flags, width, 1, '0')
    when 'w' then number(at.wday, flags, width, 1, '0')
    when 'U' then number((at.yday + 6 - at.wday) / 7, flags, width, 2, '0')
    when 'W' then number((at.yday + 6 - (at.wday + 6) % 7) / 7, flags, width, 2, '0')
    when 'V' then number(week(at)[1], flags, width, 2, '0')
    when 'G' then number(week(at)[0], flags, width, 4, '0')
    when 'g' then number(week(at)[0] % 100, flags, width, 2, '0')
    when 's' then number(at.to_i, flags, width, 1, '0')
    when 'L' then fraction(at, width == '' ? 3 : width.to_i)
    when 'N' then fraction(at, width == '' ? 9 : width.to_i)
    when 'A' then text(Date::DAYNAMES[at.wday], flags, width)
    when 'a' then text(Date::ABBR_DAYNAMES[at.wday], flags, width)
    when 'B' then text(Date::MONTHNAMES[at.month], flags, width)
    when 'b', 'h' then text(Date::ABBR_MONTHNAMES[at.month], flags, width)
    when 'p' then text(flags.include?('#') ? (at.hour < 12 ? 'am' : 'pm') : (at.hour < 12 ? 'AM' : 'PM'), flags.delete('#'), width)
    when 'P' then text(at.hour < 12 ? 'am' : 'pm', flags, width)
    when 'Z' then text(at.zone.to_s, flags, width)
    when 'z' then zone(at, flags, width)
    when 'F' then text(date(at, '%Y-%m-%d'), flags, width)
    when 'T', 'X' then text(date(at, '%H:%M:%S'), flags, width)
    when 'D', 'x' then text(date(at, '%m/%d/%y'), flags, width)
    when 'R' then text(date(at, '%H:%M'), flags, width)
    when 'r' then text(date(at, '%I:%M:%S %p'), flags, width)
    when 'c' then text(date(at, '%a %b %e %H:%M:%S %Y'), flags, width)
    when 'v' then text(date(at, '%e-%^b-%Y'), flags, width)
    when '+' then text(date(at, '%a %b %e %H:%M:%S %Z %Y'), flags, width)
    when 'n' then text("\n", flags, width)
    when 't' then text("\t", flags, width)
    when '%' then text('%', flags, width)
    else whole
    end
  end

  def self.number(value, flags, width, least, fill)
    return value.to_s if flags.include?('-')

    fill = '0' if flags.include?('0')
    fill = ' ' if flags.include?('_')
    size = width == '' ? least : width.to_i
    return value.to_s.rjust(size, ' ') if fill == ' '

    value < 0 ? "-#{(-value).to_s.rjust(size - 1, '0')}" : value.to_s.rjust(size, '0')
  end

  def self.text(value, flags, width)
    value = value.upcase if flags.include?('^')
    value = value.swapcase if flags.include?('#')
    value.rjust(width.to_i, flags.include?('0') ? '0' : ' ')
  end

  def self.fraction(at, digits)
    (format('%09d', at.nsec) + '0' * digits)[0, digits]
  end

  def self.zone(at, flags, width)
    offset = at.utc_offset
    PupcCore.ruby unless width == '' && flags.delete(':') == ''

    sign = offset < 0 ? '-' : '+'
    offset = offset.abs
    parts = [offset / 3600, offset / 60 % 60, offset % 60].map { |part| format('%02d', part) }
    case flags
    when '' then sign + parts[0, 2].join
    when ':' then sign + parts[0, 2].join(':')
    else sign + parts.join(':')
    end
  end

  # Year and week as ISO 8601 counts them.
  def self.week(at)
    week = (at.yday - (at.wday + 6) % 7 + 9) / 7
    return [at.year - 1, weeks(at.year - 1)] if week < 1
    return [at.year + 1, 1] if week > weeks(at.year)

    [at.year, week]
  end

  def self.weeks(year)
    last = ->(y) { (y + y / 4 - y / 100 + y / 400) % 7 }
    last.call(year) == 4 || last.call(year - 1) == 3 ? 53 : 52
  end
end
