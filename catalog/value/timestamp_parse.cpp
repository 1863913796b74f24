// Parses timestamps: the directives of Ruby's DateTime._strptime, and the way Puppet uses it.
#include "catalog/base/diagnostic.h"
#include "catalog/base/text.h"
#include "catalog/value/conversion_error.h"
#include "catalog/value/time_format.h"
#include "catalog/value/time_text.h"
#include "catalog/value/time_zone.h"

#include <cmath>
#include <fmt/format.h>
#include <optional>

namespace pupc::catalog {
namespace {

char lower(char ch) { return ch >= 'A' && ch <= 'Z' ? static_cast<char>(ch + 32) : ch; }

struct Parsed {
  std::optional<int64_t> year, month, day, hour, minute, second;
  int64_t nanosecond = 0;
  std::optional<ZoneText> zone;
  std::string_view zone_text;
  std::optional<int64_t> century;
  std::optional<int> half_day; // hours to add
  bool leftover = false;
};

class Strptime {
public:
  explicit Strptime(std::string_view t) : text(t) {}

  std::optional<Parsed> run(std::string_view format) {
    if (!read(format)) return std::nullopt;
    p.leftover = at < text.size();
    if (p.century && p.year) *p.year += *p.century * 100;
    if (p.half_day && p.hour) *p.hour = *p.hour % 12 + *p.half_day;
    return p;
  }

private:
  std::string_view text;
  size_t at = 0;
  Parsed p;

  /// Whether the format continues with another number, so that this directive must not consume its digits.
  static bool number_follows(std::string_view format, size_t i) {
    if (i >= format.size()) return false;
    if (format[i] >= '0' && format[i] <= '9') return true;
    if (format[i] != '%' || i + 1 >= format.size()) return false;
    ++i;
    if (format[i] == 'E' || format[i] == 'O') ++i;
    return i < format.size() && std::string_view("CDdeFGgHIjkLlMmNQRrSsTUuVvWwXxYy0123456789").find(format[i]) != std::string_view::npos;
  }

  std::optional<int64_t> digits(size_t most) {
    size_t begin = at;
    int64_t n = 0;
    while (at < text.size() && at - begin < most && text[at] >= '0' && text[at] <= '9') {
      if (n > INT64_MAX / 20) return std::nullopt;
      n = n * 10 + (text[at++] - '0');
    }
    return at == begin ? std::nullopt : std::optional(n);
  }
  bool ranged(std::optional<int64_t>& into, size_t most, int64_t low, int64_t high) {
    auto n = digits(most);
    if (!n || *n < low || *n > high) return false;
    into = n;
    return true;
  }
  bool skipped(size_t most, int64_t low, int64_t high) {
    std::optional<int64_t> n;
    return ranged(n, most, low, high);
  }
  std::optional<int64_t> signed_digits(size_t most) {
    bool negative = at < text.size() && text[at] == '-';
    if (at < text.size() && (text[at] == '-' || text[at] == '+')) ++at;
    auto n = digits(most);
    if (n && negative) n = -*n;
    return n;
  }
  bool word(std::string_view w) {
    if (text.size() - at < w.size()) return false;
    for (size_t i = 0; i < w.size(); ++i)
      if (lower(text[at + i]) != w[i]) return false;
    at += w.size();
    return true;
  }
  std::optional<int> name_of(std::span<const std::string_view> names) {
    for (size_t i = 0; i < names.size(); ++i)
      if (word(names[i]) || word(names[i].substr(0, 3))) return static_cast<int>(i);
    return std::nullopt;
  }

  bool read(std::string_view format) {
    for (size_t i = 0; i < format.size(); ++i) {
      if (is_ascii_blank(format[i])) {
        while (at < text.size() && is_ascii_blank(text[at])) ++at;
        continue;
      }
      if (format[i] == '%' && i + 1 < format.size()) {
        size_t code = i + 1;
        if (format[code] == 'E' && code + 1 < format.size() && std::string_view("cCxXyY").find(format[code + 1]) != std::string_view::npos)
          ++code;
        if (format[code] == 'O' && code + 1 < format.size() &&
            std::string_view("deHImMSuUVwWy").find(format[code + 1]) != std::string_view::npos)
          ++code;
        while (format[code] == ':' && code - i < 4 && format.find_first_not_of(':', code) != std::string_view::npos &&
               format[format.find_first_not_of(':', code)] == 'z')
          ++code;
        int result = directive(format[code], number_follows(format, code + 1));
        if (result == 0) return false;
        if (result == 1) {
          i = code;
          continue;
        }
      }
      if (at >= text.size() || text[at] != format[i]) return false;
      ++at;
    }
    return true;
  }

