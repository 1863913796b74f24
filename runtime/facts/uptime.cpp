#include "catalog/base/split_text.h"
#include "runtime/facts/resolvers.h"

#include <cstdlib>
#include <fmt/format.h>

namespace pupc::runtime {
namespace {

/// Seconds since the start of the container's first process. /proc gives that start in hundredths of a second after the machine's boot.
std::optional<int64_t> container_seconds(FactSources& from, double machine_uptime) {
  const auto stat = from.read("/proc/1/stat");
  if (!stat) return std::nullopt;
  const auto fields = catalog::words_of(std::string_view(*stat).substr(stat->rfind(')') + 1));
  if (fields.size() < 20) return std::nullopt;
  return static_cast<int64_t>(machine_uptime - strtod(fields[19].c_str(), nullptr) / 100.0);
}

} // namespace

void resolve_uptime(FactSources& from, Facts& facts) {
  if (const auto text = from.read_stripped("/proc/uptime")) {
    int64_t seconds = leading_integer(*text);
    if (facts.find("hypervisors.docker")) seconds = container_seconds(from, strtod(text->c_str(), nullptr)).value_or(seconds);
    const int64_t hours = seconds / 3600, days = hours / 24;
    facts.set("system_uptime.days", days);
    facts.set("system_uptime.hours", hours);
    facts.set("system_uptime.seconds", seconds);
    facts.set("system_uptime.uptime", days == 0   ? fmt::format("{}:{:02} hours", hours, seconds / 60 % 60)
                                      : days == 1 ? std::string("1 day")
                                                  : fmt::format("{} days", days));
  }
  if (const auto text = from.read_stripped("/proc/loadavg")) {
    const auto words = catalog::words_of(*text);
    if (words.size() >= 3) {
      facts.set("load_averages.1m", strtod(words[0].c_str(), nullptr));
      facts.set("load_averages.5m", strtod(words[1].c_str(), nullptr));
      facts.set("load_averages.15m", strtod(words[2].c_str(), nullptr));
    }
  }
}

} // namespace pupc::runtime
