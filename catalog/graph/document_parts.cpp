#include "catalog/graph/document_parts.h"

#include "catalog/base/stack.h"
#include "catalog/graph/tags.h"
#include "catalog/graph/title_parts.h"
#include "catalog/value/symbol_text.h"

namespace pupc::catalog {
namespace {

bool holds_reference(std::span<const Value> items) {
  check_native_stack();
  for (const auto& v : items) {
    if (v.is(Kind::Ref)) return true;
    if (v.is_list() && holds_reference(v.items())) return true;
  }
  return false;
}

void flatten(std::span<const Value> items, bool drop_undef, std::vector<Value>& out) {
  check_native_stack();
  for (const auto& v : items) {
    if (v.is_list())
      flatten(v.items(), drop_undef, out);
    else if (!drop_undef || !v.is_undef())
      out.push_back(v);
  }
}

bool relationship(Symbol name) { return name == sym::before || name == sym::notify || name == sym::require || name == sym::subscribe; }

} // namespace

void document_parameters(Catalog& catalog, ResourceId id, std::vector<DocumentParam>& out) {
  out.clear();
  const Resource& r = catalog[id];
  Symbol namevar = namevar_of(catalog, r.type);
  std::vector<TitlePart> parts;
  parse_title(catalog, r.type, r.title, parts);
  for (const auto& part : parts) out.push_back({part.name, part.as_value()});
  size_t from_title = out.size();
  for (const Param& p : r.parameters()) {
    if (p.value.is_undef()) continue;
    Value value = p.value;
    if (value.is_list() && (relationship(p.name) || holds_reference(value.items()))) {
      std::vector<Value> flat;
      flatten(value.items(), relationship(p.name), flat);
      value = make_list(catalog.arena(), flat);
    }
    Symbol name = p.name == sym::name ? namevar : p.name;
    bool replaced = false;
    for (auto& present : out) // a short search: only parts of the title and `name` can be present already
      if (present.name == name && (&present < out.data() + from_title || p.name == sym::name || name == namevar)) {
        present.value = value;
        replaced = true;
        break;
      }
    if (!replaced) out.push_back({name, value});
  }
  bool title_is_text = !r.has(Resource::symbol_title);
  std::erase_if(out, [&](const DocumentParam& p) {
    return title_is_text && p.name == namevar && p.value.is_string() && !is_symbol(p.value) && p.value.str() == r.title;
  });
}

std::vector<TagId> document_tags(Catalog& catalog) {
  std::vector<TagId> out;
  std::vector<bool> seen;
  auto add = [&](TagId t) {
    if (t >= seen.size()) seen.resize(t + 1, false);
    if (seen[t]) return false;
    seen[t] = true;
    out.push_back(t);
    return true;
  };
  for (auto name : catalog.classes()) {
    std::string low = downcase_name(name);
    if (add(catalog.tag_id(low)) && low.find("::") != std::string::npos)
      for (auto segment : split_segments(low)) add(catalog.tag_id(segment));
  }
  for (TagId t : catalog.tags()) add(t);
  return out;
}

} // namespace pupc::catalog