  /// Returns 1 = read, 0 = the text does not match, -1 = not a directive (its characters stand for themselves).
  int directive(char code, bool limited) {
    static constexpr std::string_view days[] = {"sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"};
    static constexpr std::string_view months[] = {"january", "february", "march",     "april",   "may",      "june",
                                                  "july",    "august",   "september", "october", "november", "december"};
    constexpr size_t any = 18;
    switch (code) {
    case 'A':
    case 'a': return name_of(days).has_value();
    case 'B':
    case 'b':
    case 'h': {
      auto n = name_of(months);
      if (n) p.month = *n + 1;
      return n.has_value();
    }
    case 'C': {
      auto n = signed_digits(limited ? 2 : any);
      p.century = n;
      return n.has_value();
    }
    case 'c': return read("%a %b %e %H:%M:%S %Y");
    case 'D':
    case 'x': return read("%m/%d/%y");
    case 'd':
    case 'e':
      if (at < text.size() && text[at] == ' ') {
        ++at;
        return ranged(p.day, 1, 1, 31);
      }
      return ranged(p.day, 2, 1, 31);
    case 'F': return read("%Y-%m-%d");
    case 'G': return signed_digits(limited ? 4 : any).has_value();
    case 'g': return skipped(2, 0, 99);
    case 'H':
    case 'k':
      if (at < text.size() && text[at] == ' ') {
        ++at;
        return ranged(p.hour, 1, 0, 24);
      }
      return ranged(p.hour, 2, 0, 24);
    case 'I':
    case 'l':
      if (at < text.size() && text[at] == ' ') {
        ++at;
        return ranged(p.hour, 1, 1, 12);
      }
      return ranged(p.hour, 2, 1, 12);
    case 'j': return skipped(3, 1, 366);
    case 'L':
    case 'N': return fraction(limited ? (code == 'L' ? 3 : 9) : std::string_view::npos);
    case 'M': return ranged(p.minute, 2, 0, 59);
    case 'm': return ranged(p.month, 2, 1, 12);
    case 'n':
    case 't':
      while (at < text.size() && is_ascii_blank(text[at])) ++at;
      return 1;
    case 'P':
    case 'p': {
      bool morning = word("a.m.") || word("am"), evening = !morning && (word("p.m.") || word("pm"));
      if (!morning && !evening) return 0;
      p.half_day = evening ? 12 : 0;
      return 1;
    }
    case 'Q':
    case 's':
      if (at < text.size() && text[at] == '-') ++at;
      return digits(any).has_value();
    case 'R': return read("%H:%M");
    case 'r': return read("%I:%M:%S %p");
    case 'S': return ranged(p.second, 2, 0, 60);
    case 'T':
    case 'X': return read("%H:%M:%S");
    case 'U':
    case 'W': return skipped(2, 0, 53);
    case 'u': return skipped(1, 1, 7);
    case 'V': return skipped(2, 1, 53);
    case 'v': return read("%e-%b-%Y");
    case 'w': return skipped(1, 0, 6);
    case 'Y': p.year = signed_digits(limited ? 4 : any); return p.year.has_value();
    case 'y':
      if (!ranged(p.year, 2, 0, 99)) return 0;
      if (!p.century) p.century = *p.year >= 69 ? 19 : 20;
      return 1;
    case 'Z':
    case 'z': {
      ZoneText zone = read_zone(text.substr(at));
      if (zone.length == 0) return 0;
      p.zone = zone;
      p.zone_text = text.substr(at, zone.length);
      at += zone.length;
      return 1;
    }
    case '%':
      if (at >= text.size() || text[at] != '%') return 0;
      ++at;
      return 1;
    case '+': return read("%a %b %e %H:%M:%S %Z %Y");
    default: return -1;
    }
  }

