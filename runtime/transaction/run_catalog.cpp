#include "runtime/transaction/run_catalog.h"

#include "runtime/transaction/secrets.h"

#include "catalog/graph/document_parts.h"
#include "catalog/graph/tags.h"
#include "catalog/schema/metaparameters.h"
#include "catalog/schema/native_types.h"

#include <algorithm>
#include <map>

namespace pupc::runtime {
namespace {

std::string name_key(std::string_view type, std::string_view title) {
  std::string key(type);
  key += '\0';
  key += title;
  return key;
}

LogLevel level_of(std::string_view name) {
  if (name == "warn") return LogLevel::Warning;
  if (name == "verbose") return LogLevel::Info;
  for (LogLevel l : {LogLevel::Debug, LogLevel::Info, LogLevel::Notice, LogLevel::Warning, LogLevel::Err, LogLevel::Alert, LogLevel::Emerg,
                     LogLevel::Crit})
    if (name_of(l) == name) return l;
  return LogLevel::Notice;
}

/// A container's part of the paths of its resources; classes appear without "Class[]".
std::string path_part(const ManagedResource& r) {
  if (r.type == "class") return r.title == "main" ? "Main" : capitalize_segments(r.title);
  return r.reference();
}

} // namespace

RunCatalog::RunCatalog(Catalog& catalog, const RunSettings& settings) {
  name = catalog.name;
  environment = catalog.environment;
  version = catalog.version_text.empty() ? std::to_string(catalog.version) : catalog.version_text;
  uuid = catalog.uuid;
  for (auto c : catalog.classes()) classes.emplace_back(c);
  std::vector<uint32_t> places(catalog.size(), none);
  std::vector<DocumentParam> params;
  entries_.reserve(catalog.size());
  std::map<TypeId, bool> handled;
  auto has_handler = [&](TypeId type) {
    const auto [it, added] = handled.try_emplace(type);
    if (added) it->second = make_type_handler(catalog.type_key(type), settings) != nullptr;
    return it->second;
  };
  for (ResourceId id = 0; id < catalog.size(); ++id) {
    const Resource& from = catalog[id];
    if (from.has(Resource::is_virtual)) continue;
    auto r = std::make_unique<ManagedResource>();
    r->type = catalog.type_key(from.type);
    r->printed_type = catalog.type_name(from.type);
    r->title = from.title;
    if (r->type == "class" && r->title == "main") r->title = "Main";
    r->file = catalog.file_name(from.file);
    r->line = from.line;
    for (TagId t : from.tag_ids()) r->tags.emplace_back(catalog.tag_text(t));
    params.clear();
    document_parameters(catalog, id, params);
    const bool composite = from.type <= Catalog::stage_type || from.kind == ResourceKind::CodeUnit || from.kind == ResourceKind::Class ||
                           (from.kind == ResourceKind::Unknown && catalog.type_info(from.type) == nullptr && !has_handler(from.type));
    const bool native = !composite && find_native_type(r->type) != nullptr;
    for (const DocumentParam& p : params) {
      if (r->type == "class" && r->title == "Main" && p.name.str() == "node_attributes") node_attributes = p.value;
      const Param* given = from.find(p.name);
      const bool own = is_guard_metaparameter(p.name) && !native && (given == nullptr || (given->flags & Param::guard) == 0);
      if (composite && (own || !is_metaparameter(p.name))) continue; // a run needs only the metaparameters of containers
      r->attributes.push_back({std::string(p.name.str()), p.value, given != nullptr && (given->flags & Param::sensitive) != 0});
      r->attributes.back().own = own;
      r->attributes.back().sensitive |= holds_sensitive(p.value);
    }
    places[id] = static_cast<uint32_t>(entries_.size());
    Entry e;
    e.is_container = composite;
    e.resource = std::move(r);
    entries_.push_back(std::move(e));
    add_name(places[id], from.title);
    indexes_[entries_.back().resource.get()] = places[id];
  }
  for (const ContainmentEdge& edge : catalog.edges_by_target()) {
    uint32_t a = places[edge.from], b = places[edge.to];
    if (a == none || b == none) continue;
    entries_[a].contents.push_back(b);
    if (entries_[b].container == none)
      entries_[b].container = a;
    else
      entries_[b].other_containers.push_back(a);
  }
  std::map<std::string_view, bool> contains; // by the printed name of types that are neither known nor said to be defines
  for (ResourceId id = 0; id < catalog.size(); ++id)
    if (const Resource& from = catalog[id]; places[id] != none && from.kind == ResourceKind::Unknown && from.type > Catalog::stage_type)
      if (const Entry& e = entries_[places[id]]; e.is_container) contains[e.resource->printed_type] |= !e.contents.empty();
  for (const auto& [type, something] : contains)
    if (!something) empty_unknown.emplace_back(type);
  for (uint32_t i = 0; i < entries_.size(); ++i)
    for (const std::string& alias : entries_[i].resource->texts("alias")) add_name(i, alias);
  set_paths(catalog);
  inherit(settings.noop);
}

void RunCatalog::set_paths(Catalog&) {
  // A container usually precedes its contents, but a class included later may not: compute paths recursively and cache them.
  std::vector<std::string> prefix(entries_.size());
  auto path_of = [&](auto& self, uint32_t i, int depth) -> const std::string& {
    if (!prefix[i].empty() || depth > 10000) return prefix[i];
    const Entry& e = entries_[i];
    std::string up = e.container == none ? "" : self(self, e.container, depth + 1);
    return prefix[i] = up + "/" + path_part(*e.resource);
  };
  for (uint32_t i = 0; i < entries_.size(); ++i) entries_[i].resource->path = path_of(path_of, i, 0);
}

void RunCatalog::inherit(bool noop) {
  for (uint32_t i = 0; i < entries_.size(); ++i) {
    ManagedResource& r = *entries_[i].resource;
    r.noop = noop;
    for (uint32_t at = i, depth = 0; at != none && depth < 10000; at = entries_[at].container, ++depth)
      if (entries_[at].resource->has("noop")) {
        r.noop = entries_[at].resource->truth("noop", noop);
        break;
      }
    if (r.has("loglevel")) r.loglevel = level_of(r.text("loglevel"));
  }
}

uint32_t RunCatalog::find(std::string_view type, std::string_view title) const {
  auto it = names_.find(name_key(type, title));
  return it == names_.end() ? none : it->second;
}

uint32_t RunCatalog::find_reference(std::string_view reference) const {
  std::string_view type, title;
  if (!split_reference(reference, type, title)) return none;
  std::string lower = downcase_name(type);
  uint32_t found = find(lower, title);
  if (found != none) return found;
  if (lower == "file") {
    while (title.size() > 1 && title.back() == '/') title.remove_suffix(1);
    return find(lower, title);
  }
  return lower == "class" ? find(lower, capitalize_segments(title)) : none;
}

void RunCatalog::add_name(uint32_t index, std::string_view title) {
  names_.try_emplace(name_key(entries_[index].resource->type, title), index);
}

void RunCatalog::take_after(ManagedResource& r, uint32_t after) const {
  const ManagedResource& from = *entries_[after].resource;
  r.path = from.path.substr(0, from.path.size() - path_part(from).size()) + r.reference();
  r.noop = r.has("noop") ? r.truth("noop", false) : from.noop;
  r.loglevel = from.loglevel;
  if (std::find(r.tags.begin(), r.tags.end(), r.type) == r.tags.end()) r.tags.push_back(r.type);
  if (std::string tag = downcase_name(r.title); valid_tag(tag)) r.tags.push_back(std::move(tag));
  for (const std::string& t : from.tags) {
    if (std::find(r.tags.begin(), r.tags.end(), t) == r.tags.end()) r.tags.push_back(t);
  }
}

uint32_t RunCatalog::add(std::unique_ptr<ManagedResource> resource, uint32_t after) {
  uint32_t index = static_cast<uint32_t>(entries_.size());
  Entry e;
  e.resource = std::move(resource);
  e.container = entries_[after].container;
  indexes_[e.resource.get()] = index;
  entries_.push_back(std::move(e));
  add_name(index, entries_[index].resource->title);
  for (const std::string& alias : entries_[index].resource->texts("alias")) add_name(index, alias);
  return index;
}

uint32_t RunCatalog::index_of(const ManagedResource& resource) const {
  auto it = indexes_.find(&resource);
  return it == indexes_.end() ? none : it->second;
}

} // namespace pupc::runtime
