#include "runtime/facts/resolvers.h"

namespace pupc::runtime {
namespace {

// The version of Facter whose structure and behaviour these facts follow.
constexpr const char* facter_version = "4.3.0";

} // namespace

void resolve_environment(FactSources& from, Facts& facts) {
  facts.set("path", from.system.environment("PATH"));
  facts.set("timezone", from.probe.time_zone());
  facts.set("fips_enabled", from.read_stripped("/proc/sys/crypto/fips_enabled") == "1");
  facts.set("facterversion", facter_version);
}

} // namespace pupc::runtime
