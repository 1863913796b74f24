// The end of a compile: late overrides, tags of containers, Sensitive values, metaparameters of containers, checks.
#include "catalog/base/excerpt.h"
#include "catalog/base/similar_names.h"
#include "catalog/graph/tags.h"
#include "catalog/graph/title_parts.h"
#include "catalog/schema/guard.h"
#include "catalog/schema/metaparameters.h"
#include "catalog/schema/native_types.h"
#include "compiler/eval/labels.h"
#include "compiler/eval/trace.h"
#include "compiler/resources/catalog_compiler.h"
#include "compiler/resources/collector_state.h"
#include "compiler/types/not_serializable.h"

#include <algorithm>
#include <fmt/format.h>

namespace pupc::compiler {

void CatalogCompiler::finish_evaluation(ResourceId id) {
  if (state(id).has(ResourceState::evaluation_finished)) return;
  state(id).flags |= ResourceState::evaluation_finished;
  const Scope* scope = state(id).scope;
  if (scope != nullptr && scope->resource != no_resource && scope->resource != id) catalog_.merge_tags(id, scope->resource);
}

void CatalogCompiler::finish() {
  evaluate_relationships();
  for (ResourceId id = 0; id < catalog_.size(); ++id) {
    if (state(id).has(ResourceState::outside)) continue;
    if (!overrides_.empty()) {
      auto it = overrides_.find(catalog_.reference(id));
      if (it != overrides_.end()) {
        std::vector<Override> late = std::move(it->second);
        overrides_.erase(it);
        for (const Override& o : late) merge(id, o);
      }
    }
    finish_resource(id);
  }
  inherit_metaparameters();
}

void CatalogCompiler::finish_resource(ResourceId id) {
  finish_evaluation(id);
  Resource& r = catalog_[id];
  for (Param& p : r.parameters())
    if (p.value.is(Kind::Sensitive)) {
      p.value = p.value.unwrap();
      p.flags |= Param::sensitive;
    }
  for (const Param& p : r.parameters())
    if (std::string why = serialization_error(p.value); !why.empty()) fail_at_line(why, state(id).file, r.line);
  check_guards(id);
  if (CodeUnit* type = state(id).type) {
    // The parameters were checked before the body was evaluated. Check them again only if they changed since.
    if (type->definition == nullptr || (state(id).has(ResourceState::evaluated) && !state(id).has(ResourceState::changed))) return;
    evaluate_parameter_types(*type);
    return validate_parameters(*type, id);
  }
  for (const Param& p : r.parameters()) {
    if (is_metaparameter(p.name) || native_parameter(catalog_, r.type, p.name)) continue;
    std::string place = position_suffix(catalog_.file_name(r.file), r.line, 0);
    Diagnostic d = at_line(fmt::format("no parameter named '{}'{} on {}", p.name.str(), place, catalog_.reference(id)), state(id).file,
                           r.line);
    trace_scopes(state(id).scope, &catalog_, d.trace);
    set_cause(d, place_of_parameter(id, p));
    if (const ResourceTypeInfo* info = catalog_.type_info(r.type)) {
      std::vector<std::string_view> names;
      for (const auto& attribute : info->attributes()) names.push_back(attribute.name.str());
      for (const Symbol name : metaparameters()) names.push_back(name.str());
      d.suggestion = did_you_mean(p.name.str(), names);
    }
    throw CompileError(std::move(d));
  }
}

void CatalogCompiler::check_guards(ResourceId id) {
  const CodeUnit* type = state(id).type;
  const bool native = type == nullptr && find_native_type(catalog_.type_key(catalog_[id].type)) != nullptr;
  const auto own = [&](Symbol name) { // a parameter of the class, define or type itself is no guard
    const ResourceTypeInfo* info = catalog_.type_info(catalog_[id].type);
    if (type == nullptr) return !native && info != nullptr && info->find(name) != nullptr;
    const auto parameters = type->parameters();
    return std::any_of(parameters.begin(), parameters.end(), [&](const Parameter& p) { return p.name == name; });
  };
  const Param* interpreter = own(sym::guard_interpreter) ? nullptr : catalog_[id].find(sym::guard_interpreter);
  std::string_view name = "default";
  for (Param& p : catalog_[id].parameters()) {
    if (!is_guard_metaparameter(p.name) || p.value.is_undef() || own(p.name)) continue;
    if (!native) p.flags |= Param::guard;
    std::string problem;
    std::vector<Guard> guards;
    if (interpreter != nullptr && interpreter->value.is_string()) name = interpreter->value.str();
    if (p.name == sym::guard_interpreter ? valid_guard_interpreter(p.value, problem) : parse_guards(p.value, name, guards, problem))
      continue;
    const SourceFile* file = origins_[p.origin].file;
    fail_at_line(fmt::format("Parameter {} failed on {}: {}", p.name.str(), catalog_.reference(id), problem), file ? file : state(id).file,
                 file && p.position != 0 ? file->line(p.position) : catalog_[id].line);
  }
}

void CatalogCompiler::inherit_metaparameters() {
  // Go breadth first along containment, from Class[main] as far as it reaches (classes are contained in their stages).
  std::vector<uint32_t> starts;
  std::vector<ResourceId> targets;
  catalog_.children(starts, targets);
  using Inherited = std::vector<std::pair<Symbol, Value>>;
  std::vector<std::unique_ptr<Inherited>> data(catalog_.size());
  auto own = [&](ResourceId id) {
    Inherited out;
    for (Symbol name : metaparameters()) {
      if (is_relationship(name)) continue;
      const Param* p = catalog_[id].find(name);
      if (p != nullptr && !p->value.is_undef()) out.emplace_back(name, p->value);
    }
    return out;
  };
  std::vector<bool> seen(catalog_.size(), false);
  std::vector<ResourceId> queue{main_resource_};
  for (size_t at = 0; at < queue.size(); ++at) {
    ResourceId source = queue[at];
    if (seen[source]) continue;
    seen[source] = true;
    for (uint32_t i = starts[source]; i < starts[source + 1]; ++i) {
      ResourceId target = targets[i];
      if (!data[source]) {
        Inherited mine = own(source);
        if (!mine.empty()) data[source] = std::make_unique<Inherited>(std::move(mine));
      }
      if (data[source]) {
        for (const auto& [name, value] : *data[source]) {
          const Param* present = catalog_[target].find(name);
          if (present != nullptr && !present->value.is_undef()) continue;
          Param p;
          p.name = name;
          p.value = value;
          p.origin = origin_of(state(target).source, nullptr);
          set_param_source(p, ParamSource::Container);
          set_param(target, p, {}, source);
          state(target).flags |= ResourceState::changed;
        }
        Inherited merged = *data[source];
        for (auto& [name, value] : own(target)) {
          auto it = std::find_if(merged.begin(), merged.end(), [n = name](const auto& m) { return m.first == n; });
          if (it == merged.end())
            merged.emplace_back(name, value);
          else
            it->second = value;
        }
        data[target] = std::make_unique<Inherited>(std::move(merged));
      }
      catalog_.merge_tags(target, source);
    }
    for (uint32_t i = starts[source]; i < starts[source + 1]; ++i) queue.push_back(targets[i]);
  }
}

void CatalogCompiler::fail_on_unevaluated() {
  std::string names;
  for (const auto& reference : override_order_) {
    auto it = overrides_.find(reference);
    if (it == overrides_.end()) continue;
    for (size_t i = 0; i < it->second.size(); ++i) names += (names.empty() ? "" : ", ") + reference;
  }
  if (!names.empty()) fail_unplaced(fmt::format("Could not find resource(s) {} for overriding", names), ErrorCode::catalog_error);
  for (const auto& c : collectors_)
    for (const auto& ref : c.unresolved) names += (names.empty() ? "" : ", ") + to_string(ref);
  if (!names.empty()) fail_unplaced(fmt::format("Failed to realize virtual resources {}", names), ErrorCode::catalog_error);
}

void CatalogCompiler::validate_relationships() {
  std::vector<Value> flat;
  auto flatten = [&](auto&& self, const Value& v) -> void {
    if (v.is_list())
      for (const Value& item : v.items()) self(self, item);
    else if (!v.is_undef())
      flat.push_back(v);
  };
  for (ResourceId id = 0; id < catalog_.size(); ++id) {
    const Resource& r = catalog_[id];
    if (r.has(Resource::is_virtual)) continue;
    for (const Param& p : r.parameters()) {
      if (!is_relationship(p.name)) continue;
      flat.clear();
      flatten(flatten, p.value);
      const SourceFile* file = origins_[p.origin].file;
      uint32_t line = file ? file->line(p.position) : 0;
      for (const Value& v : flat) {
        ResourceRef ref;
        std::string text;
        if (v.is(Kind::Ref)) {
          ref = *v.ref;
        } else {
          text = ruby_to_s(v);
          if (!split_reference(text, ref.type, ref.title)) ref.title = {};
        }
        if (ref.title.empty()) {
          if (v.is(Kind::Ref)) text = to_string(ref);
          fail_at_line(fmt::format("No title provided and {} is not a valid resource reference", ruby_inspect(Value::string(text))), file,
                       line);
        }
        if (find_reference(ref.type, ref.title) != no_resource) continue;
        fail_at_line(fmt::format("Could not find resource '{}' in parameter '{}'", text.empty() ? to_string(ref) : text, p.name.str()),
                     file, line);
      }
    }
  }
}

void CatalogCompiler::convert_to_document() {
  // Puppet makes a second catalog of the finished resources and registers their explicit aliases again. What changed since may collide now.
  for (ResourceId id = 0; id < catalog_.size(); ++id) {
    const Resource& r = catalog_[id];
    if (r.has(Resource::is_virtual) && !r.has(Resource::exported)) continue;
    if (state(id).has(ResourceState::renamed)) create_aliases(id, true);
  }
}

} // namespace pupc::compiler
