// processors: models and clock from /proc/cpuinfo, the topology from /sys as lscpu counts it.
#include "catalog/base/text.h"
#include "runtime/facts/resolvers.h"

#include <cctype>
#include <set>

namespace pupc::runtime {
namespace {

bool is_cpu_directory(const std::string& name) {
  if (!name.starts_with("cpu") || name.size() < 4) return false;
  for (size_t i = 3; i < name.size(); ++i)
    if (!isdigit(static_cast<unsigned char>(name[i]))) return false;
  return true;
}

} // namespace

void resolve_processors(FactSources& from, Facts& facts) {
  int64_t count = 0;
  FactList models;
  std::set<int64_t> packages;
  uint64_t hertz = 0;
  for (const std::string& line : from.lines("/proc/cpuinfo")) {
    const size_t colon = line.find(':');
    const std::string_view name = trimmed(std::string_view(line).substr(0, colon), ruby_blanks);
    const std::string_view value = trimmed(std::string_view(line).substr(line.rfind(':') + 1), ruby_blanks);
    if (name == "processor") ++count;
    if (name == "model name" || name == "cpu") models.emplace_back(value);
    if (name == "physical id") packages.insert(leading_integer(value));
    if ((name == "cpu MHz" || name == "clock") && !value.empty() && isdigit(static_cast<unsigned char>(value[0])))
      hertz = static_cast<uint64_t>(leading_integer(value)) * 1'000'000;
  }
  if (count == 0) return;

  const std::string base = "/sys/devices/system/cpu/";
  std::set<std::string> ids, cores, sockets;
  int64_t threads = 0;
  for (const std::string& cpu : from.entries(base)) {
    if (!is_cpu_directory(cpu)) continue;
    const std::string topology = base + cpu + "/topology/";
    const auto id = from.read_stripped(topology + "physical_package_id");
    if (!id) continue; // the processor is offline
    ids.insert(*id);
    ++threads;
    auto core = from.read_stripped(topology + "core_cpus_list");
    if (!core) core = from.read_stripped(topology + "thread_siblings_list");
    auto socket = from.read_stripped(topology + "package_cpus_list");
    if (!socket) socket = from.read_stripped(topology + "core_siblings_list");
    cores.insert(core.value_or(cpu));
    sockets.insert(socket.value_or(*id));
  }
  facts.set("processors.count", count);
  facts.set("processors.physicalcount", packages.empty() ? ids.size() : packages.size());
  facts.set("processors.models", models);
  if (hertz) facts.set("processors.speed", human_hertz(hertz));
  if (!cores.empty()) {
    facts.set("processors.cores", cores.size() / sockets.size());
    facts.set("processors.threads", threads / static_cast<int64_t>(cores.size()));
  }
  // The answer of `uname -p`: Debian's coreutils print "unknown", those of other distributions the machine's type.
  const std::string machine = from.probe.uname().machine;
  const bool patched = facts.text("os.family") != "Debian" || facts.text("os.name") == "Ubuntu";
  facts.set("processors.isa", patched ? machine : "unknown");
}

} // namespace pupc::runtime
