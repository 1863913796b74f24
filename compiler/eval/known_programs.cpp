#include "compiler/eval/known_programs.h"

#include <algorithm>
#include <array>
#include <charconv>

#include <unistd.h>

namespace pupc::compiler {
namespace {

constexpr std::array<std::string_view, 7> days = {"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"};

/// Takes what stands before the next `separator`; all, where there is none.
std::string_view take(std::string_view& text, std::string_view separator) {
  const size_t at = text.find(separator);
  const std::string_view part = text.substr(0, at);
  text.remove_prefix(at == std::string_view::npos ? text.size() : at + separator.size());
  return part;
}

/// The number of a day; -1 for another word.
int day(std::string_view word) {
  const auto found = std::find(days.begin(), days.end(), word);
  return found == days.end() ? -1 : static_cast<int>(found - days.begin());
}

/// "Mon,Wed..Fri"
bool is_days(std::string_view text) {
  if (text.empty() || text.ends_with(',')) return false;
  while (!text.empty()) {
    std::string_view last = take(text, ",");
    const int from = day(take(last, ".."));
    if (from < 0 || (!last.empty() && day(last) <= from)) return false;
  }
  return true;
}

/// A number of one or two digits; -1 for anything else.
int number(std::string_view text) {
  int n = 0;
  if (text.empty() || text.size() > 2 || !std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; })) return -1;
  std::from_chars(text.data(), text.data() + text.size(), n);
  return n;
}

/// "*", or a list of numbers, each with a repetition: "0/10,5".
bool is_part(std::string_view text, int least, int most) {
  if (text == "*") return true;
  if (text.empty() || text.ends_with(',')) return false;
  while (!text.empty()) {
    std::string_view item = take(text, ",");
    const bool repeats = item.find('/') != std::string_view::npos;
    const int from = number(take(item, "/"));
    const int step = repeats ? number(item) : 1;
    if (from < least || from > most || step < 1 || (repeats && from + step > most)) return false;
  }
  return true;
}

/// "*-*-*" or "*-1-15"
bool is_date(std::string_view text) {
  if (std::count(text.begin(), text.end(), '-') != 2 || take(text, "-") != "*") return false;
  const std::string_view month = take(text, "-");
  return is_part(month, 1, 12) && is_part(text, 1, 31);
}

/// "4:15" or "*:0/5:30"
bool is_time(std::string_view text) {
  const auto colons = std::count(text.begin(), text.end(), ':');
  if (colons < 1 || colons > 2 || text.ends_with(':')) return false;
  const std::string_view hour = take(text, ":"), minute = take(text, ":");
  return is_part(hour, 0, 23) && is_part(minute, 0, 59) && (colons == 1 || is_part(text, 0, 59));
}

} // namespace

bool surely_calendar(std::string_view expression) {
  constexpr std::string_view words[] = {"minutely", "hourly", "daily", "monthly", "weekly", "yearly", "quarterly", "annually"};
  if (std::find(std::begin(words), std::end(words), expression) != std::end(words)) return true;
  if (expression.empty() || expression.ends_with(' ')) return false;
  std::string_view rest = expression;
  std::string_view part = take(rest, " ");
  if (is_days(part)) {
    if (rest.empty()) return true;
    part = take(rest, " ");
  }
  if (is_date(part)) {
    if (rest.empty()) return true;
    part = take(rest, " ");
  }
  return rest.empty() && is_time(part);
}

bool surely_succeeds(std::span<const Value> args) {
  constexpr const char* program = "/usr/bin/systemd-analyze";
  return args.size() == 3 && std::all_of(args.begin(), args.end(), [](const Value& v) { return v.is_string(); }) &&
         args[0].str() == program && args[1].str() == "calendar" && surely_calendar(args[2].str()) && ::access(program, X_OK) == 0;
}

} // namespace pupc::compiler
