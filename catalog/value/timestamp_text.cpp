// Timestamps as text: Ruby's Time#strftime.
#include "catalog/base/diagnostic.h"
#include "catalog/value/time_format.h"
#include "catalog/value/time_text.h"
#include "catalog/value/time_zone.h"

#include <ctime>
#include <fmt/format.h>

namespace pupc::catalog {
namespace {

constexpr std::string_view day_names[] = {"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"};
constexpr std::string_view month_names[] = {"January", "February", "March",     "April",   "May",      "June",
                                            "July",    "August",   "September", "October", "November", "December"};

int64_t floor_div(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); }

/// A moment broken down into calendar fields in its zone.
struct Fields {
  int64_t year = 1970;
  int month = 1, day = 1, hour = 0, minute = 0, second = 0, week_day = 0, year_day = 1;
  int64_t nanosecond = 0, epoch = 0;
  int64_t offset = 0;
  bool utc = true;
};

Fields fields_of(int64_t nanoseconds, int64_t offset, bool utc) {
  Fields f;
  f.epoch = floor_div(nanoseconds, ns_per_second);
  f.nanosecond = nanoseconds - f.epoch * ns_per_second;
  f.offset = offset;
  f.utc = utc;
  int64_t local = f.epoch + offset, days = floor_div(local, 86400), of_day = local - days * 86400;
  civil_from_days(days, f.year, f.month, f.day);
  f.hour = static_cast<int>(of_day / 3600);
  f.minute = static_cast<int>(of_day / 60 % 60);
  f.second = static_cast<int>(of_day % 60);
  f.week_day = static_cast<int>(((days + 4) % 7 + 7) % 7);
  f.year_day = static_cast<int>(days - days_from_civil(f.year, 1, 1)) + 1;
  return f;
}

/// Year and number of the ISO 8601 week.
void iso_week(const Fields& f, int64_t& year, int& week) {
  int monday_based = (f.week_day + 6) % 7;
  int64_t thursday = days_from_civil(f.year, f.month, f.day) - monday_based + 3;
  int month, day;
  civil_from_days(thursday, year, month, day);
  week = static_cast<int>((thursday - days_from_civil(year, 1, 1)) / 7) + 1;
}

class Strftime {
public:
  explicit Strftime(const Fields& fields) : f(fields) {}

  std::string run(std::string_view format) {
    std::string out;
    for (size_t i = 0; i < format.size();) {
      if (format[i] != '%') {
        out += format[i++];
        continue;
      }
      size_t begin = i++;
      Directive d;
      size_t end = directive(format, i, d);
      if (end == 0 && i >= format.size())
        throw_error(ErrorCode::evaluation_error, {}, fmt::format("invalid format: {}", format), PositionStyle::None);
      if (end == 0) { // not a directive: copy it up to and including the offending character
        size_t stop = std::min(i + 1, format.size());
        while (stop < format.size() && (static_cast<unsigned char>(format[stop]) & 0xC0) == 0x80) ++stop;
        out += format.substr(begin, stop - begin);
        i = stop;
        continue;
      }
      i = end;
      out += convert(d);
    }
    return out;
  }

private:
  const Fields& f;

  struct Directive {
    char code = 0;
    char pad = 0;   // given: '0', ' '
    int width = -1; // given
    bool left = false, upper = false, change_case = false;
    int colons = 0;
  };

  /// Reads flags, width and code from `i` on. Returns the index after them, or 0 (with `i` on the offending character) when they form no
  /// directive.
  static size_t directive(std::string_view s, size_t& i, Directive& d) {
    for (; i < s.size(); ++i) {
      char ch = s[i];
      switch (ch) {
      case '-':
        if (d.width > 0) return 0;
        d.left = true;
        d.pad = 0;
        d.width = 0;
        break;
      case '_':
        if (d.width > 0) return 0;
        d.pad = ' ';
        break;
      case '^':
        if (d.width > 0) return 0;
        d.upper = true;
        break;
      case '#':
        if (d.width > 0) return 0;
        d.change_case = true;
        break;
      case ':': {
        size_t n = 0;
        while (i + n < s.size() && s[i + n] == ':') ++n;
        if (i + n >= s.size() || s[i + n] != 'z' || n > 3) return 0;
        d.colons = static_cast<int>(n);
        i += n - 1;
        break;
      }
      case '0': d.pad = '0'; [[fallthrough]];
      case '1':
      case '2':
      case '3':
      case '4':
      case '5':
      case '6':
      case '7':
      case '8':
      case '9': {
        int n = 0;
        while (i < s.size() && s[i] >= '0' && s[i] <= '9') n = std::min(n * 10 + (s[i++] - '0'), 1024);
        d.width = n;
        --i;
        break;
      }
      case 'E':
        if (i + 1 >= s.size() || std::string_view("cCxXyY").find(s[i + 1]) == std::string_view::npos) return 0;
        break;
      case 'O':
        if (i + 1 >= s.size() || std::string_view("deHkIlmMSuUVwWy").find(s[i + 1]) == std::string_view::npos) return 0;
        break;
      default:
        if (std::string_view("aAbBhcCdDeFgGHIjklLmMnNpPrRsStTuUvVwWxXyYzZ%").find(ch) == std::string_view::npos) return 0;
        d.code = ch;
        return i + 1;
      }
    }
    return 0;
  }

