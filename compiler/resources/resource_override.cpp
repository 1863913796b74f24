// Overrides: `File['/x'] { … }`, and what collectors change.
#include "catalog/graph/tags.h"
#include "catalog/value/flatten.h"
#include "compiler/eval/labels.h"
#include "compiler/resources/catalog_compiler.h"
#include "compiler/resources/collector_state.h"
#include "compiler/types/core_types.h"

#include <fmt/format.h>

namespace pupc::compiler {
Value CatalogCompiler::evaluate_override(const ResourceOverride& node, Frame& frame) {
  Value resources = evaluator_.evaluate(*node.resources, frame);
  std::vector<Param> params;
  evaluate_attributes(node.operations, frame, params, nullptr);
  for (Param& p : params) set_param_source(p, ParamSource::Override);
  Loc loc = evaluator_.loc_of(node);
  uint32_t line = loc.file ? loc.file->line(loc.offset) : 0;
  CodeUnit* source = source_of(declaring_scope(frame));
  std::vector<Value> flat;
  flatten_into(resources, flat);
  for (const Value& v : flat) {
    const Type* type = as_type(v);
    ResourceRef ref;
    if (v.is(Kind::Ref)) ref = *v.ref; // a reference held in a parameter
    if (type != nullptr && type->kind == TypeKind::Resource)
      ref = {type_cast<ResourceType>(type).type_name, type_cast<ResourceType>(type).title};
    bool resource = !ref.type.empty();
    std::string key = downcase_name(ref.type);
    if (!resource || key == "class")
      evaluator_.fail(ErrorCode::catalog_error, node, fmt::format("Resource Override can only operate on resources, got: {}", label(v)));
    ResolvedType resolved = resolve_type(key);
    if (resolved.kind == ResolvedType::Kind::None) fail_unplaced(fmt::format("Unknown resource type: '{}'", key), ErrorCode::catalog_error);
    if (ref.title.empty())
      fail_unplaced(fmt::format("No title provided and {} is not a valid resource reference",
                                resolved.kind == ResolvedType::Kind::Native ? ":" + key : '"' + key + '"'),
                    ErrorCode::catalog_error);
    add_override({resolved.id, ref.title, params, source, loc.file, line});
  }
  return resources;
}

void CatalogCompiler::add_override(Override override) {
  for (size_t i = 0; i < override.params.size(); ++i)
    for (size_t k = 0; k < i; ++k)
      if (override.params[i].name == override.params[k].name)
        fail_at_line(fmt::format("Duplicate parameter '{}' for on {}[{}]", override.params[i].name.str(), catalog_.type_name(override.type),
                                 override.title),
                     override.file, override.line);
  ResourceId id = find_reference(catalog_.type_key(override.type), override.title);
  if (id != no_resource) return merge(id, override);
  std::string reference = to_string(ResourceRef{catalog_.type_name(override.type), override.title});
  auto [it, added] = overrides_.try_emplace(reference);
  if (added) override_order_.push_back(reference);
  it->second.push_back(std::move(override));
}

void CatalogCompiler::merge(ResourceId id, const Override& override) {
  CodeUnit* declared_in = state(id).source;
  if (declared_in != override.source && !override.source->child_of(declared_in))
    fail_at_line("Only subclasses can override parameters", override.file, override.line);
  if (state(id).has(ResourceState::evaluated)) {
    std::string place = place_of(id);
    std::string text = place.empty()
                           ? "Attempt to override an already evaluated resource with new values"
                           : fmt::format("Attempt to override an already evaluated resource, defined at {}, with new values", place);
    switch (evaluator_.settings().strict) {
    case Strict::Off: break;
    case Strict::Warning: evaluator_.warn({}, text + position_suffix(override.file ? override.file->path() : "", override.line, 0)); break;
    case Strict::Error: fail_at_line(std::move(text), override.file, override.line);
    }
  }
  for (const Param& p : override.params) override_param(id, override, p);
}

void CatalogCompiler::override_param(ResourceId id, const Override&, const Param& param) {
  const Param* current = catalog_[id].find(param.name);
  if (current == nullptr) return set_param(id, param);
  const Resource& r = catalog_[id];
  const Scope* scope = state(id).scope;
  // A default never replaces an existing value.
  if (is_default(scope, r.type, param.name, param.value)) return;
  CodeUnit* source = origins_[param.origin].source;
  CodeUnit* set_by = origins_[current->origin].source;
  bool child = source != nullptr && source->child_of(set_by);
  bool same = source == set_by && is_default(scope, r.type, param.name, current->value);
  if (!child && !same) {
    const SourceFile* file = origins_[current->origin].file;
    uint32_t line = file ? file->line(current->position) : 0;
    std::string place = position_suffix(file ? file->path() : "", line, 0);
    std::string by = set_by == nullptr                       ? ""
                     : set_by->kind == CodeUnit::Kind::Main  ? " by Class[main]"
                     : set_by->kind == CodeUnit::Kind::Class ? fmt::format(" by Class[{}]", capitalize_segments(set_by->name))
                     : set_by->kind == CodeUnit::Kind::Node  ? fmt::format(" by Node[{}]", set_by->name)
                                                             : fmt::format(" by {}", capitalize_segments(set_by->name));
    const SourceFile* own = origins_[param.origin].file;
    fail_at_line(fmt::format("Parameter '{}' is already set on {}{}{}; cannot redefine", param.name.str(), catalog_.reference(id), by,
                             place.empty() ? "" : " at" + place),
                 own, own ? own->line(param.position) : 0);
  }
  Param merged = param;
  if (param.flags & Param::append) {
    std::vector<Value> both;
    flatten_into(current->value, both);
    flatten_into(param.value, both);
    merged.value = make_list(arena_, both);
    merged.flags &= static_cast<uint8_t>(~own_list_flag);
  }
  set_param(id, merged);
}

} // namespace pupc::compiler
