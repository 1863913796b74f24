// What a catalog has twice: resources, and classes that are declared when they are in it already.
#include "catalog/base/text.h"
#include "catalog/graph/tags.h"
#include "compiler/analysis/trial/trial_catalog.h"

#include <fmt/format.h>

namespace pupc::compiler {

/// Two resources of one title, where no function like ensure_packages asks whether it is there.
void Trial::check_duplicate_resources(const Catalog& catalog) {
  for (const auto& [type, resources] : catalog.resources) {
    std::unordered_map<std::string_view, const TrialResource*> first;
    for (const auto& [r, may_miss] : resources) {
      if (may_miss || r->titles.size() != 1 || r->titles[0].find('\1') != std::string::npos) continue;
      const auto [at, fresh] = first.try_emplace(r->titles[0], r);
      const TrialResource& other = *at->second;
      if (fresh || r->ensured || other.ensured) continue;
      if (r->lazy && r->source == other.source && r->offset == other.offset) continue; // what declares both is told of
      if (!walked_.asked(r->source) || reported(r->source, r->offset) || reported(other.source, other.offset)) continue;
      findings_.add(CheckCode::duplicate_resource, *r->source, r->offset, r->length,
                    fmt::format("{}['{}'] is declared twice in the catalog of {} (the first time {}:{})", capitalize_segments(type.str()),
                                r->titles[0], catalog.shown, other.source->path(), other.source->line(other.offset)));
      told_.emplace(r->source, r->offset);
    }
  }
}

/// The same of what one class declares, with each file of data. A function like ensure_packages comes first here, and leaves nothing to
/// declare.
void Trial::check_declared_twice(const Node& at, Symbol type, const Guess& title) {
  if (maybe_ > 0 || unrealized_ || !is_known(title) || !title.value.is_string()) return;
  const std::string name(plain_title(type, title.value.str()));
  const TrialUnit::Place own{source_, at.offset, ensured_, defines_ > 0};
  const auto [first, fresh] = unit_->declared.try_emplace({type.id, name}, own);
  const TrialUnit::Place& other = first->second;
  if (fresh || own.ensured || (other.ensured && other.lazy) || (own.lazy && own.source == other.source && own.offset == other.offset))
    return;
  fail(at, CheckCode::duplicate_resource,
       fmt::format("{}['{}'] is declared twice (the first time {}:{})", capitalize_segments(type.str()), name, other.source->path(),
                   other.source->line(other.offset)));
}

/// The classes that are in a catalog, in the order in which they come.
struct Trial::Order {
  const Catalog& catalog;
  std::unordered_map<Symbol, const TrialInclude*> classes;
  std::vector<const TrialInclude*> lazy; // declarations in defined types
};

void Trial::follow(Order& order, const TrialUnit& unit) {
  for (const TrialInclude& i : unit.includes) {
    if (i.maybe) continue;
    if (i.lazy) {
      if (i.declared) order.lazy.push_back(&i);
      continue;
    }
    if (order.classes.try_emplace(i.name, &i).second)
      follow(order, i.unit ? *i.unit : unit_of(i.name));
    else if (i.declared)
      check_declared(order, i);
  }
}

/// A class that is declared, where it is in the catalog already.
void Trial::check_declared(const Order& order, const TrialInclude& i) {
  const TrialInclude& first = *order.classes.at(i.name);
  if (!walked_.asked(i.source) || reported(i.source, i.offset)) return;
  findings_.add(CheckCode::duplicate_resource, *i.source, i.offset, i.length,
                fmt::format("Class['{}'] is in the catalog of {} already: {}:{} {} it", i.name.str(), order.catalog.shown,
                            first.source->path(), first.source->line(first.offset), first.declared ? "declares" : "includes"),
                "A class with parameters must be declared before anything includes it.");
  told_.emplace(i.source, i.offset);
}

void Trial::check_order(const Catalog& catalog, std::span<const TrialUnit* const> units) {
  Order order{catalog, {}, {}};
  for (const TrialUnit* unit : units) follow(order, *unit);
  for (const TrialInclude* i : order.lazy)
    if (order.classes.contains(i->name)) check_declared(order, *i);
}

} // namespace pupc::compiler
