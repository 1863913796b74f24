// Legacy facts: the flat names from before facts were structured.
#include "runtime/facts/legacy_facts.h"

#include "runtime/facts/resolvers.h"

#include <algorithm>
#include <fmt/format.h>

namespace pupc::runtime {
namespace {

constexpr std::pair<const char*, const char*> aliases[] = {
#include "catalog/schema/legacy_facts.inc"
};

constexpr std::pair<const char*, const char*> megabytes[] = {{"memoryfree_mb", "memory.system.available_bytes"},
                                                             {"memorysize_mb", "memory.system.total_bytes"},
                                                             {"swapfree_mb", "memory.swap.available_bytes"},
                                                             {"swapsize_mb", "memory.swap.total_bytes"}};

constexpr std::pair<const char*, const char*> of_interfaces[] = {{"ipaddress", "ip"},    {"ipaddress6", "ip6"},    {"macaddress", "mac"},
                                                                 {"mtu", "mtu"},         {"netmask", "netmask"},   {"netmask6", "netmask6"},
                                                                 {"network", "network"}, {"network6", "network6"}, {"scope6", "scope6"}};

/// The names of a map, joined by commas; sorted on request.
std::string names_of(const FactMap& map, bool sorted) {
  std::vector<std::string> names;
  for (const auto& [name, value] : map) names.push_back(name);
  if (sorted) std::sort(names.begin(), names.end());
  return fmt::format("{}", fmt::join(names, ","));
}

// Facts that come from files may have any form. A fact that does not have Facter's form gives no legacy fact.
void derive_legacy(Facts& facts) {
  auto copy = [&](std::string legacy, const FactValue* value) {
    if (value) facts.set_legacy(std::move(legacy), *value);
  };
  auto map_of = [&](const char* dotted) {
    const FactValue* value = facts.find(dotted);
    return value ? value->map() : nullptr;
  };
  for (const auto& [legacy, dotted] : aliases) copy(legacy, facts.find(dotted));
  for (const auto& [legacy, dotted] : megabytes)
    if (const FactValue* bytes = facts.find(dotted))
      if (const auto* number = std::get_if<int64_t>(&bytes->data))
        facts.set_legacy(legacy, static_cast<double>(*number) / (1024.0 * 1024.0));
  if (const FactMap* interfaces = map_of("networking.interfaces")) {
    facts.set_legacy("interfaces", names_of(*interfaces, true));
    FactMap servers;
    for (const auto& [name, interface] : *interfaces) {
      for (const auto& [legacy, key] : of_interfaces) copy(fmt::format("{}_{}", legacy, name), interface.find(key));
      if (const FactValue* server = interface.find("dhcp")) servers.emplace_back(name, *server);
    }
    if (!servers.empty()) {
      if (const FactValue* system = facts.find("networking.dhcp")) servers.insert(servers.begin(), {"system", *system});
      facts.set_legacy("dhcp_servers", std::move(servers));
    }
  }
  if (const FactMap* disks = map_of("disks")) {
    facts.set_legacy("blockdevices", names_of(*disks, false));
    for (const auto& [name, disk] : *disks) {
      copy(fmt::format("blockdevice_{}_model", name), disk.find("model"));
      copy(fmt::format("blockdevice_{}_size", name), disk.find("size_bytes"));
      copy(fmt::format("blockdevice_{}_vendor", name), disk.find("vendor"));
    }
  }
  if (const FactValue* models = facts.find("processors.models"); models && models->list())
    for (size_t i = 0; i < models->list()->size(); ++i) facts.set_legacy(fmt::format("processor{}", i), (*models->list())[i]);
  if (const FactMap* keys = map_of("ssh"))
    for (const auto& [name, key] : *keys) {
      copy(fmt::format("ssh{}key", name), key.find("key"));
      const FactValue* prints = key.find("fingerprints");
      const FactValue* sha1 = prints ? prints->find("sha1") : nullptr;
      const FactValue* sha256 = prints ? prints->find("sha256") : nullptr;
      if (sha1 && sha256 && sha1->text() && sha256->text())
        facts.set_legacy(fmt::format("sshfp_{}", name), *sha1->text() + "\n" + *sha256->text());
    }
}

} // namespace

void resolve_legacy(FactSources& from, Facts& facts) {
  static_cast<void>(from);
  derive_legacy(facts);
}

Value with_legacy_facts(const Value& facts, Arena& arena) {
  Facts all;
  HashBuilder out(arena, facts.hash->size);
  for (const auto& e : facts.hash->entries()) {
    out.set(e.key, e.value);
    if (e.key.is_string()) all.set_top(e.key.str(), fact_from_value(e.value));
  }
  derive_legacy(all);
  for (const auto& [name, value] : all.legacy())
    if (!facts.hash->find(name)) out.set(Value::string(arena.copy(name)), fact_to_value(value, arena));
  return out.finish();
}

} // namespace pupc::runtime