  int fraction(size_t most) {
    bool negative = at < text.size() && text[at] == '-';
    if (at < text.size() && (text[at] == '-' || text[at] == '+')) ++at;
    size_t begin = at;
    int64_t scale = ns_per_second, ns = 0;
    while (at < text.size() && at - begin < most && text[at] >= '0' && text[at] <= '9') {
      scale /= 10;
      ns += (text[at++] - '0') * scale;
    }
    if (at == begin) return 0;
    p.nanosecond = negative ? -ns : ns;
    return 1;
  }
};

constexpr std::string_view with_zone[] = {"%FT%T.%N %Z", "%FT%T %Z", "%F %T.%N %Z", "%F %T %Z", "%F %Z",
                                          "%FT%T.%N",    "%FT%T",    "%F %T.%N",    "%F %T",    "%F"};
constexpr std::span<const std::string_view> without_zone = std::span(with_zone).subspan(5);

Parsed parse_fields(std::string_view text, const TimeFormats& formats, bool zone_given) {
  if (!formats.several) {
    auto p = Strptime(text).run(formats.list[0]);
    if (!p || p->leftover) fail_conversion(fmt::format("Unable to parse '{}' using format '{}'", text, formats.list[0]));
    if (zone_given && p->zone)
      fail_conversion(
          "Using a Timezone designator in format specification is mutually exclusive to providing an explicit timezone argument");
    return *p;
  }
  for (std::string_view f : formats.list) {
    auto p = Strptime(text).run(f);
    if (p && !p->leftover && !(zone_given && p->zone)) return *p;
  }
  fail_conversion(fmt::format("Unable to parse '{}' using any of the formats {}", text, fmt::join(formats.list, ", ")));
}

int64_t timestamp_of(__int128 ns) {
  if (ns > INT64_MAX || ns < INT64_MIN) fail_conversion("The time is too far away: its nanoseconds do not fit 64 bits");
  return static_cast<int64_t>(ns);
}

std::vector<std::string_view> formats_of(const Value* v) {
  std::vector<std::string_view> out;
  if (v != nullptr && v->is_string()) out.push_back(v->str());
  if (v != nullptr && v->is_list())
    for (const Value& one : v->items())
      if (one.is_string()) out.push_back(one.str());
  return out;
}

} // namespace

int64_t parse_timestamp(std::string_view text, const TimeFormats& given, std::string_view timezone) {
  TimeFormats formats = given;
  if (formats.list.empty()) formats = {timezone.empty() ? std::span<const std::string_view>(with_zone) : without_zone, true};
  Parsed p = parse_fields(text, formats, !timezone.empty());
  if (!p.year) fail_conversion("no implicit conversion of nil into Integer"); // Ruby's words for a time without a year
  if (p.hour == 24 && (p.minute.value_or(0) != 0 || p.second.value_or(0) != 0)) fail_conversion("argument out of range");
  __int128 seconds =
      static_cast<__int128>(days_from_civil(*p.year, static_cast<int>(p.month.value_or(1)), static_cast<int>(p.day.value_or(1)))) * 86400;
  seconds += p.hour.value_or(0) * 3600 + p.minute.value_or(0) * 60 + p.second.value_or(0);
  if (!timezone.empty())
    seconds -= utc_offset(timezone);
  else if (p.zone)
    seconds -= utc_offset(p.zone_text);
  return timestamp_of(seconds * ns_per_second + p.nanosecond);
}

int64_t nanoseconds_of_seconds(const Value& seconds) {
  if (seconds.is_int()) return timestamp_of(static_cast<__int128>(seconds.i) * ns_per_second);
  double d = seconds.d * 1e9;
  if (std::isnan(d)) fail_conversion("NaN");
  if (std::isinf(d)) fail_conversion(d < 0 ? "-Infinity" : "Infinity");
  if (!(d < 9223372036854775808.0 && d >= -9223372036854775808.0)) timestamp_of(static_cast<__int128>(INT64_MAX) * 2);
  return static_cast<int64_t>(d);
}

int64_t timestamp_of_hash(const Hash& h) {
  const Value *text = h.find("string"), *format = h.find("format"), *zone = h.find("timezone");
  auto formats = formats_of(format);
  return parse_timestamp(text != nullptr && text->is_string() ? text->str() : std::string_view(),
                         {formats, format != nullptr && format->is_list()},
                         zone != nullptr && zone->is_string() ? zone->str() : std::string_view());
}

int64_t to_timestamp(const Value& v) {
  switch (v.kind) {
  case Kind::Timestamp: return v.i;
  case Kind::Int:
  case Kind::Float: return nanoseconds_of_seconds(v);
  case Kind::String: return parse_timestamp(v.str());
  default: return timestamp_of_hash(*v.hash);
  }
}

int64_t to_timespan(const Value& v) {
  switch (v.kind) {
  case Kind::Timespan: return v.i;
  case Kind::Int:
  case Kind::Float: return nanoseconds_of_seconds(v);
  case Kind::String: return parse_timespan(v.str());
  default: return timespan_of_hash(*v.hash);
  }
}

} // namespace pupc::catalog
