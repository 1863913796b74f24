#include "compiler/types/time_parse.h"

#include "compiler/types/value_text.h"

#include <charconv>
#include <cmath>

namespace pupc {
namespace {

constexpr int64_t second = 1000000000;

[[noreturn]] void fail(std::string message) { throw_error(ErrorCode::evaluation_error, {}, std::move(message), PositionStyle::None); }

int64_t days_from_civil(int64_t y, unsigned m, unsigned d) {
  y -= m <= 2;
  int64_t era = (y >= 0 ? y : y - 399) / 400;
  auto yoe = static_cast<unsigned>(y - era * 400);
  unsigned doy = (153 * (m + (m > 2 ? -3u : 9u)) + 2) / 5 + d - 1;
  unsigned doe = yoe * 365 + yoe / 4 - yoe / 100 + doy;
  return era * 146097 + static_cast<int64_t>(doe) - 719468;
}

std::optional<int64_t> number(std::string_view s, size_t& i, size_t max) {
  size_t begin = i;
  int64_t n = 0;
  while (i < s.size() && i - begin < max && s[i] >= '0' && s[i] <= '9') n = n * 10 + (s[i++] - '0');
  return i == begin ? std::nullopt : std::optional(n);
}

/// Digits of a fraction of a second as nanoseconds.
std::optional<int64_t> fraction(std::string_view s, size_t& i) {
  int64_t scale = second, n = 0;
  size_t begin = i;
  while (i < s.size() && s[i] >= '0' && s[i] <= '9') {
    if (scale > 1) {
      scale /= 10;
      n += (s[i] - '0') * scale;
    }
    ++i;
  }
  return i == begin ? std::nullopt : std::optional(n);
}

std::optional<int64_t> offset(std::string_view s, size_t& i) {
  if (s.substr(i, 3) == "UTC" || s.substr(i, 3) == "GMT") {
    i += 3;
    return 0;
  }
  if (i < s.size() && s[i] == 'Z') {
    ++i;
    return 0;
  }
  if (i >= s.size() || (s[i] != '+' && s[i] != '-')) return std::nullopt;
  bool negative = s[i++] == '-';
  auto h = number(s, i, 2);
  if (i < s.size() && s[i] == ':') ++i;
  auto m = number(s, i, 2);
  if (!h) return std::nullopt;
  int64_t seconds = *h * 3600 + (m ? *m * 60 : 0);
  return negative ? -seconds : seconds;
}

} // namespace

std::optional<int64_t> parse_timestamp(std::string_view s, std::string_view format, std::string_view timezone) {
  int64_t year = 1970, month = 1, day = 1, hour = 0, minute = 0, sec = 0, nano = 0, zone = 0;
  bool zoned = false;
  std::optional<int64_t> epoch;
  size_t i = 0;
  std::string expanded;
  for (size_t k = 0; k < format.size(); ++k) {
    if (format[k] == '%' && k + 1 < format.size() && (format[k + 1] == 'F' || format[k + 1] == 'T' || format[k + 1] == 'R' || format[k + 1] == 'D')) {
      expanded += format[k + 1] == 'F' ? "%Y-%m-%d" : format[k + 1] == 'T' ? "%H:%M:%S" : format[k + 1] == 'R' ? "%H:%M" : "%m/%d/%y";
      ++k;
    } else {
      expanded += format[k];
    }
  }
  for (size_t k = 0; k < expanded.size(); ++k) {
    char f = expanded[k];
    if (f != '%' || k + 1 >= expanded.size()) {
      if (f == ' ') {
        while (i < s.size() && s[i] == ' ') ++i;
        continue;
      }
      if (i >= s.size() || s[i] != f) return std::nullopt;
      ++i;
      continue;
    }
    auto read = [&](int64_t& into, size_t width) {
      auto n = number(s, i, width);
      if (n) into = *n;
      return n.has_value();
    };
    switch (expanded[++k]) {
    case 'Y': if (!read(year, 4)) return std::nullopt; break;
    case 'y': if (!read(year, 2)) return std::nullopt; year += year < 69 ? 2000 : 1900; break;
    case 'm': if (!read(month, 2)) return std::nullopt; break;
    case 'd': case 'e': if (!read(day, 2)) return std::nullopt; break;
    case 'H': case 'k': if (!read(hour, 2)) return std::nullopt; break;
    case 'M': if (!read(minute, 2)) return std::nullopt; break;
    case 'S': if (!read(sec, 2)) return std::nullopt; break;
    case 'L': case 'N': {
      auto n = fraction(s, i);
      if (!n) return std::nullopt;
      nano = *n;
      break;
    }
    case 's': {
      bool negative = i < s.size() && s[i] == '-';
      if (negative) ++i;
      auto n = number(s, i, 18);
      if (!n) return std::nullopt;
      epoch = negative ? -*n : *n;
      break;
    }
    case 'z': case 'Z': {
      auto z = offset(s, i);
      if (!z) return std::nullopt;
      zone = *z;
      zoned = true;
      break;
    }
    case 'b': case 'B': {
      static constexpr std::string_view months[] = {"January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"};
      bool found = false;
      for (size_t m = 0; m < 12 && !found; ++m)
        for (size_t n : {months[m].size(), size_t{3}})
          if (!found && s.substr(i, n) == months[m].substr(0, n)) {
            month = static_cast<int64_t>(m) + 1;
            i += n;
            found = true;
          }
      if (!found) return std::nullopt;
      break;
    }
    case '%': if (i >= s.size() || s[i++] != '%') return std::nullopt; break;
    default: return std::nullopt;
    }
  }
  if (i != s.size()) return std::nullopt;
  if (month < 1 || month > 12 || day < 1 || day > 31 || hour > 24 || minute > 59 || sec > 60) return std::nullopt;
  if (!zoned && !timezone.empty()) {
    size_t at = 0;
    if (auto z = offset(timezone, at)) zone = *z;
  }
  int64_t seconds = epoch ? *epoch : days_from_civil(year, static_cast<unsigned>(month), static_cast<unsigned>(day)) * 86400 + hour * 3600 + minute * 60 + sec;
  return (seconds - zone) * second + nano;
}

int64_t to_timestamp(TypeContext& ctx, const Value& v) {
  switch (v.kind) {
  case Kind::Timestamp: return v.i;
  case Kind::Int: return v.i * second;
  case Kind::Float: return static_cast<int64_t>(std::llround(v.d * 1e9));
  case Kind::String: {
    static constexpr std::string_view formats[] = {"%FT%T.%N %Z", "%FT%T %Z", "%F %T.%N %Z", "%F %T %Z", "%FT%T.%N%z", "%FT%T%z", "%F %T.%N%z", "%F %T%z", "%FT%T.%N", "%FT%T", "%F %T.%N", "%F %T", "%F"};
    for (std::string_view f : formats)
      if (auto ns = parse_timestamp(v.str(), f)) return *ns;
    fail(fmt::format("Unable to parse '{}' using any of the formats default", v.str()));
  }
  default: fail(fmt::format("Value of type {} cannot be converted to Timestamp", type_name_of(ctx, v)));
  }
}

std::optional<int64_t> parse_timespan(std::string_view s, std::string_view format) {
  bool negative = s.starts_with('-');
  if (negative) s.remove_prefix(1);
  int64_t total = 0;
  size_t i = 0;
  for (size_t k = 0; k < format.size(); ++k) {
    if (format[k] != '%' || k + 1 >= format.size()) {
      if (i >= s.size() || s[i] != format[k]) return std::nullopt;
      ++i;
      continue;
    }
    ++k;
    while (k < format.size() && (format[k] == '-' || format[k] == '_' || format[k] == '0' || (format[k] >= '1' && format[k] <= '9'))) ++k;
    if (k >= format.size()) return std::nullopt;
    bool leading = true;
    for (size_t b = 0; b + 1 < k; ++b)
      if (format[b] == '%' && std::string_view("DHMS").find(format[b + 1]) != std::string_view::npos && b + 1 < k) leading = false;
    size_t width = leading ? 18 : 2;
    std::optional<int64_t> n;
    switch (format[k]) {
    case 'D': n = number(s, i, 18); if (!n) return std::nullopt; total += *n * 86400 * second; break;
    case 'H': n = number(s, i, width); if (!n) return std::nullopt; total += *n * 3600 * second; break;
    case 'M': n = number(s, i, width); if (!n) return std::nullopt; total += *n * 60 * second; break;
    case 'S': n = number(s, i, width); if (!n) return std::nullopt; total += *n * second; break;
    case 'L': n = number(s, i, 3); if (!n) return std::nullopt; total += *n * 1000000; break;
    case 'N': n = fraction(s, i); if (!n) return std::nullopt; total += *n; break;
    default: return std::nullopt;
    }
  }
  if (i != s.size()) return std::nullopt;
  return negative ? -total : total;
}

int64_t to_timespan(TypeContext& ctx, const Value& v) {
  switch (v.kind) {
  case Kind::Timespan: return v.i;
  case Kind::Int: return v.i * second;
  case Kind::Float: return static_cast<int64_t>(std::llround(v.d * 1e9));
  case Kind::String: {
    static constexpr std::string_view formats[] = {"%D-%H:%M:%S.%N", "%H:%M:%S.%N", "%M:%S.%N", "%S.%N", "%D-%H:%M:%S", "%H:%M:%S", "%D-%H:%M", "%S"};
    for (std::string_view f : formats)
      if (auto ns = parse_timespan(v.str(), f)) return *ns;
    fail(fmt::format("Unable to parse '{}' using any of the default formats", v.str()));
  }
  default: fail(fmt::format("Value of type {} cannot be converted to Timespan", type_name_of(ctx, v)));
  }
}

} // namespace pupc
