#include "runtime/transaction/schedule.h"

#include "catalog/base/text.h"

#include <algorithm>
#include <ctime>

namespace pupc::runtime {
namespace {

struct Schedule {
  std::vector<std::string> ranges;
  std::string period;
  bool by_number = false;
  int64_t repeat = 1;
  std::vector<int> weekdays;
};

bool built_in(std::string_view name, Schedule& out) {
  if (name == "puppet") {
    out.period = "hourly";
    out.repeat = 2;
    return true;
  }
  for (std::string_view p : {"hourly", "daily", "weekly", "monthly", "never"})
    if (p == name) {
      out.period = p;
      return true;
    }
  return false;
}

bool find_schedule(RunContext& run, std::string_view name, Schedule& out) {
  ManagedResource* r = run.find("schedule", name);
  if (r == nullptr) return built_in(name, out);
  out.ranges = r->texts("range");
  out.period = r->text("period");
  out.by_number = r->text("periodmatch") == "number";
  out.repeat = std::max<int64_t>(1, std::atoll(r->text("repeat", "1").c_str()));
  static constexpr std::string_view days[] = {"sun", "mon", "tue", "wed", "thu", "fri", "sat"};
  for (const std::string& day : r->texts("weekday")) {
    if (day.size() == 1 && day[0] >= '0' && day[0] <= '6') out.weekdays.push_back(day[0] - '0');
    const std::string start = ascii_lower(day.substr(0, 3));
    for (int i = 0; i < 7; ++i)
      if (days[i] == start) out.weekdays.push_back(i);
  }
  return true;
}

tm local(int64_t ns) {
  time_t t = static_cast<time_t>(ns / 1'000'000'000);
  tm out{};
  ::localtime_r(&t, &out);
  return out;
}

time_t at(tm day, int offset, const int clock[3]) {
  day.tm_mday += offset;
  day.tm_hour = clock[0];
  day.tm_min = clock[1];
  day.tm_sec = clock[2];
  day.tm_isdst = -1;
  return ::mktime(&day);
}

bool day_matches(const Schedule& s, int day) {
  return s.weekdays.empty() || std::find(s.weekdays.begin(), s.weekdays.end(), (day + 7) % 7) != s.weekdays.end();
}

bool in_range(const Schedule& s, const std::string& range, int64_t now) {
  int from[3] = {0, 0, 0}, to[3] = {0, 0, 0};
  size_t dash = range.find('-');
  if (dash == std::string::npos) return false;
  std::sscanf(range.substr(0, dash).c_str(), "%d:%d:%d", &from[0], &from[1], &from[2]);
  std::sscanf(range.substr(dash + 1).c_str(), " %d:%d:%d", &to[0], &to[1], &to[2]);
  const tm today = local(now);
  const time_t moment = static_cast<time_t>(now / 1'000'000'000);
  time_t start = at(today, 0, from), end = at(today, 0, to);
  if (start < end) return moment >= start && moment <= end && day_matches(s, today.tm_wday);
  // The range crosses midnight: the weekday of its beginning counts.
  if (moment >= start && moment <= at(today, 1, to)) return day_matches(s, today.tm_wday);
  return moment >= at(today, -1, from) && moment <= end && day_matches(s, today.tm_wday - 1);
}

bool period_matches(const Schedule& s, int64_t checked, int64_t now) {
  if (s.period == "never") return false;
  const int64_t before = checked / 1'000'000'000, moment = now / 1'000'000'000;
  if (s.by_number) {
    const tm a = local(checked), b = local(now);
    if (s.period == "hourly") return a.tm_hour != b.tm_hour;
    if (s.period == "daily") return a.tm_mday != b.tm_mday;
    if (s.period == "monthly") return a.tm_mon != b.tm_mon;
    return a.tm_wday > b.tm_wday || moment - before > 24 * 3600 * 7;
  }
  const int64_t scale = s.period == "hourly" ? 3600 : s.period == "daily" ? 86400 : s.period == "weekly" ? 604800 : 2592000;
  return moment - before >= scale / s.repeat;
}

} // namespace

bool known_schedule(RunContext& run, std::string_view name) {
  Schedule ignored;
  return find_schedule(run, name, ignored);
}

bool schedule_matches(RunContext& run, std::string_view name, int64_t checked, std::string_view) {
  Schedule s;
  if (!find_schedule(run, name, s)) return true;
  const int64_t now = run.system.now();
  if (!s.ranges.empty() && std::none_of(s.ranges.begin(), s.ranges.end(), [&](const std::string& r) { return in_range(s, r, now); }))
    return false;
  if (!s.period.empty() && !period_matches(s, checked, now)) return false;
  return !s.ranges.empty() || day_matches(s, local(now).tm_wday);
}

} // namespace pupc::runtime
