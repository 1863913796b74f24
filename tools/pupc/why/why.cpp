#include "tools/pupc/why/why.h"

#include "catalog/base/diagnostic.h"
#include "catalog/base/paths.h"
#include "catalog/base/stack.h"
#include "catalog/formats/key_line.h"
#include "catalog/graph/document_parts.h"
#include "catalog/graph/tags.h"
#include "catalog/graph/title_parts.h"
#include "catalog/json/rich_data.h"
#include "catalog/schema/metaparameters.h"
#include "catalog/value/map_leaves.h"
#include "tools/pupc/why/automatic_relations.h"

#include <algorithm>
#include <deque>
#include <fmt/format.h>
#include <unordered_set>

namespace pupc::cli {
namespace {

/// Limit for chains of parameters that pass on another parameter's value.
constexpr int deepest_variable = 12;

/// WhyRelation::attribute of a relation that the resource's type adds.
constexpr std::string_view by_type = "autorequire";

struct SourceWords {
  std::string_view by, text;
};

SourceWords words_of(ParamSource source) {
  switch (source) {
  case ParamSource::Unknown: return {"unknown", "unknown"};
  case ParamSource::Body: return {"body", "resource expression"};
  case ParamSource::DefaultBody: return {"default_body", "default body of the resource expression"};
  case ParamSource::Splat: return {"splat", "hash in the resource expression (* =>)"};
  case ParamSource::ResourceDefault: return {"resource_default", "resource default"};
  case ParamSource::Override: return {"override", "override"};
  case ParamSource::CollectorOverride: return {"collector_override", "collector's override"};
  case ParamSource::Call: return {"call", "argument of a function"};
  case ParamSource::Data: return {"data", "data"};
  case ParamSource::DefaultExpression: return {"default_expression", "default expression of the parameter"};
  case ParamSource::Container: return {"container", "metaparameter of the container"};
  case ParamSource::Relationship: return {"relationship", "relationship"};
  case ParamSource::Stage: return {"stage", "stage of the class around it"};
  case ParamSource::Classifier: return {"classifier", "external node classifier"};
  case ParamSource::Exported: return {"exported", "exporting node"};
  }
  return {"unknown", "unknown"};
}

bool name_character(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; }

/// The name of the function that is called at a place in the source; "" when unknown.
std::string called_function(const OriginPlace& place) {
  if (place.file == nullptr || place.file->text().size() <= place.offset) return {};
  const std::string_view text = place.file->text().substr(place.offset, 400);
  auto word_at = [&](size_t at) {
    size_t end = at;
    while (end < text.size() && (name_character(text[end]) || text[end] == ':')) ++end;
    return text.substr(at, end - at);
  };
  const std::string_view first = word_at(0);
  const bool function = !first.empty() && first[0] >= 'a' && first[0] <= 'z' && first.size() < text.size() &&
                        (text[first.size()] == '(' || text[first.size()] == ' ' || text[first.size()] == '\t' ||
                         text[first.size()] == '\n');
  if (function) return std::string(first);
  // A method call, `$x.include`: search for the few functions that declare resources.
  for (const std::string_view known : {"include", "contain", "require", "create_resources", "ensure_packages", "ensure_resource",
                                       "ensure_resources", "realize", "hiera_include"})
    if (const size_t at = text.find("." + std::string(known)); at != std::string_view::npos) return std::string(known);
  return {};
}

/// The variable at the start of a text, if the attribute or parameter ends right behind it; else "".
std::string plain_variable(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
  if (!text.starts_with('$')) return {};
  text.remove_prefix(1);
  size_t end = 0;
  while (end < text.size() && (name_character(text[end]) || text.substr(end).starts_with("::"))) end += name_character(text[end]) ? 1 : 2;
  std::string name(text.substr(0, end));
  text.remove_prefix(end);
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
  // Anything else continues an expression.
  if (text.empty() || std::string_view(",};#)").find(text[0]) == std::string_view::npos) return {};
  return name;
}

/// The variable, if the value is nothing but a variable; else "". The source at an attribute's place is `name => $variable`, at a default's
/// place it is only the expression.
std::string plain_variable(const SettingOrigin& setting) {
  const OriginPlace& place = setting.place;
  if (place.file == nullptr || place.file->text().size() <= place.offset) return {};
  std::string_view text = place.file->text().substr(place.offset);
  if (setting.source == ParamSource::DefaultExpression) return plain_variable(text);
  const size_t arrow = text.find('>');
  if (arrow == std::string_view::npos || arrow == 0 || (text[arrow - 1] != '=' && text[arrow - 1] != '+')) return {};
  if (text.substr(0, arrow - 1).find_first_of("\n,{}$") != std::string_view::npos) return {};
  return plain_variable(text.substr(arrow + 1));
}

} // namespace

std::string WhyPlace::text() const {
  if (file.empty()) return {};
  return line == 0 ? file : fmt::format("{}:{}", file, line);
}

// ---------------------------------------------------------------------------------------------------------------------
// resources

Why::Why(Catalog& catalog, const OriginRecorder& origins) : catalog_(catalog), origins_(origins), here_(absolute_path(".")) {
  parents_.resize(catalog.size());
  children_.resize(catalog.size());
  for (const ContainmentEdge& e : catalog.edges()) {
    parents_[e.to].push_back(e.from);
    children_[e.from].push_back(e.to);
  }
  collect_relations();
}

ResourceId Why::find(std::string_view reference, std::string& problem) const {
  std::string_view type, title;
  if (!split_reference(reference, type, title) || type.empty() || title.empty()) {
    problem = fmt::format("'{}' is no resource: write it as Type[title]", reference);
    return no_resource;
  }
  if (title.size() > 1 && (title[0] == '\'' || title[0] == '"') && title.back() == title[0]) title = title.substr(1, title.size() - 2);
  std::string low = downcase_name(type);
  if (low.starts_with("::")) low.erase(0, 2);
  const TypeId id = catalog_.find_type(low);
  std::string wanted(title);
  if (id == Catalog::class_type) wanted = capitalize_segments(title.starts_with("::") ? title.substr(2) : title);
  if (id == Catalog::class_type && downcase_name(title) == "main") wanted = "main";
  ResourceId found = id == Catalog::no_type ? no_resource : find_resource(catalog_, id, wanted);
  if (found == no_resource && id == Catalog::class_type) found = catalog_.find(id, wanted);
  if (found != no_resource) return found;
  std::vector<std::string> names;
  for (ResourceId r = 0; r < catalog_.size(); ++r)
    if (id == Catalog::no_type || catalog_[r].type == id) names.push_back(name(r));
  const auto near = similar_names(fmt::format("{}[{}]", capitalize_segments(low), title), {names.begin(), names.end()}, 1);
  problem = fmt::format("the catalog has no {}[{}]{}", capitalize_segments(low), title,
                        near.empty() ? std::string() : fmt::format("; did you mean {}?", near[0]));
  return no_resource;
}

std::string Why::shown_path(const std::string& path) const { return path.starts_with(here_ + "/") ? path.substr(here_.size() + 1) : path; }

WhyPlace Why::place(const OriginPlace& at) const {
  if (at.file == nullptr) return {};
  return {at.file->path().empty() ? "(code)" : shown_path(at.file->path()), at.line};
}

WhyDeclaration Why::declaration(ResourceId id, const DeclarationOrigin& declared) const {
  WhyDeclaration out;
  out.reference = name(id);
  out.place = place(declared.place);
  if (declared.container != no_resource) out.in = name(declared.container);
  switch (declared.how) {
  case DeclaredBy::Expression: out.how = "resource expression"; break;
  case DeclaredBy::Call: {
    const std::string function = called_function(declared.place);
    out.how = function.empty() ? "a function" : function;
    break;
  }
  case DeclaredBy::NodeDefinition: out.how = "node definition"; break;
  case DeclaredBy::Classifier: out.how = "external node classifier"; break;
  case DeclaredBy::Inherited: out.how = "inherited by Class[" + capitalize_segments(declared.detail) + "]"; break;
  case DeclaredBy::Collector: out.how = "collected from node " + declared.detail; break;
  }
  return out;
}

std::vector<ResourceId> Why::containers(ResourceId id) const {
  std::vector<ResourceId> out;
  std::vector<bool> seen(catalog_.size(), false);
  // Follow all parents: several resources may contain the same class.
  std::deque<ResourceId> queue(parents_[id].begin(), parents_[id].end());
  while (!queue.empty()) {
    const ResourceId at = queue.front();
    queue.pop_front();
    if (seen[at]) continue;
    seen[at] = true;
    out.push_back(at);
    queue.insert(queue.end(), parents_[at].begin(), parents_[at].end());
  }
  std::stable_partition(out.begin(), out.end(), [&](ResourceId c) { return catalog_[c].type != Catalog::stage_type; });
  return out;
}

// ---------------------------------------------------------------------------------------------------------------------
// attributes

uint32_t Why::key_line(const std::string& file, const std::string& key) {
  auto [it, added] = key_lines_.try_emplace({file, key}, 0);
  if (added) it->second = data_key_line(file, key);
  return it->second;
}

std::string Why::value_text(const Value& v, bool sensitive) {
  if (sensitive) return "(sensitive)";
  Arena& arena = catalog_.arena();
  const Value open = map_leaves(arena, v, [](const Value& leaf) { return leaf.is(Kind::Sensitive) ? Value::string("(sensitive)") : leaf; });
  std::string out;
  JsonWriter json(out);
  write_rich_value(json, open, arena);
  return out;
}

void Why::follow_variable(ResourceId id, const SettingOrigin& setting, WhySource& out, int depth) {
  if (depth >= deepest_variable) return;
  const bool by_default = setting.source == ParamSource::DefaultExpression;
  if (setting.source != ParamSource::Body && setting.source != ParamSource::DefaultBody && !by_default) return;
  const std::string variable = plain_variable(setting);
  if (variable.empty()) return;
  ResourceId owner = no_resource;
  std::string parameter = variable;
  if (const size_t colons = variable.rfind("::"); colons != std::string::npos) {
    const std::string_view scope = std::string_view(variable).substr(variable.starts_with("::") ? 2 : 0,
                                                                     colons - (variable.starts_with("::") ? 2 : 0));
    owner = scope.empty() ? no_resource : catalog_.find(Catalog::class_type, capitalize_segments(scope));
    parameter = variable.substr(colons + 2);
  } else if (by_default) {
    owner = id; // another parameter of the same resource
  } else if (const auto& declared = origins_.of(id).declared; declared) {
    owner = declared->container;
  }
  if (owner == no_resource) return;
  const Symbol symbol = find_symbol(parameter);
  if (!symbol) return;
  const auto settings = origins_.of(owner).effective(symbol);
  if (settings.empty()) return;
  out.variable = variable;
  out.from = name(owner);
  out.variable_sources = sources(owner, settings, depth + 1);
}

WhySource Why::source(ResourceId id, const SettingOrigin& s, int depth) {
  WhySource out;
  const SourceWords words = words_of(s.source);
  out.by = words.by;
  out.text = words.text;
  out.place = place(s.place);
  if (s.appended && s.source != ParamSource::Relationship) out.text += ", appended (+>)";
  if (s.from != no_resource) out.from = name(s.from);
  if (s.source == ParamSource::Exported)
    if (const auto& declared = origins_.of(id).declared; declared) out.from = declared->detail;
  if (s.source == ParamSource::Call) {
    const std::string function = called_function(s.place);
    if (!function.empty()) out.text = fmt::format("argument of {}", function);
  }
  if (s.source == ParamSource::Data) {
    out.key = s.key;
    for (const DataPlace& d : s.data) {
      WhyPlace at{d.file.empty() ? d.entry : shown_path(d.file), d.file.empty() ? 0 : key_line(d.file, d.key)};
      if (d.interpolated) at.file = fmt::format("lookup of '{}': {}", d.key, at.file);
      out.data.push_back(std::move(at));
    }
    if (!out.data.empty()) out.place = out.data.front();
  }
  if (s.source == ParamSource::Container && s.from != no_resource && depth < deepest_variable) {
    out.variable_sources = sources(s.from, origins_.of(s.from).effective(s.name), depth + 1);
    if (!out.variable_sources.empty()) out.place = out.variable_sources.front().place;
  }
  follow_variable(id, s, out, depth);
  return out;
}

std::vector<WhySource> Why::sources(ResourceId id, const std::vector<const SettingOrigin*>& settings, int depth) {
  std::vector<WhySource> out;
  for (const SettingOrigin* s : settings) {
    WhySource one = source(id, *s, depth);
    // `->` between lists gives the same source many times: list it once.
    const bool listed = std::any_of(out.begin(), out.end(), [&](const WhySource& o) {
      return o.by == one.by && o.place.text() == one.place.text() && o.from == one.from && o.by == "relationship";
    });
    if (!listed) out.push_back(std::move(one));
  }
  return out;
}

WhyAnswer Why::answer(ResourceId id) {
  WhyAnswer out;
  out.id = id;
  out.reference = name(id);
  out.is_virtual = catalog_[id].has(Resource::is_virtual);
  const ResourceOrigins& origins = origins_.of(id);
  std::vector<bool> seen(catalog_.size(), false);
  for (ResourceId at = id; at != no_resource && !seen[at];) {
    seen[at] = true;
    const auto& declared = origins_.of(at).declared;
    if (!declared) break;
    out.declared.push_back(declaration(at, *declared));
    at = declared->container;
  }
  for (const DeclarationOrigin& d : origins.again) out.again.push_back(declaration(id, d));
  for (const OriginPlace& p : origins.realized) out.realized.push_back(place(p));

  std::vector<DocumentParam> params;
  document_parameters(catalog_, id, params);
  const Symbol namevar = namevar_of(catalog_, catalog_[id].type);
  for (const DocumentParam& p : params) {
    WhyAttribute a;
    a.name = p.name.str();
    const Param* set = catalog_[id].find(p.name);
    Symbol stored = p.name;
    if (set == nullptr && p.name == namevar) {
      stored = sym::name;
      set = catalog_[id].find(stored);
    }
    a.sensitive = set != nullptr && (set->flags & Param::sensitive) != 0;
    a.value = value_text(p.value, a.sensitive);
    a.sources = sources(id, origins.effective(stored), 0);
    a.replaced = sources(id, origins.replaced(stored), 0);
    if (a.sources.empty()) {
      WhySource title;
      title.by = "title";
      title.text = "part of the title";
      a.sources.push_back(std::move(title));
    }
    out.attributes.push_back(std::move(a));
  }

  const std::vector<ResourceId> around = containers(id);
  for (ResourceId c : around) out.contained_in.push_back(name(c));
  auto add_containment = [&](ResourceId inner) {
    // The stage contains every class: show it only if nothing else contains the class.
    for (ResourceId outer : parents_[inner])
      if (parents_[inner].size() == 1 || catalog_[outer].type != Catalog::stage_type) out.contains.emplace_back(name(outer), name(inner));
  };
  add_containment(id);
  for (ResourceId c : around) add_containment(c);
  std::vector<bool> mine(catalog_.size(), false);
  mine[id] = true;
  for (ResourceId c : around) mine[c] = true;
  for (const WhyRelation& r : relations_) {
    if (out.is_virtual) break; // it is not in the catalog that is applied
    const bool waits = mine[r.then] && !mine[r.first], waited = mine[r.first] && !mine[r.then];
    if (!waits && !waited) continue;
    WhyRelation one = r;
    const ResourceId own = waits ? r.then : r.first;
    if (own != id) one.through = own;
    (waits ? out.waits_for : out.waited_for).push_back(std::move(one));
  }
  auto with_sources = [&](std::vector<WhyRelation>& list) {
    for (WhyRelation& r : list) r.sources = relation_sources(r);
    // List the resource's own relations first, then those through its containers.
    std::stable_sort(list.begin(), list.end(),
                     [](const WhyRelation& x, const WhyRelation& y) { return (x.through == no_resource) > (y.through == no_resource); });
  };
  with_sources(out.waits_for);
  with_sources(out.waited_for);
  return out;
}

// ---------------------------------------------------------------------------------------------------------------------
// relationships

ResourceId Why::resolve(const Value& reference) const {
  ResourceRef ref;
  if (reference.is(Kind::Ref))
    ref = *reference.ref;
  else if (!reference.is_string() || !split_reference(reference.str(), ref.type, ref.title))
    return no_resource;
  std::string problem;
  const std::string low = downcase_name(ref.type);
  const TypeId type = catalog_.find_type(low);
  if (type == Catalog::no_type) return no_resource;
  if (type == Catalog::class_type)
    return catalog_.find(type, capitalize_segments(ref.title.starts_with("::") ? ref.title.substr(2) : ref.title));
  return find_resource(catalog_, type, ref.title);
}

std::vector<WhySource> Why::relation_sources(const WhyRelation& r) {
  if (r.attribute == by_type) {
    WhySource type;
    type.by = "type";
    type.text = "its type adds it when the catalog is applied";
    return {type};
  }
  const ResourceId other = r.holder == r.first ? r.then : r.first;
  std::vector<const SettingOrigin*> said;
  for (const SettingOrigin* s : origins_.of(r.holder).effective(find_symbol(r.attribute))) {
    bool names_it = false;
    auto look = [&](auto&& self, const Value& v) -> void {
      check_native_stack();
      if (v.is_list())
        for (const Value& item : v.items()) self(self, item);
      else
        names_it |= resolve(v) == other;
    };
    look(look, s->value);
    // An appended value (`+>`) also contains the earlier relations.
    if (names_it && (said.empty() || s->source == ParamSource::Relationship)) said.push_back(s);
  }
  return sources(r.holder, said, 0);
}

void Why::collect_relations() {
  for (ResourceId id = 0; id < catalog_.size(); ++id) {
    if (catalog_[id].has(Resource::is_virtual)) continue;
    for (const Param& p : catalog_[id].parameters()) {
      if (!is_relationship(p.name)) continue;
      auto add = [&](auto&& self, const Value& v) -> void {
        check_native_stack();
        if (v.is_list()) {
          for (const Value& item : v.items()) self(self, item);
          return;
        }
        const ResourceId other = resolve(v);
        if (other == no_resource) return;
        WhyRelation r;
        const bool other_first = p.name == sym::require || p.name == sym::subscribe;
        r.first = other_first ? other : id;
        r.then = other_first ? id : other;
        r.holder = id;
        r.attribute = p.name.str();
        const bool listed = !relations_.empty() && relations_.back().first == r.first && relations_.back().then == r.then &&
                            relations_.back().attribute == r.attribute;
        if (!listed) relations_.push_back(std::move(r));
      };
      add(add, p.value);
    }
  }
  // Like a run, ignore an automatic relation if the manifests already have the same or the opposite one.
  std::unordered_set<uint64_t> known;
  auto key = [](ResourceId x, ResourceId y) { return uint64_t{x} << 32 | y; };
  for (const WhyRelation& r : relations_) known.insert(key(r.first, r.then));
  for (const AutomaticRelation& a : automatic_relations(catalog_)) {
    if (known.contains(key(a.then, a.first)) || !known.insert(key(a.first, a.then)).second) continue;
    WhyRelation r;
    r.first = a.first;
    r.then = a.then;
    r.holder = a.holder;
    r.attribute = by_type;
    relations_.push_back(std::move(r));
  }
}

std::vector<WhyRelation> Why::chain(ResourceId first, ResourceId then) {
  // Each resource has two nodes in the search, its begin and its end: the resources that it contains lie between them.
  const size_t n = catalog_.size();
  struct Step {
    uint32_t to;
    size_t relation; // index into relations_, or none: containment
  };
  constexpr size_t none = SIZE_MAX;
  auto begin = [](ResourceId id) { return 2 * id; };
  auto end = [](ResourceId id) { return 2 * id + 1; };
  std::vector<std::vector<Step>> steps(2 * n);
  for (ResourceId id = 0; id < n; ++id) {
    steps[begin(id)].push_back({end(id), none});
    for (ResourceId child : children_[id]) {
      steps[begin(id)].push_back({begin(child), none});
      steps[end(child)].push_back({end(id), none});
    }
  }
  for (size_t i = 0; i < relations_.size(); ++i) steps[end(relations_[i].first)].push_back({begin(relations_[i].then), i});
  struct Reached {
    uint32_t from = UINT32_MAX;
    size_t relation = SIZE_MAX;
    bool seen = false;
  };
  std::vector<Reached> reached(2 * n);
  std::deque<uint32_t> queue{end(first)};
  reached[end(first)].seen = true;
  while (!queue.empty() && !reached[begin(then)].seen) {
    const uint32_t at = queue.front();
    queue.pop_front();
    for (const Step& s : steps[at]) {
      if (reached[s.to].seen) continue;
      reached[s.to] = {at, s.relation, true};
      queue.push_back(s.to);
    }
  }
  std::vector<WhyRelation> out;
  if (!reached[begin(then)].seen) return out;
  for (uint32_t at = begin(then); at != end(first); at = reached[at].from) {
    const uint32_t from = reached[at].from;
    if (from / 2 == at / 2) continue; // the step from begin to end of the same resource
    WhyRelation r;
    if (reached[at].relation != none) {
      r = relations_[reached[at].relation];
      r.sources = relation_sources(r);
    } else {
      r.attribute = "contains";
      r.first = from / 2;
      r.then = at / 2;
      // From the end of a member the chain goes to the end of its container.
      r.holder = from % 2 == 1 ? r.then : r.first;
    }
    out.push_back(std::move(r));
  }
  std::reverse(out.begin(), out.end());
  return out;
}

} // namespace pupc::cli
