// Catalogs of node definitions, put together of what each class brings: references that nothing declares, virtual resources that nothing
// realizes.
#include "catalog/base/paths.h"
#include "catalog/base/split_text.h"
#include "catalog/base/text.h"
#include "compiler/analysis/resources/title_patterns.h"
#include "compiler/analysis/trial/trial_catalog.h"

#include <fmt/format.h>

namespace pupc::compiler {

void Trial::gather(Catalog& catalog, const TrialUnit& unit, bool maybe) {
  catalog.open = catalog.open || unit.open;
  catalog.realizes = catalog.realizes || unit.realizes;
  catalog.open_types.insert(unit.open_types.begin(), unit.open_types.end());
  for (const TrialResource& r : unit.resources) catalog.resources[r.type].emplace_back(&r, maybe || r.maybe);
  for (const TrialReference& r : unit.references) catalog.references.emplace_back(&r, maybe || r.maybe);
  for (const TrialCollector& c : unit.collectors) catalog.collectors.push_back(&c);
  for (const bool certain : {true, false}) // those that are surely there first
    for (const TrialInclude& i : unit.includes) {
      if (i.maybe == certain || !catalog.classes.insert(i.name).second) continue;
      in_catalogs_.insert(i.name);
      gather(catalog, i.unit ? *i.unit : unit_of(i.name), maybe || i.maybe);
    }
}

void Trial::check_references(const Catalog& catalog) {
  if (catalog.open) return;
  for (const auto& [r, maybe] : catalog.references) {
    if (!walked_.asked(r->source) || reported(r->source, r->offset) || program_.in_broken(r->type.str())) continue;
    if (r->type == sym::class_) check_class_reference(catalog, *r, maybe);
    const DefinitionEntry* define = nullptr;
    const ResourceTypeInfo* native = nullptr;
    if (one_of("class|stage|schedule|filebucket", r->type.str()) || catalog.open_types.contains(r->type) ||
        walked_.find_type(r->type, define, native) != Known::Yes)
      continue;
    const auto all = catalog.resources.find(r->type);
    bool found = false;
    const TrialResource* sometimes = nullptr; // where the title, or name, is one of several
    if (all != catalog.resources.end())
      for (const auto& [resource, may_miss] : all->second) {
        const auto fits = [&, r = r](const std::string& title) {
          return std::ranges::any_of(r->titles, [&](const std::string& wanted) { return may_be_one(title, wanted); });
        };
        const bool by_title = std::ranges::any_of(resource->titles, fits), by_alias = std::ranges::any_of(resource->aliases, fits);
        if (!by_title && !by_alias) continue;
        const bool always = (by_title && (!resource->of_data || std::ranges::all_of(resource->titles, fits))) ||
                            (by_alias && (!resource->by_name || std::ranges::all_of(resource->aliases, fits)));
        if (!always && !may_miss && !maybe && sometimes == nullptr && r->titles.size() == 1 && r->titles[0].find('\1') == std::string::npos)
          sometimes = resource;
        else
          found = true;
      }
    if (found) continue;
    const std::string shown = fmt::format("{}['{}']", capitalize_segments(r->type.str()), shown_pattern(r->titles[0]));
    std::string message = !r->attribute.empty()
                              ? fmt::format("No {} in the catalog of {}: what has this {} is lost", shown, catalog.shown, r->attribute)
                              : fmt::format("Nothing declares {} in the catalog of {}", shown, catalog.shown);
    if (sometimes != nullptr)
      message = fmt::format("{} is not always there: {}:{} gives the resource one of several names", shown, sometimes->source->path(),
                            sometimes->source->line(sometimes->offset));
    findings_.add(CheckCode::no_such_resource, *r->source, r->offset, r->length, std::move(message), {},
                  maybe || sometimes != nullptr ? std::optional(Severity::Warning) : std::nullopt);
    told_.emplace(r->source, r->offset);
  }
}

/// Class['x'] in a relationship.
void Trial::check_class_reference(const Catalog& catalog, const TrialReference& r, bool maybe) {
  if (r.titles.size() != 1 || catalog.classes.contains(intern(r.titles[0])) || program_.find_class(intern(r.titles[0])) == nullptr) return;
  findings_.add(CheckCode::no_such_resource, *r.source, r.offset, r.length,
                fmt::format("The class '{}' is not in the catalog of {}", r.titles[0], catalog.shown), {},
                maybe ? std::optional(Severity::Warning) : std::nullopt);
  told_.emplace(r.source, r.offset);
}

/// Whether a query may take the resource.
bool Trial::may_match(const Node* query, const TrialResource& r, const Catalog& catalog) {
  query = unparenthesised(query);
  if (query == nullptr) return true;
  if (query->kind == NodeKind::And)
    return may_match(query->as<Binary>().left, r, catalog) && may_match(query->as<Binary>().right, r, catalog);
  if (query->kind == NodeKind::Or)
    return may_match(query->as<Binary>().left, r, catalog) || may_match(query->as<Binary>().right, r, catalog);
  if (query->kind != NodeKind::Comparison || query->as<Binary>().op() != BinaryOp::Equal) return true;
  const Node *left = query->as<Binary>().left, *right = unparenthesised(query->as<Binary>().right);
  const Symbol name = left->kind == NodeKind::Variable ? left->as<Variable>().base
                      : left->kind == NodeKind::Name   ? left->as<Name>().name
                                                       : Symbol();
  const auto wanted = written_text(*right);
  if (!wanted) return true;
  if (name == sym::title) return std::ranges::any_of(r.titles, [&](const std::string& t) { return may_be_one(t, *wanted); });
  if (name.str() != "tag") return true;
  // What stands around gives its names and tags, too.
  const std::string lower = ascii_lower(*wanted);
  const auto tags = [&](Symbol s) { return s.str() == lower || std::ranges::count(catalog::split_views(s.str(), ':'), lower) != 0; };
  if (tags(r.type) || std::ranges::any_of(catalog.classes, tags)) return true;
  if (std::ranges::any_of(r.titles, [&](const std::string& t) { return may_be_one(ascii_lower(t), lower); })) return true;
  for (const auto& [attribute, value] : r.attributes) {
    if (attribute.str() != "tag") continue;
    if (!is_known(value)) return true;
    const auto is = [&](const Value& v) { return !v.is_string() || ascii_lower(v.str()) == lower; };
    if (value.value.is_list() ? std::ranges::any_of(value.value.items(), is) : is(value.value)) return true;
  }
  return false;
}

bool Trial::may_collect(const TrialCollector& c, const TrialResource& r, const Catalog& catalog) {
  return c.type == r.type && c.source != nullptr && may_match(c.query, r, catalog);
}

void Trial::check_virtual(const Catalog& catalog) {
  for (const auto& [_, resources] : catalog.resources)
    for (const auto& [r, __] : resources) {
      if (r->form != ResourceForm::Virtual) continue;
      Virtual& v = virtual_.try_emplace({r->source, r->offset}, Virtual{*r}).first->second;
      v.doubtful = v.doubtful || catalog.realizes;
      v.closed = v.closed || !catalog.open;
      v.realized = v.realized ||
                   std::ranges::any_of(catalog.collectors, [&, r = r](const TrialCollector* c) { return may_collect(*c, *r, catalog); });
    }
}

/// `units`: what the catalog begins with, in order.
void Trial::check_catalog(Catalog& catalog, std::span<const TrialUnit* const> units) {
  for (const TrialUnit* unit : units) gather(catalog, *unit, false);
  check_references(catalog);
  check_duplicate_resources(catalog);
  check_order(catalog, units);
  check_virtual(catalog);
}

void Trial::check_catalogs() {
  const std::string& manifest = program_.environment().options().manifest;
  std::vector<TrialUnit> tops;
  struct Node_ {
    const NodeDef* definition;
    const SourceFile* source;
  };
  std::vector<Node_> nodes;
  for (const AnalysedFile& file : program_.files()) {
    if (!file.parsed || file.epp || manifest.empty() || !(file.path == manifest || is_below(file.path, manifest)) || file.module != nullptr)
      continue;
    tops.push_back(run_body(file.parsed->body, *file.parsed->source));
    for (const Node* d : file.parsed->definitions)
      if (d->kind == NodeKind::NodeDef) nodes.push_back({&d->as<NodeDef>(), file.parsed->source.get()});
  }
  if (nodes.empty()) {
    Catalog catalog;
    catalog.shown = "every node";
    std::vector<const TrialUnit*> units;
    for (const TrialUnit& top : tops) units.push_back(&top);
    check_catalog(catalog, units);
  }
  for (const Node_& node : nodes) {
    const TrialUnit unit = run_body(node.definition->body, *node.source);
    Catalog catalog;
    for (const Node* match : node.definition->matches)
      catalog.shown += (catalog.shown.empty() ? "node " : ", ") + std::string(node.source->text().substr(match->offset, match->length));
    std::vector<const TrialUnit*> units;
    for (const TrialUnit& top : tops) units.push_back(&top);
    units.push_back(&unit);
    check_catalog(catalog, units);
  }
  for (const auto& [place, v] : virtual_) {
    if (v.realized || v.doubtful || !v.closed || !walked_.asked(place.first) || reported(place.first, place.second)) continue;
    findings_.add(CheckCode::never_realized, *v.resource.source, v.resource.offset, v.resource.length,
                  fmt::format("Nothing realizes the virtual {}['{}']: no collector of the catalogs with it takes it",
                              capitalize_segments(v.resource.type.str()), shown_pattern(v.resource.titles.front())),
                  "A collector <| |> must ask for what the resource has; <<| |>> takes exported resources alone.");
  }
}

} // namespace pupc::compiler
