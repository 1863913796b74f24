#include "catalog/value/time_zone.h"

#include "catalog/base/diagnostic.h"
#include "catalog/value/conversion_error.h"
#include "catalog/value/regex.h"

#include <ctime>

namespace pupc::catalog {
namespace {

struct Zone {
  std::string_view name;
  int offset;
};
constexpr Zone zones[] = {
#include "catalog/value/time_zones.inc"
};

std::optional<int64_t> number_in(std::string_view s) {
  if (s.empty() || s.size() > 9) return std::nullopt;
  int64_t n = 0;
  for (char ch : s) {
    if (ch < '0' || ch > '9') return std::nullopt;
    n = n * 10 + (ch - '0');
  }
  return n;
}

/// The offset in the text after a sign: "hh", "hhmm", "hh:mm:ss", "hh.fraction".
std::optional<int64_t> clock_offset(std::string_view s) {
  if (size_t colon = s.find(':'); colon != std::string_view::npos) {
    auto hours = number_in(s.substr(0, colon));
    std::string_view rest = s.substr(colon + 1);
    size_t second = rest.find(':');
    auto minutes = number_in(rest.substr(0, second));
    if (!hours || !minutes || *hours > 23 || *minutes > 59) return std::nullopt;
    int64_t seconds = 0;
    if (second != std::string_view::npos) {
      auto n = number_in(rest.substr(second + 1));
      if (!n || *n > 59) return std::nullopt;
      seconds = *n;
    }
    return *hours * 3600 + *minutes * 60 + seconds;
  }
  if (size_t point = s.find_first_of(",."); point != std::string_view::npos) {
    auto hours = number_in(s.substr(0, point));
    std::string_view fraction = s.substr(point + 1, 7);
    auto part = number_in(fraction);
    if (!hours || !part || *hours > 23) return std::nullopt;
    double scale = 1;
    for (size_t i = 0; i < fraction.size(); ++i) scale *= 10;
    return *hours * 3600 + static_cast<int64_t>(static_cast<double>(*part) * 3600 / scale);
  }
  if (!number_in(s.substr(0, 6))) return std::nullopt;
  // With an odd number of digits the hour has one digit.
  size_t first = s.size() >= 2 ? 2 - s.size() % 2 : s.size();
  int64_t hours = *number_in(s.substr(0, first));
  int64_t minutes = s.size() >= 3 ? *number_in(s.substr(first, 2)) : 0;
  int64_t seconds = s.size() >= 5 ? *number_in(s.substr(first + 2, 2)) : 0;
  return hours * 3600 + minutes * 60 + seconds;
}

std::optional<int64_t> offset_of(std::string_view text) {
  std::string s;
  for (char ch : text) {
    bool blank = ch == ' ' || (ch >= '\t' && ch <= '\r');
    if (blank && (s.empty() || s.back() == ' ')) continue;
    s += blank ? ' ' : ch >= 'A' && ch <= 'Z' ? static_cast<char>(ch + 32) : ch;
  }
  auto cut = [&](std::string_view suffix) {
    if (!s.ends_with(suffix)) return false;
    s.resize(s.size() - suffix.size());
    return true;
  };
  bool summer = false;
  if (!cut(" standard time")) summer = cut(" daylight time") || cut(" dst");
  for (const Zone& z : zones)
    if (z.name == s) return z.offset + (summer ? 3600 : 0);
  std::string_view rest = s;
  if (rest.starts_with("gmt") || rest.starts_with("utc")) rest.remove_prefix(3);
  if (!rest.starts_with('+') && !rest.starts_with('-')) return std::nullopt;
  auto n = clock_offset(rest.substr(1));
  if (n && rest[0] == '-') return -*n;
  return n;
}

} // namespace

int64_t days_from_civil(int64_t year, int month, int day) {
  year -= month <= 2;
  int64_t era = (year >= 0 ? year : year - 399) / 400;
  int64_t of_era = year - era * 400;
  int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

void civil_from_days(int64_t days, int64_t& year, int& month, int& day) {
  days += 719468;
  int64_t era = (days >= 0 ? days : days - 146096) / 146097;
  int64_t of_era = days - era * 146097;
  int64_t year_of_era = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
  int64_t of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  int64_t shifted = (5 * of_year + 2) / 153;
  day = static_cast<int>(of_year - (153 * shifted + 2) / 5 + 1);
  month = static_cast<int>(shifted < 10 ? shifted + 3 : shifted - 9);
  year = year_of_era + era * 400 + (month <= 2);
}

ZoneText read_zone(std::string_view text) {
  static const Regex pattern("\\A(?:(?:gmt|utc?)?[-+]\\d+(?:[,.:]\\d+(?::\\d+)?)?|(?-i:[[:alpha:].\\s]+)(?:standard|daylight)\\s+time\\b|(?"
                             "-i:[[:alpha:]]+)(?:\\s+dst)?\\b)",
                             true);
  MatchResult m = pattern.search(text);
  if (!m.matched || m.groups[0].end <= 0) return {};
  auto length = static_cast<size_t>(m.groups[0].end);
  return {length, offset_of(text.substr(0, length))};
}

int64_t utc_offset(std::string_view timezone) {
  std::string lower(timezone);
  for (char& ch : lower)
    if (ch >= 'A' && ch <= 'Z') ch = static_cast<char>(ch + 32);
  if (lower == "current") {
    time_t now = std::time(nullptr);
    tm local{};
    localtime_r(&now, &local);
    return local.tm_gmtoff;
  }
  ZoneText zone = read_zone(timezone);
  if (!zone.offset) fail_conversion("Illegal timezone '" + std::string(timezone) + "'");
  return *zone.offset;
}

int64_t local_offset(std::string_view timezone) {
  bool plain = timezone.size() == 6 && (timezone[0] == '+' || timezone[0] == '-') && timezone[3] == ':' &&
               number_in(timezone.substr(1, 2)) && number_in(timezone.substr(4));
  int64_t minutes;
  if (plain) {
    minutes = *number_in(timezone.substr(1, 2)) * 60 + *number_in(timezone.substr(4));
    if (*number_in(timezone.substr(4)) > 59)
      fail_conversion("\"+HH:MM\", \"-HH:MM\", \"UTC\" or \"A\"..\"I\",\"K\"..\"Z\" expected for utc_offset: " + std::string(timezone));
    if (timezone[0] == '-') minutes = -minutes;
  } else {
    int64_t offset = utc_offset(timezone);
    minutes = offset / 60 - (offset % 60 != 0 && offset < 0);
  }
  if (minutes >= 1440 || minutes <= -1440) fail_conversion("utc_offset out of range");
  return minutes * 60;
}

} // namespace pupc::catalog
