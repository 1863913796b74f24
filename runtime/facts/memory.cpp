#include "runtime/facts/resolvers.h"

#include <fmt/format.h>
#include <map>

namespace pupc::runtime {
namespace {

void set_area(Facts& facts, const std::string& area, uint64_t total, uint64_t available) {
  const uint64_t used = total - available;
  const std::string p = "memory." + area + ".";
  facts.set(p + "available", human_bytes(available));
  facts.set(p + "available_bytes", available);
  facts.set(p + "capacity", fmt::format("{:.2f}%", static_cast<double>(used) / static_cast<double>(total) * 100));
  facts.set(p + "total", human_bytes(total));
  facts.set(p + "total_bytes", total);
  facts.set(p + "used", human_bytes(used));
  facts.set(p + "used_bytes", used);
}

} // namespace

void resolve_memory(FactSources& from, Facts& facts) {
  std::map<std::string, uint64_t> kib;
  for (const std::string& line : from.lines("/proc/meminfo")) {
    const size_t colon = line.find(':');
    if (colon != std::string::npos)
      kib[line.substr(0, colon)] = static_cast<uint64_t>(leading_integer(std::string_view(line).substr(colon + 1)));
  }
  if (!kib.count("MemTotal")) return;
  const uint64_t available = kib.count("MemAvailable") ? kib["MemAvailable"] : kib["MemFree"] + kib["Buffers"] + kib["Cached"];
  set_area(facts, "system", kib["MemTotal"] * 1024, available * 1024);
  if (kib["SwapTotal"] != 0) set_area(facts, "swap", kib["SwapTotal"] * 1024, kib["SwapFree"] * 1024);
}

} // namespace pupc::runtime
