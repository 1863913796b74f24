#include "tools/pupc/why/automatic_relations.h"

#include "runtime/sys/fake_system.h"
#include "runtime/transaction/run_catalog.h"

#include <map>

namespace pupc::cli {
namespace {

/// The context of a run that never takes place: an empty machine in memory, no log. Type handlers need one.
class NoRun final : public RunContext {
public:
  NoRun(Catalog& catalog, FakeSystem& machine, const RunSettings& how)
      : RunContext(machine, catalog.arena(), how), resources(catalog, how) {}

  void log(LogLevel, const ManagedResource&, std::string_view, std::string_view) override {}
  void log(LogLevel, std::string_view) override {}
  void log_from(LogLevel, std::string, std::string_view, const ManagedResource*) override {}
  ManagedResource* find(std::string_view type, std::string_view title) override {
    const uint32_t i = resources.find(type, title);
    return i == RunCatalog::none ? nullptr : resources[i].resource.get();
  }
  std::vector<ManagedResource*> resources_of(std::string_view type) override {
    std::vector<ManagedResource*> out;
    for (uint32_t i = 0; i < resources.size(); ++i)
      if (resources[i].resource->type == type) out.push_back(resources[i].resource.get());
    return out;
  }
  std::vector<ManagedResource*> all_resources() override {
    std::vector<ManagedResource*> out;
    for (uint32_t i = 0; i < resources.size(); ++i) out.push_back(resources[i].resource.get());
    return out;
  }
  Value fact(std::string_view) override { return Value::undef(); }

  RunCatalog resources;
};

} // namespace

std::vector<AutomaticRelation> automatic_relations(Catalog& catalog) {
  // The resources that a run would manage, in catalog order.
  std::vector<ResourceId> ids;
  for (ResourceId id = 0; id < catalog.size(); ++id)
    if (!catalog[id].has(Resource::is_virtual)) ids.push_back(id);
  FakeSystem machine;
  const RunSettings settings;
  NoRun run(catalog, machine, settings);
  std::map<std::string, std::unique_ptr<TypeHandler>> handlers;
  const auto count = static_cast<uint32_t>(run.resources.size());
  for (uint32_t i = 0; i < count; ++i) {
    RunCatalog::Entry& e = run.resources[i];
    if (e.is_container) continue;
    auto [it, added] = handlers.try_emplace(e.resource->type);
    if (added) it->second = make_type_handler(e.resource->type, settings);
    if (it->second == nullptr) continue;
    e.handler = it->second.get();
    try {
      e.handler->prepare(*e.resource, run);
      run.resources.add_name(i, e.handler->key(*e.resource));
    } catch (const std::exception&) { // an invalid resource concerns only the machine that applies the catalog
    }
  }
  std::vector<AutomaticRelation> out;
  std::vector<AutoRelation> said;
  for (uint32_t i = 0; i < count && i < ids.size(); ++i) {
    const RunCatalog::Entry& e = run.resources[i];
    if (e.handler == nullptr) continue;
    said.clear();
    try {
      e.handler->autorelations(*e.resource, run, said);
    } catch (const std::exception&) { continue; }
    for (const AutoRelation& a : said) {
      const uint32_t other = run.resources.find(a.type, a.title);
      if (other == RunCatalog::none || other == i || other >= ids.size()) continue;
      const bool incoming = a.kind == AutoRelation::Require || a.kind == AutoRelation::Subscribe;
      out.push_back({incoming ? ids[other] : ids[i], incoming ? ids[i] : ids[other], ids[i]});
    }
  }
  return out;
}

} // namespace pupc::cli