  static std::string number(const Directive& d, int64_t n, int width, char pad) {
    int w = d.left ? 1 : d.width > 0 ? d.width : width;
    bool zero = d.pad == '0' || (d.pad == 0 && pad == '0');
    return zero ? fmt::format("{:0{}}", n, w) : fmt::format("{:{}}", n, w);
  }
  static std::string text(const Directive& d, std::string s, bool upper, bool lower = false) {
    for (char& ch : s) {
      if (upper && ch >= 'a' && ch <= 'z') ch = static_cast<char>(ch - 32);
      if (lower && ch >= 'A' && ch <= 'Z') ch = static_cast<char>(ch + 32);
    }
    if (!d.left && d.width > 0 && s.size() < static_cast<size_t>(d.width))
      s.insert(0, static_cast<size_t>(d.width) - s.size(), d.pad != 0 ? d.pad : ' ');
    return s;
  }
  std::string compound(const Directive& d, std::string_view format) { return text(d, run(format), d.upper); }

  std::string convert(const Directive& d) {
    bool upper = d.upper || d.change_case;
    int hour12 = f.hour % 12 == 0 ? 12 : f.hour % 12;
    switch (d.code) {
    case 'A': return text(d, std::string(day_names[f.week_day]), upper);
    case 'a': return text(d, std::string(day_names[f.week_day].substr(0, 3)), upper);
    case 'B': return text(d, std::string(month_names[f.month - 1]), upper);
    case 'b':
    case 'h': return text(d, std::string(month_names[f.month - 1].substr(0, 3)), upper);
    case 'C': return number(d, floor_div(f.year, 100), 2, '0');
    case 'c': return compound(d, "%a %b %e %H:%M:%S %Y");
    case 'D':
    case 'x': return compound(d, "%m/%d/%y");
    case 'd': return number(d, f.day, 2, '0');
    case 'e': return number(d, f.day, 2, ' ');
    case 'F': return compound(d, "%Y-%m-%d");
    case 'g':
    case 'G': {
      int64_t year;
      int week;
      iso_week(f, year, week);
      return d.code == 'g' ? number(d, year - floor_div(year, 100) * 100, 2, '0') : number(d, year, year >= 0 ? 4 : 5, '0');
    }
    case 'H': return number(d, f.hour, 2, '0');
    case 'I': return number(d, hour12, 2, '0');
    case 'j': return number(d, f.year_day, 3, '0');
    case 'k': return number(d, f.hour, 2, ' ');
    case 'l': return number(d, hour12, 2, ' ');
    case 'L':
    case 'N': {
      size_t digits = d.width > 0 ? static_cast<size_t>(d.width) : d.code == 'L' ? 3 : 9;
      std::string s = fmt::format("{:09}", f.nanosecond);
      s.resize(digits, '0');
      return s;
    }
    case 'm': return number(d, f.month, 2, '0');
    case 'M': return number(d, f.minute, 2, '0');
    case 'n': return text(d, "\n", false);
    case 'p': return text(d, f.hour < 12 ? "AM" : "PM", false, d.change_case);
    case 'P': return text(d, f.hour < 12 ? "AM" : "PM", false, !upper);
    case 'r': return compound(d, "%I:%M:%S %p");
    case 'R': return compound(d, "%H:%M");
    case 's': return number(d, f.epoch, 1, '0');
    case 'S': return number(d, f.second, 2, '0');
    case 't': return text(d, "\t", false);
    case 'T':
    case 'X': return compound(d, "%H:%M:%S");
    case 'u': return number(d, f.week_day == 0 ? 7 : f.week_day, 1, '0');
    case 'U': return number(d, (f.year_day - 1 + 7 - f.week_day) / 7, 2, '0');
    case 'v': return compound(d, "%e-%^b-%4Y");
    case 'V': {
      int64_t year;
      int week;
      iso_week(f, year, week);
      return number(d, week, 2, '0');
    }
    case 'w': return number(d, f.week_day, 1, '0');
    case 'W': return number(d, (f.year_day - 1 + 7 - (f.week_day + 6) % 7) / 7, 2, '0');
    case 'y': return number(d, f.year - floor_div(f.year, 100) * 100, 2, '0');
    case 'Y': return number(d, f.year, f.year >= 0 ? 4 : 5, '0');
    case 'z': return zone(d);
    case 'Z': return text(d, f.utc ? "UTC" : "", d.upper, d.change_case);
    default: return text(d, "%", false);
    }
  }

  std::string zone(const Directive& d) {
    bool negative = f.offset < 0;
    int64_t off = negative ? -f.offset : f.offset;
    int hour_width = d.left && off / 3600 < 10 ? 1 : 2;
    int rest = d.colons == 0 ? 3 : d.colons == 1 ? 4 : d.colons == 2 ? 7 : off % 3600 == 0 ? 1 : off % 60 == 0 ? 4 : 7;
    int width = d.width <= rest + hour_width ? hour_width : d.width - rest;
    std::string hours = std::to_string(off / 3600);
    std::string out;
    if (d.pad == ' ') {
      out = (negative ? "-" : "+") + hours;
      if (out.size() < static_cast<size_t>(width) + 1) out.insert(0, static_cast<size_t>(width) + 1 - out.size(), ' ');
    } else {
      if (hours.size() < static_cast<size_t>(width)) hours.insert(0, static_cast<size_t>(width) - hours.size(), '0');
      out = (negative ? "-" : "+") + hours;
    }
    off %= 3600;
    if (d.colons == 3 && off == 0) return out;
    out += fmt::format("{}{:02}", d.colons >= 1 ? ":" : "", off / 60);
    off %= 60;
    if (d.colons == 3 && off == 0) return out;
    if (d.colons >= 2) out += fmt::format(":{:02}", off);
    return out;
  }
};

} // namespace

std::string format_timestamp(int64_t nanoseconds, std::string_view format, std::string_view timezone) {
  int64_t offset = timezone.empty() ? 0 : local_offset(timezone);
  return Strftime(fields_of(nanoseconds, offset, timezone.empty())).run(format);
}

} // namespace pupc::catalog
