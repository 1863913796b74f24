// Classes, defines and nodes: finding them, their parameters, their bodies.
#include "catalog/base/excerpt.h"
#include "catalog/base/limits.h"
#include "catalog/base/similar_names.h"
#include "catalog/graph/tags.h"
#include "catalog/graph/title_parts.h"
#include "catalog/schema/metaparameters.h"
#include "catalog/value/flatten.h"
#include "catalog/value/frozen.h"
#include "compiler/eval/lookup_host.h"
#include "compiler/hiera/lookup.h"
#include "compiler/resources/catalog_compiler.h"
#include "compiler/resources/collector_state.h"
#include "compiler/resources/compiler_failure.h"

#include <algorithm>
#include <fmt/format.h>

namespace pupc::compiler {
// ---------------------------------------------------------------------------------------------------------------------
// finding

CodeUnit* CatalogCompiler::find_class(std::string_view name) {
  if (name.starts_with("::")) name.remove_prefix(2);
  auto known = classes_.find(name);
  if (known != classes_.end()) return known->second;
  std::string low = downcase_name(name);
  CodeUnit* type = nullptr;
  const DefinitionEntry* entry = nullptr;
  if (known = classes_.find(low); known != classes_.end()) {
    type = known->second;
  } else if (low == "settings") {
    type = settings_;
  } else if (low.empty()) {
    type = main_;
  } else if (evaluator_.note_search(low, NodeKind::ClassDef); (entry = environment_.find_class(low, &log_)) != nullptr) {
    type = defined_type(*entry, CodeUnit::Kind::Class);
  }
  classes_.emplace(arena_.copy(name), type);
  if (entry != nullptr) check_autoloaded(*entry);
  return type;
}

void CatalogCompiler::check_autoloaded(const DefinitionEntry& entry) {
  if (entry.module == nullptr || !autoloaded_.insert(entry.file.get()).second) return;
  const DefinitionEntry* init = environment_.find_class(entry.module->name, &log_);
  if (init != nullptr && init->module == entry.module && autoloaded_.insert(init->file.get()).second) check_definitions(*init->file);
  check_definitions(*entry.file);
}

CodeUnit* CatalogCompiler::find_define(std::string_view name) {
  ResolvedType t = resolve_type(name);
  if (t.kind == ResolvedType::Kind::Define) return t.define;
  if (t.kind == ResolvedType::Kind::None) return nullptr;
  const DefinitionEntry* entry = environment_.find_define(name, &log_); // a native type of the same name hides it
  return entry ? defined_type(*entry, CodeUnit::Kind::Define) : nullptr;
}

void CatalogCompiler::set_layout(CodeUnit& type, const FrameLayout* layout) {
  type.layout = layout;
  if (layout == nullptr) return;
  type.title_slot = static_cast<int16_t>(layout->find(sym::title));
  type.name_slot = static_cast<int16_t>(layout->find(sym::name));
  type.module_slot = static_cast<int16_t>(layout->find(sym::module_name));
  type.caller_slot = static_cast<int16_t>(layout->find(sym::caller_module_name));
}

CodeUnit* CatalogCompiler::defined_type(const DefinitionEntry& entry, CodeUnit::Kind kind) {
  auto [it, added] = defined_.try_emplace(&entry, nullptr);
  if (!added) return it->second;
  CodeUnit* type = arena_.make<CodeUnit>();
  it->second = type;
  type->kind = kind;
  type->definition = entry.definition;
  type->name = entry.definition->name.str();
  type->body = entry.definition->body;
  type->file = entry.file.get();
  type->module = entry.module;
  if (kind == CodeUnit::Kind::Class) type->parent_name = static_cast<const ClassDef*>(entry.definition)->parent.str();
  set_layout(*type, entry.definition->layout);
  for (const Parameter& p : entry.definition->parameters) {
    if (!is_metaparameter(p.name) || is_guard_metaparameter(p.name)) continue; // a guard gives way to a parameter of its name
    if (p.default_value == nullptr)
      fail_unplaced(
          fmt::format("{} is a metaparameter; please choose another parameter name in the {} definition", p.name.str(), type->name),
          ErrorCode::catalog_error);
    evaluator_.warn_once(fmt::format("metaparam {} {}", type->name, p.name.str()), {},
                         fmt::format("{} is a metaparam; this value will inherit to all contained resources in the {} definition",
                                     p.name.str(), type->name));
  }
  return type;
}

void CatalogCompiler::resolve_parent(CodeUnit& type) {
  if (type.parent != nullptr || type.parent_name.empty()) return;
  type.parent = find_class(type.parent_name);
  const SourceFile* file = type.file ? type.file->source.get() : nullptr;
  uint32_t line = file && type.definition ? file->line(type.definition->offset) : 0;
  if (type.parent == nullptr)
    fail_at_line(fmt::format("Could not find parent resource type '::{}' of type hostclass in {}", type.parent_name, catalog_.environment),
                 file, line);
  for (const CodeUnit* t = type.parent; t != nullptr; t = t->parent)
    if (t == &type) {
      type.parent = nullptr;
      fail_at_line(fmt::format("Class '{}' inherits itself", type.name), file, line);
    }
  resolve_parent(*type.parent);
}

void CatalogCompiler::evaluate_parameter_types(CodeUnit& type) {
  if (type.parameter_types != nullptr) return;
  auto parameters = type.parameters();
  auto** types = arena_.make_array<const Type*>(parameters.size + 1);
  FileGuard guard(evaluator_, type.file);
  for (uint32_t i = 0; i < parameters.size; ++i) types[i] = evaluator_.evaluate_type(parameters[i].type, *top_->frame);
  type.parameter_types = types;
}

// ---------------------------------------------------------------------------------------------------------------------
// adding to the catalog

ResourceId CatalogCompiler::ensure_class(CodeUnit& type, Scope& scope, DeclaredBy how, Loc place, std::string_view detail) {
  ResourceId present = catalog_.find(Catalog::class_type, capitalize_segments(type.name));
  if (present != no_resource) return present;
  return create({.type = Catalog::class_type,
                 .title = type.name,
                 .kind = ResourceKind::Unknown,
                 .defined = &type,
                 .scope = &scope,
                 .source = &type,
                 .how = how,
                 .place = place,
                 .detail = detail});
}

void CatalogCompiler::include_classes(std::span<const std::string_view> names, Inclusion how, Frame& caller, Loc loc) {
  Scope& scope = declaring_scope(caller);
  std::vector<CodeUnit*> types;
  types.reserve(names.size());
  for (auto name : names) {
    CodeUnit* type = find_class(name);
    if (type == nullptr)
      fail_unplaced(fmt::format("Could not find class {}{} for {}", name.starts_with("::") ? "" : "::", downcase_name(name), node_name_),
                    ErrorCode::catalog_error);
    types.push_back(type);
  }
  std::vector<ResourceId> present, fresh;
  for (CodeUnit* type : types) {
    if (type->scope != nullptr)
      present.push_back(type->scope->resource);
    else
      fresh.push_back(ensure_class(*type, scope, DeclaredBy::Call, loc));
  }
  const OriginPlace place{loc.file, observer_ != nullptr && loc.file != nullptr ? loc.file->line(loc.offset) : 0, loc.offset};
  if (observer_ != nullptr)
    for (ResourceId id : present) observer_->included_again(id, place, scope.resource);
  for (ResourceId id : fresh) evaluate_resource_body(id);
  if (how == Inclusion::Include || scope.resource == no_resource) return;
  if (how == Inclusion::Contain) {
    for (const auto* ids : {&present, &fresh})
      for (ResourceId id : *ids)
        if (!catalog_.contains_class(scope.resource, id)) catalog_.add_edge(scope.resource, id);
    return;
  }
  Param* p = catalog_[scope.resource].find(sym::require);
  if (p == nullptr || !(p->flags & own_list_flag)) {
    Param added;
    added.name = sym::require;
    added.origin = origin_of(state(scope.resource).source, nullptr);
    added.flags = own_list_flag;
    std::vector<Value> required;
    if (p != nullptr) flatten_into(p->value, required);
    std::erase_if(required, [](const Value& v) { return v.is_undef(); });
    added.value = own_copy(required);
    set_param(scope.resource, added);
    p = catalog_[scope.resource].find(sym::require);
  }
  for (CodeUnit* type : types) {
    Param added;
    added.name = sym::require;
    added.value = Value::of(arena_.make<ResourceRef>(ResourceRef{"Class", arena_.copy(capitalize_segments(type->name))}));
    added.flags = Param::append;
    set_param_source(added, ParamSource::Relationship);
    append_to_own(*p, added.value);
    note_param(scope.resource, added, place);
  }
  note_change(scope.resource);
}

// ---------------------------------------------------------------------------------------------------------------------
// evaluating

void CatalogCompiler::evaluate_resource_body(ResourceId id) {
  const NestedBody depth;
  if (state(id).has(ResourceState::evaluated)) return;
  state(id).flags |= ResourceState::evaluated;
  finish_evaluation(id);
  if (state(id).type == nullptr)
    fail_unplaced(fmt::format("Cannot find definition {}", catalog_.type_name(catalog_[id].type)), ErrorCode::catalog_error);
  evaluate_code(*state(id).type, id);
}

void CatalogCompiler::evaluate_code(CodeUnit& type, ResourceId id) {
  Scope* parent = state(id).scope;
  Scope* inherited = nullptr;
  if (type.parent != nullptr) {
    ResourceId parent_id = catalog_.find(Catalog::class_type, capitalize_segments(type.parent->name));
    if (parent_id != no_resource) {
      evaluate_resource_body(parent_id);
      if (type.parent->scope == nullptr)
        fail_unplaced(fmt::format("Could not find scope for {}", type.parent->name), ErrorCode::catalog_error);
      parent = inherited = type.parent->scope;
    }
  }
  ScopeKind kind = type.kind == CodeUnit::Kind::Define ? ScopeKind::Define
                   : type.kind == CodeUnit::Kind::Node ? ScopeKind::Node
                                                       : ScopeKind::Class;
  Scope* scope = make_scope(kind, parent);
  scope->inherited = inherited;
  scope->resource = id;
  scope->file = type.file;
  scope->module = type.module;
  if (kind != ScopeKind::Node) scope->class_name = type.name;
  if (kind != ScopeKind::Class) scope->title = catalog_[id].title;
  Frame* frame = evaluator_.make_frame(type.layout, scope, nullptr);
  scope->frame = frame;
  if (kind != ScopeKind::Define) catalog_.add_class(type.name);

  bind_parameters(type, id, *scope, *frame);
  if (kind == ScopeKind::Class) add_edge_to_stage(id);
  if (type.body == nullptr) return;
  BodyGuard guard(evaluator_, *scope);
  if (kind == ScopeKind::Node) {
    if (type.match.groups != nullptr) evaluator_.match() = type.match;
    evaluator_.evaluate_main(*type.body, *frame);
    return;
  }
  // A break() passes on to the iteration that includes the class, or to the code that evaluates postponed bodies.
  evaluator_.evaluate_body(*type.body, *frame);
}

namespace {

void set_slot(Frame& frame, int slot, const Value& v) {
  if (slot >= 0) frame.slot(slot) = v;
}

} // namespace

void CatalogCompiler::bind_parameters(CodeUnit& type, ResourceId id, Scope& scope, Frame& frame) {
  if (type.module != nullptr) set_slot(frame, type.module_slot, frozen_text(Value::string(type.module->name)));
  // Code outside of modules has the module name "".
  if (const CodeUnit* caller = scope.parent ? source_of(*scope.parent) : nullptr; caller != nullptr)
    set_slot(frame, type.caller_slot, frozen_text(Value::string(caller->module != nullptr ? std::string_view(caller->module->name) : "")));
  if (type.kind == CodeUnit::Kind::Class) inject_lookups(type, id, scope, frame);

  Value title = Value::string(type.kind == CodeUnit::Kind::Class ? type.name : catalog_[id].title);
  if (auto other = other_titles_.find(id); other != other_titles_.end()) title = other->second;
  if (type.kind == CodeUnit::Kind::Define) title = frozen_text(title);
  Value name = title;
  if (const Param* p = catalog_[id].find(sym::name); p != nullptr && !p->value.is_undef()) name = p->value;
  set_slot(frame, type.title_slot, title);
  set_slot(frame, type.name_slot, name);
  if (type.kind != CodeUnit::Kind::Define) {
    type.scope = &scope;
    class_scopes_[type.name] = &scope;
  }
  if (type.definition == nullptr) return;

  evaluate_parameter_types(type);
  auto parameters = type.parameters();
  for (uint32_t i = 0; i < parameters.size; ++i) frame.slot(i) = unevaluated_value();
  // Given values first. Look them up by name: both lists are short, or one of them is.
  for (const Param& p : catalog_[id].parameters()) {
    if (p.name == sym::name || p.name == sym::title) continue;
    set_slot(frame, frame.layout->find(p.name), p.value);
  }
  // Defaults are evaluated in the definition's file, wherever the declaration is.
  BodyGuard guard(evaluator_, scope);
  uint32_t origin = 0;
  std::string reference;
  for (uint32_t i = 0; i < parameters.size; ++i) {
    const Parameter& p = parameters[i];
    if (p.default_value == nullptr) continue;
    Value& slot = frame.slot(i);
    if (!slot.is_undef()) continue; // unevaluated ones are undef, too
    if (reference.empty()) reference = catalog_.reference(id);
    Value value = catalog_value(evaluator_.evaluate_default(*p.default_value, frame, reference, p.name), false);
    slot = value;
    if (origin == 0) origin = origin_of(state(id).source, nullptr);
    Param set;
    set.name = p.name;
    set.value = value;
    set.origin = origin;
    set_param_source(set, ParamSource::DefaultExpression);
    const SourceFile* source = observer_ != nullptr && type.file != nullptr ? type.file->source.get() : nullptr;
    set_param(id, set, {source, source != nullptr ? source->line(p.default_value->offset) : 0, p.default_value->offset});
  }
  validate_parameters(type, id);
  state(id).flags &= static_cast<uint8_t>(~ResourceState::changed); // by data and defaults, which are checked now
  for (uint32_t i = 0; i < parameters.size; ++i) {
    if (is_unevaluated(frame.slot(i))) frame.slot(i) = unset_value();
    if (!is_reserved_variable(parameters[i].name)) continue;
    // Puppet places this error at the definition; for a defined type, the words around it name the declaration.
    if (type.kind != CodeUnit::Kind::Class) check_reserved_parameter(parameters[i].name);
    const Loc definition{type.file ? type.file->source.get() : nullptr, type.definition->offset, type.definition->length};
    throw_error(ErrorCode::evaluation_error, definition,
                fmt::format("Attempt to assign to a reserved variable name: '{}'", parameters[i].name.str()), PositionStyle::Line);
  }
}

void CatalogCompiler::inject_lookups(CodeUnit& type, ResourceId id, Scope&, Frame& frame) {
  LookupService* service = evaluator_.lookup_service();
  if (service == nullptr || type.parameters().size == 0) return;
  if (observer_ == nullptr && service->has_no_data(type.name.substr(0, type.name.find("::")))) return;
  for (const Parameter& parameter : type.parameters()) {
    const Param* given = catalog_[id].find(parameter.name);
    if (given != nullptr && !given->value.is_undef()) continue;
    std::string key = fmt::format("{}::{}", type.name, parameter.name.str());
    EvaluatorLookupHost host(evaluator_, frame);
    LookupRequest request;
    request.key = key;
    if (observer_ != nullptr) request.explainer = observer_->data_lookup(id, key);
    std::optional<Value> bound = service->lookup(request, host);
    // An undef from data counts as missing: the default expression is still evaluated.
    if (!bound || (bound->is_undef() && parameter.default_value != nullptr)) continue;
    Param p;
    p.name = parameter.name;
    p.value = *bound;
    p.origin = origin_of(state(id).source, nullptr);
    set_param_source(p, ParamSource::Data);
    set_param(id, p);
  }
}

void CatalogCompiler::validate_parameters(CodeUnit& type, ResourceId id) {
  auto declared = type.parameters();
  const Resource& r = catalog_[id];
  bool sound = true;
  uint32_t known = 0;
  std::unordered_map<uint32_t, const Type*> results; // of Deferred values
  // Check Deferred values first: their warnings and errors precede all others.
  auto deferred_result = [&](const DeferredData& d) -> const Type* {
    try {
      return evaluator_.deferred_result(d);
    } catch (CompileError& error) {
      // Puppet does not expect this error where it evaluates the body of a define.
      if (type.kind == CodeUnit::Kind::Define && error.diagnostic.code == ErrorCode::argument_mismatch)
        throw CompilerFailure(std::move(error.diagnostic));
      throw;
    }
  };
  // The finish phase unwraps Sensitive values, but the check is against the Sensitive type.
  auto value_of = [&](const Param& p) { return p.flags & Param::sensitive ? Value::sensitive(arena_, p.value) : p.value; };
  // Begins behind the last one found, as most have their defaults, in order: a define may have 140 of them.
  auto find_next = [params = r.parameters(), next = size_t{0}](Symbol name) mutable -> const Param* {
    for (size_t n = 0; n < params.size(); ++n) {
      if (next == params.size()) next = 0;
      if (const Param& p = params[next++]; p.name == name) return &p;
    }
    return nullptr;
  };
  for (uint32_t i = 0; i < declared.size; ++i) {
    const Param* p = find_next(declared[i].name);
    if (p == nullptr) {
      sound &= declared[i].default_value != nullptr;
      continue;
    }
    ++known;
    if (p->value.is(Kind::Deferred)) {
      const Type* result = results[i] = deferred_result(*p->value.deferred);
      sound &= result == nullptr || is_assignable(evaluator_.types(), generalize(evaluator_.types(), type.parameter_types[i]),
                                                  generalize(evaluator_.types(), result));
      continue;
    }
    sound &= type.parameter_types[i]->kind == TypeKind::Any || is_instance(evaluator_.types(), type.parameter_types[i], value_of(*p));
  }
  for (const Param& p : r.parameters()) {
    if (known == r.param_count || !sound) break;
    if (p.name == sym::name || p.name == sym::title || is_metaparameter(p.name)) continue;
    bool is_declared = false;
    for (const Parameter& d : declared) is_declared |= d.name == p.name;
    sound &= is_declared;
  }
  if (sound) return;

  std::vector<ParameterDescription> specs;
  std::vector<HashEntry> values;
  for (uint32_t i = 0; i < declared.size; ++i) {
    auto result = results.find(i);
    specs.push_back({declared[i].name.str(), type.parameter_types[i], declared[i].default_value != nullptr,
                     result == results.end() ? nullptr : result->second});
    if (const Param* p = r.find(declared[i].name)) values.push_back({Value::string(declared[i].name.str()), value_of(*p)});
  }
  for (const Param& p : r.parameters()) {
    if (p.name == sym::name || p.name == sym::title || is_metaparameter(p.name)) continue;
    bool is_declared = false;
    for (const Parameter& d : declared) is_declared |= d.name == p.name;
    if (!is_declared) values.push_back({Value::string(p.name.str()), value_of(p)});
  }
  HashBuilder given(arena_, values.size());
  for (const auto& e : values) given.set(e.key, e.value);
  std::string problem = describe_parameters(evaluator_.types(), catalog_.reference(id), specs, given.finish_hash()->entries());
  if (problem.empty()) return;
  Diagnostic d;
  d.code = ErrorCode::type_mismatch;
  d.message = std::move(problem);
  for (const Param& p : r.parameters()) { // the excerpt shows the first wrong one
    const auto at = std::find_if(declared.begin(), declared.end(), [&](const Parameter& one) { return one.name == p.name; });
    if (p.name == sym::name || p.name == sym::title || (at == declared.end() && is_metaparameter(p.name))) continue;
    if (at == declared.end()) {
      std::vector<std::string_view> names;
      for (const Parameter& one : declared) names.push_back(one.name.str());
      d.suggestion = did_you_mean(p.name.str(), names);
    } else if (is_instance(evaluator_.types(), type.parameter_types[static_cast<size_t>(at - declared.begin())], value_of(p)))
      continue;
    set_cause(d, place_of_parameter(id, p));
    break;
  }
  throw CompileError(std::move(d));
}

void CatalogCompiler::add_edge_to_stage(ResourceId id) {
  const Param* own = catalog_[id].find(sym::stage);
  Value wanted = own ? own->value : Value::undef();
  if (wanted.is_undef())
    if (const Scope* scope = state(id).scope; scope != nullptr && scope->resource != no_resource)
      if (const Param* p = catalog_[scope->resource].find(sym::stage)) wanted = p->value;
  std::string title = wanted.is_undef() ? "main" : evaluator_.to_string(wanted);
  ResourceId stage = find_resource(catalog_, Catalog::stage_type, title);
  if (stage == no_resource)
    fail_unplaced(fmt::format("Could not find stage {} specified by {}",
                              own && own->value.truthy() ? evaluator_.to_string(own->value) : "main", catalog_.reference(id)),
                  ErrorCode::catalog_error);
  if ((own == nullptr || !own->value.truthy()) && stage != 0) {
    Param p;
    p.name = sym::stage;
    p.value = Value::string(catalog_[stage].title);
    p.origin = origin_of(state(id).source, nullptr);
    set_param_source(p, ParamSource::Stage);
    set_param(id, p, {}, state(id).scope != nullptr ? state(id).scope->resource : no_resource);
  }
  catalog_.add_edge(stage, id);
}

} // namespace pupc::compiler
