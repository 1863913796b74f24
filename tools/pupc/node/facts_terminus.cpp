#include "tools/pupc/node/facts_terminus.h"

#include "compiler/load/facts_file.h"
#include "compiler/load/load_error.h"
#include "tools/pupc/node/known_nodes.h"
#include "tools/pupc/node/puppetdb_commands.h"

#include <filesystem>
#include <fmt/format.h>

namespace pupc::cli {
namespace {

/// As Puppet, take trusted data from a fact only if they are whole; whatever else has that name is no variable of the node.
TerminusFacts with_trusted(const Value& facts, Arena& into) {
  const Value* trusted = facts.hash->find("trusted");
  if (trusted == nullptr) return {facts, {}};
  TerminusFacts out;
  if (trusted->is_hash() && trusted->hash->find("authenticated") != nullptr && trusted->hash->find("certname") != nullptr &&
      trusted->hash->find("extensions") != nullptr)
    out.trusted = *trusted;
  HashBuilder others(into);
  for (const HashEntry& e : facts.hash->entries())
    if (!e.key.is_string() || e.key.str() != "trusted") others.set(e.key, e.value);
  out.facts = others.finish();
  return out;
}

} // namespace

std::string facts_terminus(const CompileOptions& options, std::string_view application, std::string_view usual) {
  const PuppetSettings& conf = options.configuration;
  std::string routed = routed_facts_terminus(conf.value("route_file"), application);
  if (!routed.empty()) return routed;
  return conf.given("facts_terminus") ? conf.value("facts_terminus") : std::string(usual);
}

TerminusFacts find_facts(const CompileOptions& options, const std::string& terminus, const std::string& name, Arena& into,
                         const std::function<Value()>& of_machine) {
  const PuppetSettings& conf = options.configuration;
  if (terminus == "yaml" || terminus == "json") {
    const std::string directory = terminus == "json"               ? conf.value("vardir") + "/server_data"
                                  : conf.mode() == RunMode::Server ? conf.value("yamldir")
                                                                   : conf.value("clientyamldir");
    const std::string file = fmt::format("{}/facts/{}.{}", directory, name, terminus);
    if (name.find('/') != std::string::npos || !std::filesystem::exists(file)) return {};
    return with_trusted(read_facts_file(into, file), into);
  }
  if (terminus == "puppetdb") {
    const std::vector<KnownNode> found = known_nodes(options, "puppetdb:", into, name);
    if (found.empty()) return {};
    HashBuilder facts(into);
    for (const HashEntry& e : found[0].facts.hash->entries()) facts.set(e.key, e.value);
    if (found[0].trusted.is_hash()) facts.set("trusted", found[0].trusted);
    return with_trusted(facts.finish(), into);
  }
  if (terminus == "memory") return {};
  if (terminus != "facter") throw_load_error(fmt::format("Could not find terminus {} for indirection facts", terminus));
  return {of_machine(), {}};
}

} // namespace pupc::cli
