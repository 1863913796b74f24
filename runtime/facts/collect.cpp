#include "runtime/facts/collect.h"

#include "runtime/facts/resolvers.h"

namespace pupc::runtime {
namespace {

struct Resolver {
  std::string_view name;
  void (*resolve)(FactSources&, Facts&);
};

constexpr Resolver resolvers[] = {
    {"kernel", resolve_kernel},
    {"os", resolve_os},
    {"selinux", resolve_selinux},
    {"networking", resolve_networking},
    {"hostname", resolve_hostname},
    {"memory", resolve_memory},
    {"processors", resolve_processors},
    {"disks", resolve_disks},
    {"mountpoints", resolve_mountpoints},
    {"partitions", resolve_partitions},
    {"filesystems", resolve_filesystems},
    {"dmi", resolve_dmi},
    {"virtual", resolve_virtual},
    {"uptime", resolve_uptime},
    {"ssh", resolve_ssh},
    {"identity", resolve_identity},
    {"environment", resolve_environment},
    {"ruby", resolve_ruby},
    {"augeas", resolve_augeas},
    {"legacy", resolve_legacy},
};

using Clock = std::chrono::steady_clock;

template <class F> void timed(std::string_view name, std::vector<FactTiming>* timings, F f) {
  const auto begin = Clock::now();
  f();
  if (timings) timings->push_back({std::string(name), Clock::now() - begin});
}

} // namespace

Facts collect_core_facts(FactSources& from, std::vector<FactTiming>* timings) {
  Facts facts;
  for (const Resolver& r : resolvers) timed(r.name, timings, [&] { r.resolve(from, facts); });
  return facts;
}

} // namespace pupc::runtime
