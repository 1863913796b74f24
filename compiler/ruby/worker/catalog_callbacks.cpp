// Answers to what Ruby code asks about the catalog and scopes.
#include "catalog/graph/catalog.h"
#include "catalog/schema/resource_type.h"
#include "compiler/resources/catalog_compiler.h"
#include "compiler/ruby/worker/session.h"

namespace pupc::compiler {
namespace {

template <class Tags> Value tag_list(Arena& arena, const Catalog& catalog, Tags&& tags) {
  ListBuilder out(arena);
  for (TagId tag : tags) out.add(Value::string(catalog.tag_text(tag)));
  return out.finish();
}

} // namespace

Value CompileRubySession::reference(ResourceId id) {
  const Catalog& catalog = evaluator_->catalog().catalog();
  return list_of({Value::string(catalog.type_name(catalog[id].type)), Value::string(catalog[id].title)});
}

/// The resource whose type and title are the first two members; no_resource when there is none.
ResourceId CompileRubySession::find(const Given& arg) { return evaluator_->catalog().find_declared(arg.lower_name(0), arg.text(1)); }

Value CompileRubySession::on_find_resource(const Given& arg, Task&) {
  const ResourceId id = find(arg);
  return id == no_resource ? Value::undef() : reference(id);
}

/// [whether the resource has the parameter, its value]. What the type does not know is found, too; defaults are not.
Value CompileRubySession::on_resource_parameter(const Given& arg, Task&) {
  const ResourceId id = find(arg);
  const Symbol name = find_symbol(arg.text(2));
  const Param* found = id != no_resource && name ? evaluator_->catalog().catalog()[id].find(name) : nullptr;
  return list_of({Value::boolean(found != nullptr), found != nullptr ? found->value : Value::undef()});
}

Value CompileRubySession::on_resource_parameters(const Given& arg, Task&) {
  HashBuilder out(evaluator_->arena());
  const ResourceId id = find(arg);
  if (id != no_resource)
    for (const Param& p : evaluator_->catalog().catalog()[id].parameters()) out.set(Value::string(p.name.str()), p.value);
  return out.finish();
}

Value CompileRubySession::on_set_resource_parameter(const Given& arg, Task&) {
  if (const ResourceId id = find(arg); id != no_resource)
    evaluator_->catalog().catalog().set_param(id, Param{.name = intern(arg.text(2)), .value = arg[3]});
  return Value::undef();
}

/// [file, line, virtual, exported]
Value CompileRubySession::on_resource_place(const Given& arg, Task&) {
  const ResourceId id = find(arg);
  if (id == no_resource) return list_of({});
  const Catalog& catalog = evaluator_->catalog().catalog();
  const Resource& r = catalog[id];
  return list_of({r.file == 0 ? Value::undef() : Value::string(catalog.file_name(r.file)),
                  r.line == 0 ? Value::undef() : Value::integer(r.line), Value::boolean(r.has(Resource::is_virtual)),
                  Value::boolean(r.has(Resource::exported))});
}

Value CompileRubySession::on_place_resource(const Given& arg, Task&) {
  Catalog& catalog = evaluator_->catalog().catalog();
  if (const ResourceId id = find(arg); id != no_resource) {
    catalog[id].file = arg.text(2).empty() ? 0 : catalog.file_index(arg.text(2));
    catalog[id].line = arg[3].is_int() ? static_cast<uint32_t>(arg[3].i) : 0;
  }
  return Value::undef();
}

Value CompileRubySession::on_resource_tags(const Given& arg, Task&) {
  const ResourceId id = find(arg);
  const Catalog& catalog = evaluator_->catalog().catalog();
  return id == no_resource ? list_of({}) : tag_list(evaluator_->arena(), catalog, catalog[id].tag_ids());
}

Value CompileRubySession::on_tag_resource(const Given& arg, Task&) {
  if (const ResourceId id = find(arg); id != no_resource)
    for (const Value& tag : arg[2].items()) evaluator_->catalog().catalog().tag(id, tag.str());
  return Value::undef();
}

/// All that the catalog has; with `compiler_only` what the compiler itself declared.
Value CompileRubySession::on_resources(const Given& arg, Task&) {
  ListBuilder out(evaluator_->arena());
  for (ResourceId id = 0; id < evaluator_->catalog().catalog().size(); ++id)
    if (!arg[0].truthy() || evaluator_->catalog().compiler_has(id)) out.add(reference(id));
  return out.finish();
}

Value CompileRubySession::on_classes(const Given&, Task&) {
  ListBuilder out(evaluator_->arena());
  for (std::string_view c : evaluator_->catalog().catalog().classes()) out.add(Value::string(c));
  return out.finish();
}

Value CompileRubySession::on_add_classes(const Given& arg, Task&) {
  for (const Value& c : arg[0].items()) evaluator_->catalog().catalog().add_class(c.str());
  return Value::undef();
}

Value CompileRubySession::on_catalog_tags(const Given&, Task&) {
  const Catalog& catalog = evaluator_->catalog().catalog();
  return tag_list(evaluator_->arena(), catalog, catalog.tags());
}

Value CompileRubySession::on_tag_catalog(const Given& arg, Task&) {
  Catalog& catalog = evaluator_->catalog().catalog();
  for (const Value& tag : arg[0].items()) catalog.add_own_tag(catalog.tag_id(tag.str()));
  return Value::undef();
}

/// Which kind of resource type this is: "define", "native", or undef for an unknown type.
Value CompileRubySession::on_type_known(const Given& arg, Task&) {
  const std::string type = arg.lower_name(0);
  if (evaluator_->catalog().define_known(type)) return Value::string("define");
  return evaluator_->catalog().native_type_known(type) ? Value::string("native") : Value::undef();
}

/// The attributes of a resource type, [[name, whether it is a property, whether it is a namevar]…]; undef for an unknown type.
Value CompileRubySession::on_type_attributes(const Given& arg, Task&) {
  const ResourceTypeInfo* info = environment_.find_resource_type(arg.lower_name(0));
  if (info == nullptr) return Value::undef();
  ListBuilder attributes(evaluator_->arena());
  for (const ResourceTypeInfo::Attribute& a : info->attributes())
    attributes.add(list_of({Value::string(a.name.str()), Value::boolean(a.kind == AttributeKind::Property), Value::boolean(a.namevar)}));
  return attributes.finish();
}

Value CompileRubySession::on_namevar(const Given& arg, Task&) {
  const ResourceTypeInfo* info = environment_.find_resource_type(arg.lower_name(0));
  return Value::string(info != nullptr ? info->namevar().str() : std::string_view("name"));
}

/// A number for the scope of an evaluated class, valid for the duration of the call.
Value CompileRubySession::on_class_frame(const Given& arg, Task&) {
  const Scope* evaluated = evaluator_->catalog().class_scope(arg.lower_name(0));
  if (evaluated == nullptr) return Value::undef();
  frames_.push_back(evaluated->frame);
  return Value::integer(static_cast<int64_t>(frames_.size() - 1));
}

/// What is known of a class ("class") or define ("define"): [file, line, parent, module, names of parameters]. Undef for an unknown one.
Value CompileRubySession::on_definition(const Given& arg, Task&) {
  const bool define = arg.text(0) == "define";
  const std::string name = arg.lower_name(1);
  CatalogBuilder& catalog = evaluator_->catalog();
  if (define ? !catalog.define_known(name) : !catalog.class_known(name)) return Value::undef();
  const DefinitionEntry* entry = define ? environment_.find_define(name, nullptr) : environment_.find_class(name, nullptr);
  if (entry == nullptr) return list_of({}); // the main class, the settings, or one that Ruby code made
  ListBuilder parameters(evaluator_->arena());
  for (const Parameter& p : entry->definition->parameters) parameters.add(Value::string(p.name.str()));
  const SourceFile& file = *entry->file->source;
  const std::string_view parent = define ? std::string_view() : static_cast<const ClassDef*>(entry->definition)->parent.str();
  return list_of({text_value(file.path()), Value::integer(file.line(entry->definition->offset)),
                  parent.empty() ? Value::undef() : Value::string(parent),
                  entry->module != nullptr ? Value::string(entry->module->name) : Value::string(""), parameters.finish()});
}

/// The names of the classes or defines that the compile knows so far.
Value CompileRubySession::on_definitions(const Given& arg, Task&) {
  ListBuilder out(evaluator_->arena());
  for (std::string_view name : evaluator_->catalog().known_definitions(arg.text(0) == "define")) out.add(text_value(name));
  return out.finish();
}

/// Adds a class or define that Ruby code makes. Undef on success; otherwise the place that already defines one of this name.
Value CompileRubySession::on_add_definition(const Given& arg, Task&) {
  const std::span<const Value> parameters = arg[3].is_list() ? arg[3].items() : std::span<const Value>();
  auto there = evaluator_->catalog().add_definition(arg.text(0) == "define", arg.text(1), arg.text(2), parameters);
  return there ? text_value(*there) : Value::undef();
}

Value CompileRubySession::on_ensure_class(const Given& arg, Task&) {
  const Hash* parameters = arg[2].is_hash() ? arg[2].hash : nullptr;
  return reference(evaluator_->catalog().ensure_class_declared(arg.name(1), parameters, frame_of(arg[0])));
}

Value CompileRubySession::on_add_resource(const Given& arg, Task&) {
  MadeResource made{.type = arg.text(2), .title = arg.text(3)};
  if (arg[4].is_hash()) made.parameters = arg[4].hash->entries();
  if (arg[5].is_list()) made.tags = arg[5].items();
  made.is_virtual = arg[6].truthy();
  made.exported = arg[7].truthy();
  made.file = arg.text(8);
  made.line = arg[9].is_int() ? static_cast<uint32_t>(arg[9].i) : 0;
  Frame* container = arg[1].is_undef() ? nullptr : &frame_of(arg[1]);
  return reference(evaluator_->catalog().add_made(made, frame_of(arg[0]), container));
}

Value CompileRubySession::on_add_override(const Given& arg, Task&) {
  MadeResource made{.type = arg.text(1), .title = arg.text(2)};
  if (arg[3].is_hash()) made.parameters = arg[3].hash->entries();
  made.file = arg.text(4);
  made.line = arg[5].is_int() ? static_cast<uint32_t>(arg[5].i) : 0;
  evaluator_->catalog().override_with(made, frame_of(arg[0]));
  return Value::undef();
}

Value CompileRubySession::on_evaluate_resource(const Given& arg, Task&) {
  if (const ResourceId id = find(arg); id != no_resource) evaluator_->catalog().evaluate_made(id, arg[2].truthy());
  return Value::undef();
}

Value CompileRubySession::on_mark_resource(const Given& arg, Task&) {
  if (const ResourceId id = find(arg); id != no_resource) {
    Resource& r = evaluator_->catalog().catalog()[id];
    r.set(Resource::is_virtual, arg[2].truthy());
    r.set(Resource::exported, arg[3].truthy());
  }
  return Value::undef();
}

/// Pairs of references: what contains, what is contained.
Value CompileRubySession::on_edges(const Given&, Task&) {
  ListBuilder out(evaluator_->arena());
  for (const auto& [from, to] : evaluator_->catalog().catalog().edges()) out.add(list_of({reference(from), reference(to)}));
  return out.finish();
}

Value CompileRubySession::on_add_edge(const Given& arg, Task&) {
  const ResourceId from = find(arg), to = evaluator_->catalog().find_declared(arg.lower_name(2), arg.text(3));
  if (from != no_resource && to != no_resource) evaluator_->catalog().catalog().add_edge(from, to);
  return Value::undef();
}

Value CompileRubySession::on_add_relationship(const Given& arg, Task&) {
  evaluator_->catalog().add_relationship({arg.text(0), arg.text(1)}, {arg.text(2), arg.text(3)}, arg[4].truthy());
  return Value::undef();
}

// ---------------------------------------------------------------------------------------------------------------------
// scopes

/// The number of a new scope, valid for the duration of the call.
Value CompileRubySession::on_new_scope(const Given& arg, Task&) {
  const ResourceId resource = arg[1].is_undef() ? no_resource : evaluator_->catalog().find_declared(arg.lower_name(1), arg.text(2));
  Scope* made = evaluator_->catalog().new_scope(frame_of(arg[0]), resource);
  if (made == nullptr) return Value::undef();
  frames_.push_back(made->frame);
  return Value::integer(static_cast<int64_t>(frames_.size() - 1));
}

Value CompileRubySession::on_scope_parent(const Given& arg, Task&) {
  const Scope* scope = frame_of(arg[0]).scope;
  if (scope == nullptr || scope->parent == nullptr) return Value::undef();
  frames_.push_back(scope->parent->frame);
  return Value::integer(static_cast<int64_t>(frames_.size() - 1));
}

Value CompileRubySession::on_scope_resource(const Given& arg, Task&) {
  const ResourceId id = evaluator_->catalog().container_of(frame_of(arg[0]));
  return id == no_resource ? Value::undef() : reference(id);
}

Value CompileRubySession::on_scope_tags(const Given& arg, Task&) {
  const ResourceId id = evaluator_->catalog().container_of(frame_of(arg[0]));
  const Catalog& catalog = evaluator_->catalog().catalog();
  return id == no_resource ? list_of({}) : tag_list(evaluator_->arena(), catalog, catalog[id].tag_ids());
}

/// The resource defaults of a type. Collects from the outermost scope inwards, so that inner defaults replace outer ones.
Value CompileRubySession::on_scope_defaults(const Given& arg, Task&) {
  const Catalog& catalog = evaluator_->catalog().catalog();
  std::vector<const Scope*> scopes;
  for (const Scope* s = frame_of(arg[0]).scope; s != nullptr; s = s->parent) scopes.push_back(s);
  HashBuilder out(evaluator_->arena());
  const std::string wanted = arg.lower_name(1);
  for (size_t i = scopes.size(); i-- > 0;)
    if (scopes[i]->defaults != nullptr)
      for (const auto& t : scopes[i]->defaults->types)
        if (lower_text(catalog.type_name(t.type)) == wanted)
          for (const Param& p : t.params) out.set(Value::string(p.name.str()), p.value);
  return out.finish();
}

/// [name, module, kind]
Value CompileRubySession::on_scope_source(const Given& arg, Task&) {
  const Scope* scope = frame_of(arg[0]).scope;
  return list_of({Value::string(scope ? scope->class_name : std::string_view()),
                  scope && scope->module ? Value::string(scope->module->name) : Value::undef(),
                  Value::string(scope && scope->kind == ScopeKind::Define ? "definition"
                                : scope && scope->kind == ScopeKind::Node ? "node"
                                                                          : "hostclass")});
}

Value CompileRubySession::on_scope_text(const Given& arg, Task&) {
  const Scope* scope = frame_of(arg[0]).scope;
  return text_value(scope ? scope_source(*scope) : "Scope()");
}

} // namespace pupc::compiler
