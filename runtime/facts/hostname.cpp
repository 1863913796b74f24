#include "catalog/base/host_name.h"
#include "runtime/facts/resolvers.h"

namespace pupc::runtime {
void resolve_hostname(FactSources& from, Facts& facts) {
  const std::string node = from.system.hostname();
  if (node.empty()) return;
  const catalog::HostNames names = catalog::host_names(
      node, [&](const std::string& host) { return from.probe.canonical_name(host); }, [&] { return from.lines("/etc/resolv.conf"); });
  facts.set("networking.hostname", names.host);
  if (!names.domain.empty()) facts.set("networking.domain", names.domain);
  facts.set("networking.fqdn", names.full);
}

} // namespace pupc::runtime
