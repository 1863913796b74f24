// Classes, defines and resources that Ruby code of modules makes by hand: what Puppet's compiler and catalog do with them.
#include "catalog/base/excerpt.h"
#include "catalog/graph/tags.h"
#include "compiler/resources/catalog_compiler.h"

#include <algorithm>
#include <fmt/format.h>

namespace pupc::compiler {

std::optional<std::string> CatalogCompiler::add_definition(bool define, std::string_view name, std::string_view parent,
                                                           std::span<const Value> parameters) {
  if (name.starts_with("::")) name.remove_prefix(2);
  const std::string low = downcase_name(name);
  if (const CodeUnit* there = define ? find_define(low) : find_class(low)) {
    const SourceFile* file = there->file && there->definition ? there->file->source.get() : nullptr;
    return file == nullptr ? "" : position_suffix(file->path(), file->line(there->definition->offset), 0);
  }
  CodeUnit* type = arena_.make<CodeUnit>();
  type->kind = define ? CodeUnit::Kind::Define : CodeUnit::Kind::Class;
  type->name = arena_.copy(low);
  type->parent_name = arena_.copy(parent);
  type->module = environment_.find_module(std::string_view(low).substr(0, low.find(':')));
  auto* body = arena_.make<Block>();
  body->kind = NodeKind::Block;
  type->body = body;
  const auto count = static_cast<uint32_t>(parameters.size());
  constexpr Symbol own[] = {sym::title, sym::name, sym::module_name, sym::caller_module_name};
  auto* layout = arena_.make<FrameLayout>();
  layout->names = {arena_.make_array<Symbol>(count + std::size(own)), count + static_cast<uint32_t>(std::size(own))};
  for (uint32_t i = 0; i < count; ++i) layout->names[i] = intern(parameters[i].str());
  std::ranges::copy(own, layout->names.begin() + count);
  set_layout(*type, layout);
  if (count > 0) {
    Definition* definition = define ? static_cast<Definition*>(arena_.make<DefineDef>()) : arena_.make<ClassDef>();
    definition->kind = define ? NodeKind::DefineDef : NodeKind::ClassDef;
    definition->name = intern(type->name);
    definition->body = body;
    definition->layout = layout;
    definition->parameters = {arena_.make_array<Parameter>(count), count};
    for (uint32_t i = 0; i < count; ++i) definition->parameters[i] = {layout->names[i], nullptr, nullptr, 0, 0, false, false};
    type->definition = definition;
  }
  if (define) {
    types_[type->name] = {ResolvedType::Kind::Define, catalog_.type_id(type->name), type, nullptr};
  } else {
    classes_[type->name] = type;
    if (name != low) classes_[arena_.copy(name)] = type;
  }
  return std::nullopt;
}

ResourceId CatalogCompiler::add_made(const MadeResource& resource, Frame& declared_in, Frame* container) {
  Scope& scope = declaring_scope(declared_in);
  const std::string low = downcase_name(resource.type);
  NewResource wanted{.type = Catalog::class_type, .title = arena_.copy(resource.title), .kind = ResourceKind::Unknown};
  if (low == "class") {
    wanted.defined = find_class(resource.title);
    if (wanted.defined != nullptr) wanted.title = wanted.defined->name;
  } else {
    const ResolvedType type = resolve_type(low);
    wanted.type = type.kind == ResolvedType::Kind::None ? catalog_.type_id(arena_.copy(low)) : type.id;
    wanted.defined = type.define;
    if (type.kind != ResolvedType::Kind::None) wanted.kind = type.define != nullptr ? ResourceKind::CodeUnit : ResourceKind::CompilableType;
  }
  const std::vector<Param> params = params_of(resource.parameters, source_of(scope));
  wanted.params = params;
  wanted.is_virtual = resource.is_virtual || resource.exported;
  wanted.exported = resource.exported;
  wanted.scope = &scope;
  wanted.source = source_of(scope);
  wanted.how = DeclaredBy::Call;
  wanted.made = &resource;
  if (container != nullptr) wanted.container = &declaring_scope(*container);
  const ResourceId id = create(wanted);
  if (container != nullptr && wanted.kind != ResourceKind::CompilableType) pending_.push_back(id); // an unknown type fails then
  return id;
}

void CatalogCompiler::evaluate_made(ResourceId id, bool again) {
  CodeUnit* type = state(id).type;
  if (type == nullptr && catalog_[id].type == Catalog::class_type) type = state(id).type = find_class(catalog_[id].title);
  if (type == nullptr)
    fail_unplaced(fmt::format("Cannot find definition {}", catalog_.type_name(catalog_[id].type)), ErrorCode::catalog_error);
  if (again)
    evaluate_code(*type, id);
  else
    evaluate_resource_body(id);
}

ResourceId CatalogCompiler::ensure_class_declared(std::string_view name, const Hash* parameters, Frame& frame) {
  CodeUnit* type = find_class(name);
  if (type == nullptr) fail_unplaced(fmt::format("Could not find class {} for {}", name, node_name_), ErrorCode::catalog_error);
  Scope& scope = declaring_scope(frame);
  const ResourceId present = parameters == nullptr ? catalog_.find(Catalog::class_type, capitalize_segments(type->name)) : no_resource;
  if (present != no_resource) return present;
  std::vector<Param> params;
  if (parameters != nullptr) params = params_of(parameters->entries(), type);
  const ResourceId id = create({.type = Catalog::class_type,
                                .title = type->name,
                                .kind = ResourceKind::Unknown,
                                .defined = type,
                                .params = params,
                                .scope = &scope,
                                .source = type,
                                .how = DeclaredBy::Call});
  pending_.push_back(id);
  return id;
}

void CatalogCompiler::override_with(const MadeResource& resource, Frame& frame) {
  const ResolvedType type = resolve_type(downcase_name(resource.type));
  if (type.kind == ResolvedType::Kind::None)
    fail_unplaced(fmt::format("Unknown resource type: '{}'", resource.type), ErrorCode::catalog_error);
  CodeUnit* source = source_of(declaring_scope(frame));
  std::string_view title = resource.title;
  if (type.kind == ResolvedType::Kind::Class) title = arena_.copy(capitalize_segments(title));
  add_override({type.id, arena_.copy(title), params_of(resource.parameters, source), source, nullptr, resource.line});
}

std::vector<std::string_view> CatalogCompiler::known_definitions(bool defines) const {
  std::vector<std::string_view> out;
  if (defines) {
    for (const auto& [name, type] : types_)
      if (type.define != nullptr) out.push_back(type.define->name);
  } else {
    for (const auto& [name, type] : classes_)
      if (type != nullptr) out.push_back(type->name);
  }
  std::ranges::sort(out);
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

Scope* CatalogCompiler::new_scope(Frame& parent, ResourceId resource) {
  Scope* scope = make_scope(ScopeKind::Class, &declaring_scope(parent));
  scope->resource = resource == no_resource ? top_->resource : resource;
  const CodeUnit* type = source_of(*scope);
  if (type != nullptr) {
    scope->file = type->file;
    scope->module = type->module;
    scope->class_name = type->name;
  }
  scope->frame = evaluator_.make_frame(nullptr, scope, nullptr);
  return scope;
}

void CatalogCompiler::add_relationship(const ResourceRef& from, const ResourceRef& to, bool notify) {
  auto operand = [&](const ResourceRef& ref) {
    RelationOperand out;
    out.ref = {arena_.copy(ref.type), arena_.copy(ref.title)};
    return out;
  };
  relations_.push_back({operand(from), operand(to), notify});
  if (observer_ != nullptr) relation_places_.resize(relations_.size());
}

} // namespace pupc::compiler
