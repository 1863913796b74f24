// Resource expressions and resource defaults.
#include "catalog/base/stack.h"
#include "catalog/graph/tags.h"
#include "catalog/graph/title_parts.h"
#include "catalog/schema/metaparameters.h"
#include "catalog/value/frozen.h"
#include "compiler/eval/labels.h"
#include "compiler/resources/catalog_compiler.h"
#include "compiler/resources/collector_state.h"
#include "compiler/types/core_types.h"

#include <algorithm>
#include <fmt/format.h>

namespace pupc::compiler {

// ---------------------------------------------------------------------------------------------------------------------
// types of resources

ResolvedType CatalogCompiler::resolve_type(std::string_view name) {
  if (name.starts_with("::")) name.remove_prefix(2);
  auto known = types_.find(name);
  if (known != types_.end()) return known->second;
  std::string low = downcase_name(name);
  evaluator_.note_search(low, NodeKind::DefineDef);
  ResolvedType t;
  const DefinitionEntry* entry = nullptr;
  if (low == "class") {
    t.kind = ResolvedType::Kind::Class;
    t.id = Catalog::class_type;
  } else if (low.find(':') == std::string::npos && (t.info = environment_.find_resource_type(low)) != nullptr &&
             (t.info->origin() != TypeOrigin::Extension || environment_.find_define(low, &log_) == nullptr)) {
    t.kind = ResolvedType::Kind::Native;
    t.id = catalog_.type_id(low, t.info);
  } else if ((entry = environment_.find_define(low, &log_)) != nullptr) {
    t.info = nullptr;
    t.kind = ResolvedType::Kind::Define;
    t.define = defined_type(*entry, CodeUnit::Kind::Define);
    t.id = catalog_.type_id(low);
  }
  types_.emplace(arena_.copy(name), t);
  if (entry != nullptr) check_autoloaded(*entry);
  return t;
}

std::string CatalogCompiler::type_name_of(const ResourceExpr& node, Frame& frame) {
  const Node& name = *node.type_name;
  if (name.kind == NodeKind::Name) return std::string(name.as<Name>().name.str());
  // Accept a bare reference even if its type does not exist: the statement's own error is the better one.
  bool acceptable = name.kind == NodeKind::Reference ||
                    (name.kind == NodeKind::Access && name.as<Access>().left->kind == NodeKind::Reference);
  Value v = evaluator_.evaluate(name, frame);
  auto illegal = [&](std::string actual) {
    evaluator_.fail(
        ErrorCode::catalog_error, name,
        fmt::format("Illegal Resource Type expression, expected result to be a type name, or untitled Resource, got {}", actual));
  };
  const Type* type = as_type(v);
  if (!acceptable || type == nullptr) illegal(generalize(evaluator_.types(), infer(evaluator_.types(), v))->to_string());
  if (type->kind == TypeKind::Class) {
    if (!type_cast<ClassType>(type).class_name.empty()) illegal(type->to_string());
    return "class";
  }
  if (type->kind == TypeKind::Resource) {
    if (type_cast<ResourceType>(type).has_title) illegal(type->to_string());
    return downcase_name(type_cast<ResourceType>(type).type_name);
  }
  illegal(generalize(evaluator_.types(), infer(evaluator_.types(), v))->to_string());
  return {};
}

// ---------------------------------------------------------------------------------------------------------------------
// values

Value CatalogCompiler::reference_of(const Type* type) {
  auto* out = arena_.make<ResourceRef>();
  if (type->kind == TypeKind::Class) {
    std::string_view name = type_cast<ClassType>(type).class_name;
    if (name.empty()) fail_unplaced("No title provided and \"class\" is not a valid resource reference", ErrorCode::catalog_error);
    if (name.starts_with("::")) name.remove_prefix(2);
    *out = {"Class", arena_.copy(capitalize_segments(name))};
    return Value::of(out);
  }
  const auto& resource = type_cast<ResourceType>(type);
  if (resource.type_name.empty())
    fail_unplaced("Resource without the name of a type cannot be a value in the catalog", ErrorCode::catalog_error);
  std::string low = downcase_name(resource.type_name);
  std::string_view key = low.starts_with("::") ? std::string_view(low).substr(2) : std::string_view(low);
  std::string_view title = resource.title;
  ResolvedType resolved = key == "node" ? ResolvedType{ResolvedType::Kind::Native, Catalog::node_type, nullptr, nullptr}
                                        : resolve_type(key);
  // In Puppet's catalog a type that does not exist becomes a class.
  if (resolved.kind == ResolvedType::Kind::None || resolved.kind == ResolvedType::Kind::Class) {
    if (title.starts_with("::")) title.remove_prefix(2);
    *out = {"Class", title.empty() ? std::string_view("main") : arena_.copy(capitalize_segments(title))};
  } else {
    *out = {catalog_.type_name(resolved.id), title};
  }
  return Value::of(out);
}

// Puppet copies each text and list on the way, so nothing that a resource holds is frozen.
Value CatalogCompiler::catalog_value(const Value& v, bool own_list) {
  check_native_stack();
  if (is_frozen(v)) return catalog_value(thawed(arena_, v), own_list);
  switch (v.kind) {
  case Kind::Type: {
    const Type* type = as_type(v);
    if (type->kind == TypeKind::CatalogEntry)
      fail_unplaced(
          "Cannot split the type Puppet::Pops::Types::PCatalogEntryType, it represents neither a PClassType, nor a PResourceType.",
          ErrorCode::catalog_error);
    if (type->kind != TypeKind::Resource && type->kind != TypeKind::Class) return v;
    return reference_of(type);
  }
  case Kind::Iterator: fail_unplaced("Use of an Iterator is not supported here");
  case Kind::List: {
    auto items = v.items();
    size_t i = 0;
    Value changed;
    for (; i < items.size(); ++i) {
      changed = catalog_value(items[i], false);
      if (changed.kind != items[i].kind || changed.list != items[i].list || changed.flags != items[i].flags) break;
    }
    if (i == items.size()) return own_list ? own_copy(items) : v;
    Value* out = arena_.make_array<Value>(items.size());
    std::copy_n(items.data(), i, out);
    out[i] = changed;
    for (++i; i < items.size(); ++i) out[i] = catalog_value(items[i], false);
    if (own_list) return own_copy({out, items.size()});
    return Value::of(arena_.make<List>(List{static_cast<uint32_t>(items.size()), out}));
  }
  case Kind::Hash: {
    bool changed = false;
    for (const auto& e : v.hash->entries()) {
      Value k = catalog_value(e.key, false), x = catalog_value(e.value, false);
      if (k.kind != e.key.kind || k.list != e.key.list || x.kind != e.value.kind || x.list != e.value.list || x.flags != e.value.flags) {
        changed = true;
        break;
      }
    }
    if (!changed) return v;
    HashBuilder out(arena_, v.hash->size);
    for (const auto& e : v.hash->entries()) out.set(catalog_value(e.key, false), catalog_value(e.value, false));
    return out.finish();
  }
  default: return v;
  }
}

Value CatalogCompiler::own_copy(std::span<const Value> items) {
  auto* list = arena_.make<OwnList>();
  list->own = list;
  list->capacity = static_cast<uint32_t>(items.size());
  list->size = list->capacity;
  list->data = list->storage = arena_.copy_span<Value>(items).data();
  return Value::of(static_cast<const List*>(list));
}

// ---------------------------------------------------------------------------------------------------------------------
// attributes

void CatalogCompiler::evaluate_attributes(const Seq<AttributeOp>& operations, Frame& frame, std::vector<Param>& out,
                                          const Node* unique_in) {
  const ParsedFile* file = evaluator_.current_file();
  const SourceFile* source = file ? file->source.get() : nullptr;
  uint32_t origin = origin_of(source_of(declaring_scope(frame)), source);
  auto add = [&](Symbol name, const Value& value, const AttributeOp& op, bool append) {
    Param p;
    p.name = name;
    p.origin = origin;
    p.position = op.offset;
    set_param_source(p, op.kind == AttributeOpKind::Splat ? ParamSource::Splat : ParamSource::Body);
    if (append) p.flags |= Param::append;
    bool own = name == sym::before || name == sym::notify;
    if (own && value.is_list()) p.flags |= own_list_flag;
    p.value = catalog_value(value, own);
    if (unique_in != nullptr)
      for (const Param& present : out)
        if (present.name == name)
          evaluator_.fail(ErrorCode::catalog_error, *unique_in, fmt::format("The attribute '{}' has already been set", name.str()));
    out.push_back(p);
  };
  for (const AttributeOp& op : operations) {
    Value value = evaluator_.evaluate(*op.value, frame);
    try {
      if (op.kind != AttributeOpKind::Splat) {
        add(op.name, value, op, op.kind == AttributeOpKind::Append);
        continue;
      }
      if (!value.is_hash())
        evaluator_.fail(ErrorCode::type_mismatch, *op.value,
                        fmt::format("Expected value of type Hash, got {}",
                                    generalize(evaluator_.types(), infer(evaluator_.types(), value))->to_string()));
      for (const auto& e : value.hash->entries()) {
        if (e.key.is_undef()) fail_unplaced("'name' is a required option for Puppet::Parser::Resource::Param");
        if (!e.key.is_string()) fail_unplaced(fmt::format("undefined method `intern' for {}", ruby_inspect(e.key)));
        add(intern(e.key.str()), e.value, op, false);
      }
    } catch (CompileError& error) {
      Diagnostic& d = error.diagnostic;
      if (d.loc || !d.file.empty() || d.line != 0) throw;
      const char* what = op.kind == AttributeOpKind::Splat    ? "an Object"
                         : op.kind == AttributeOpKind::Append ? "a '+>' expression"
                                                              : "a '=>' expression";
      d.message = fmt::format("Evaluation Error: Error while evaluating {}, {}", what, d.message);
      d.loc = {source, op.offset, op.length};
      throw;
    }
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// the expression

namespace {

void flatten_titles(const Value& v, std::vector<Value>& out) {
  check_native_stack();
  if (!v.is_list()) {
    out.push_back(v);
    return;
  }
  for (const Value& item : v.items()) flatten_titles(item, out);
}

} // namespace

Value CatalogCompiler::evaluate_resource(const ResourceExpr& node, Frame& frame) {
  std::string type_name = type_name_of(node, frame);
  Loc loc = evaluator_.loc_of(node);
  if (node.form() == ResourceForm::Exported && exports_ == nullptr)
    evaluator_.warn(loc, "You cannot collect exported resources without storeconfigs being set; the export is ignored");

  struct Body {
    std::vector<std::string_view> titles;
    std::vector<Param> params;
    bool is_default = false;
  };
  std::vector<Body> bodies(node.bodies.size);
  std::unordered_set<std::string_view> seen;
  const Body* defaults = nullptr;
  std::vector<Value> flat;
  size_t total = 0;
  for (uint32_t i = 0; i < node.bodies.size; ++i) {
    const ResourceBody& body = node.bodies[i];
    Body& out = bodies[i];
    Value title = evaluator_.evaluate(*body.title, frame);
    if (title.is_undef()) evaluator_.fail(ErrorCode::catalog_error, *body.title, "Missing title. The title expression resulted in undef");
    flat.clear();
    flatten_titles(title, flat);
    total += flat.size();
    bool track = node.bodies.size > 1 || flat.size() > 1;
    for (size_t k = 0; k < flat.size(); ++k) {
      const Value& t = flat[k];
      if (t.is_undef())
        evaluator_.fail(ErrorCode::catalog_error, *body.title,
                        fmt::format("Missing title at index {}. The title expression resulted in an undef title", k));
      if (t.is(Kind::Default)) {
        if (defaults != nullptr)
          evaluator_.fail(ErrorCode::catalog_error, node, "The title 'default' has already been used in this resource expression");
        defaults = &out;
        out.is_default = true;
        continue;
      }
      if (!t.is_string())
        evaluator_.fail(ErrorCode::catalog_error, *body.title,
                        fmt::format("Illegal title type at index {}. Expected String, got {}", k,
                                    generalize(evaluator_.types(), infer(evaluator_.types(), t))->to_string()));
      if (t.str().empty())
        evaluator_.fail(ErrorCode::catalog_error, *body.title,
                        fmt::format("Empty string title at {}. Title strings must have a length greater than zero.", k));
      if (track && !seen.insert(t.str()).second)
        evaluator_.fail(ErrorCode::catalog_error, node,
                        fmt::format("The title '{}' has already been used in this resource expression", t.str()));
      out.titles.push_back(t.str());
    }
    evaluate_attributes(body.operations, frame, out.params, &node);
    if (out.is_default)
      for (Param& p : out.params) set_param_source(p, ParamSource::DefaultBody);
  }

  const ResolvedType::Kind kind = resolve_type(type_name).kind;
  // Puppet looks for a name that begins with :: among the defined types only.
  const bool known = kind == ResolvedType::Kind::Define || (kind != ResolvedType::Kind::None && !type_name.starts_with("::"));
  if (!known) {
    const std::string shown = node.type_name->kind == NodeKind::Name ? type_name : capitalize_segments(type_name);
    fail_unplaced(fmt::format("Unknown resource type: '{}'", shown), ErrorCode::catalog_error);
  }

  Scope& scope = declaring_scope(frame);
  std::vector<Value> references;
  references.reserve(total);
  for (Body& body : bodies) {
    if (defaults != nullptr && &body != defaults) {
      // The default body's attributes come first, but with this body's values where it sets them.
      std::vector<Param> merged = defaults->params;
      for (const Param& p : body.params) {
        auto it = std::find_if(merged.begin(), merged.end(), [&](const Param& d) { return d.name == p.name; });
        if (it == merged.end())
          merged.push_back(p);
        else
          *it = p;
      }
      body.params = std::move(merged);
    }
    create_titles(type_name, body.titles, body.params, node.form(), scope, loc, &references);
  }
  return make_list(arena_, references);
}

void CatalogCompiler::create_titles(std::string_view type_name, std::span<const std::string_view> titles, std::span<const Param> params,
                                    ResourceForm form, Scope& scope, Loc loc, std::vector<Value>* references, const Value& title_value) {
  ResolvedType type = resolve_type(type_name);
  if (type.kind == ResolvedType::Kind::None) fail_unplaced(fmt::format("Unknown resource type: '{}'", type_name), ErrorCode::catalog_error);
  CodeUnit* source = source_of(scope);
  for (auto title : titles) {
    NewResource wanted{.type = type.id, .title = title, .kind = ResourceKind::CompilableType, .params = params};
    wanted.is_virtual = form != ResourceForm::Regular;
    wanted.exported = form == ResourceForm::Exported;
    wanted.scope = &scope;
    wanted.source = source;
    wanted.loc = loc;
    wanted.by_function = references == nullptr;
    if (wanted.by_function) wanted.how = DeclaredBy::Call;
    wanted.title_value = title_value;
    if (type.kind == ResolvedType::Kind::Class) {
      wanted.defined = find_class(title);
      if (wanted.defined == nullptr) fail_unplaced(fmt::format("Could not find declared class {}", title), ErrorCode::catalog_error);
      wanted.title = wanted.defined->name;
      wanted.kind = ResourceKind::Class;
    } else if (type.kind == ResolvedType::Kind::Define) {
      wanted.defined = type.define;
      wanted.kind = ResourceKind::CodeUnit;
    }
    ResourceId id = create(wanted);
    if (type.kind == ResolvedType::Kind::Class)
      evaluate_resource_body(id);
    else if (type.kind == ResolvedType::Kind::Define)
      pending_.push_back(id);
    if (references != nullptr) references->push_back(type_reference(id));
  }
}

Value CatalogCompiler::type_reference(ResourceId id) {
  const Resource& r = catalog_[id];
  return Value::type(resource_type(arena_, catalog_.type_name(r.type), r.title));
}

ResourceId CatalogCompiler::create(const NewResource& wanted) {
  // The parent class goes into the catalog before the class.
  const bool made = wanted.made != nullptr;
  if (!made && wanted.defined != nullptr && wanted.type == Catalog::class_type && !wanted.defined->parent_name.empty()) {
    resolve_parent(*wanted.defined);
    CodeUnit& parent = *wanted.defined->parent;
    if (catalog_.find(Catalog::class_type, capitalize_segments(parent.name)) == no_resource) {
      const ParsedFile* child = wanted.defined->file;
      const Node* definition = wanted.defined->definition;
      ensure_class(parent, *wanted.scope, DeclaredBy::Inherited,
                   {child != nullptr ? child->source.get() : nullptr, definition != nullptr ? definition->offset : 0, 0},
                   wanted.defined->name);
    }
  }
  std::string class_title;
  std::string_view title = wanted.title;
  if (wanted.type == Catalog::class_type) title = class_title = capitalize_segments(wanted.title);
  // Puppet takes the place of a function's declaration from the call stack, which names code without a file "unknown".
  static const SourceFile unknown("unknown", "");
  const SourceFile* file = wanted.loc.file;
  uint32_t line = file ? file->line(wanted.loc.offset) : 0;
  if (file != nullptr && wanted.by_function && file->path().empty()) file = &unknown;
  std::string_view path = file ? file->path() : std::string_view();
  if (made) {
    path = wanted.made->file;
    line = wanted.made->line;
  }
  ResourceId present = catalog_.find(wanted.type, title);
  if (present != no_resource) {
    std::string place = place_of(present);
    std::string message = place.empty() ? fmt::format("Duplicate declaration: {}[{}] is already declared; cannot redeclare",
                                                      catalog_.type_name(wanted.type), title)
                                        : fmt::format("Duplicate declaration: {}[{}] is already declared at {}; cannot redeclare",
                                                      catalog_.type_name(wanted.type), title, place);
    fail_unplaced(message + position_suffix(path, line, 0), ErrorCode::catalog_error);
  }
  // Two defines that declare each other twice double with every pass. Puppet would run out of memory.
  if (catalog_.size() >= max_resources)
    fail_at_line(fmt::format("The catalog has more than {} resources: do defined types declare each other without end?", max_resources),
                 file, line);
  ResourceId id = catalog_.add(wanted.type, title, wanted.kind);
  Resource& r = catalog_[id];
  r.set(Resource::is_virtual, wanted.is_virtual);
  r.set(Resource::exported, wanted.exported);
  r.set(Resource::exported_last, wanted.by_function && !wanted.exported);
  if (file != nullptr || !path.empty()) r.file = catalog_.file_index(path);
  r.line = line;
  bool text_title = wanted.title_value.is_undef();
  r.set(Resource::symbol_title, !text_title);
  if (!text_title) other_titles_.emplace(id, wanted.title_value);
  const bool catalog_only = made && wanted.container == nullptr;
  states_.push_back({wanted.scope, wanted.defined, wanted.source, file, static_cast<uint8_t>(catalog_only ? ResourceState::outside : 0)});

  catalog_.reserve_params(id, static_cast<uint32_t>(wanted.params.size()));
  for (const Param& p : wanted.params) {
    if (catalog_[id].find(p.name) != nullptr)
      fail_at_line(fmt::format("Duplicate parameter '{}' for on {}", p.name.str(), catalog_.reference(id)), file, line);
    if (p.name == sym::tag) tag_with(id, p.value);
    catalog_.set_param(id, p);
  }
  if (observer_ != nullptr) {
    tell_declared(id, wanted);
    for (const Param& p : wanted.params) note_param(id, p, {wanted.by_function ? wanted.loc.file : nullptr, line, wanted.loc.offset});
  }
  tag_with_type(id);
  if (text_title) catalog_.tag(id, title);
  apply_defaults(id, *wanted.scope);
  if (made)
    for (const Value& tag : wanted.made->tags) tag_with(id, tag);
  else if (wanted.type == Catalog::class_type || wanted.type == Catalog::node_type)
    catalog_.merge_tags_from(id);
  if (catalog_only)
    create_aliases(id);
  else
    add_resource(made ? *wanted.container : *wanted.scope, id);
  note_change(id);
  return id;
}

void CatalogCompiler::tag_with_type(ResourceId id) {
  TypeId type = catalog_[id].type;
  if (type >= type_tags_.size()) type_tags_.resize(catalog_.type_count());
  auto& tags = type_tags_[type];
  if (tags.empty()) {
    std::string_view key = catalog_.type_key(type);
    tags.push_back(catalog_.tag_id(key));
    if (key.find("::") != std::string_view::npos)
      for (auto segment : split_segments(key)) tags.push_back(catalog_.tag_id(segment));
  }
  for (TagId t : tags) catalog_.add_tag(id, t);
}

void CatalogCompiler::tag_with(ResourceId id, const Value& value) {
  if (value.is_undef()) return;
  if (value.is_list()) {
    for (const Value& v : value.items()) tag_with(id, v);
    return;
  }
  if (value.is_hash()) {
    for (const auto& e : value.hash->entries()) {
      tag_with(id, e.key);
      tag_with(id, e.value);
    }
    return;
  }
  std::string text = evaluator_.to_string(value);
  if (catalog_.tag(id, text)) return;
  const Resource& r = catalog_[id];
  fail_at_line(fmt::format("Invalid tag '{}'", downcase_name(text)), state(id).file, r.line);
}

void CatalogCompiler::set_param(ResourceId id, const Param& param, const OriginPlace& place, ResourceId from) {
  if (param.name == sym::tag) {
    tag_with(id, param.value);
    note_container_tags(id);
  }
  catalog_.set_param(id, param);
  note_param(id, param, place, from);
  if (state(id).has(ResourceState::evaluated)) state(id).flags |= ResourceState::changed;
  if (param.name == sym::alias) state(id).flags |= ResourceState::renamed;
  note_change(id);
}

void CatalogCompiler::add_resource(Scope& scope, ResourceId id) {
  create_aliases(id);
  const Resource& r = catalog_[id];
  if (r.type != Catalog::class_type) {
    const Param* stage = r.find(sym::stage);
    if (stage != nullptr && stage->value.truthy())
      fail_unplaced(fmt::format("Only classes can set 'stage'; normal resources like {} cannot change run stage", catalog_.reference(id)),
                    ErrorCode::catalog_error);
  }
  // Stages are top-level containers wherever they are declared, and classes are contained in their stages.
  if (r.type == Catalog::stage_type || r.type == Catalog::class_type) return;
  catalog_.add_edge(scope.resource, id);
}

void CatalogCompiler::create_aliases(ResourceId id, bool explicit_only) {
  const Resource& r = catalog_[id];
  auto add = [&](std::string_view key, const std::string& shown, const std::string& shown_full) {
    if (key == r.title || catalog_.add_alias(id, key)) return;
    ResourceId other = catalog_.find(r.type, key);
    const Resource& o = catalog_[other];
    std::string place = place_of(id);
    fail_unplaced(fmt::format("Cannot alias {} to {}{}; resource {} already declared{}", catalog_.reference(id), shown,
                              place.empty() ? "" : " at " + place, shown_full, position_suffix(catalog_.file_name(o.file), o.line, 0)),
                  ErrorCode::catalog_error);
  };
  if (const Param* alias = r.find(sym::alias); alias != nullptr && !alias->value.is_undef()) {
    std::vector<Value> names;
    flatten_titles(alias->value, names);
    for (const Value& v : names) {
      if (v.is_undef()) continue;
      std::string key = evaluator_.to_string(v);
      std::string shown = ruby_inspect(v);
      add(arena_.copy(key), shown, fmt::format("[\"{}\", {}]", catalog_.type_name(r.type), shown));
    }
  }
  if (explicit_only) return;
  UniquenessKey key = uniqueness_key(catalog_, r.type, r.title, r.parameters());
  if (!key.problem.empty()) fail_unplaced(std::move(key.problem), ErrorCode::catalog_error);
  if (!key.none())
    add(arena_.copy(key.key), fmt::format("[{}]", key.display), fmt::format("[\"{}\", {}]", catalog_.type_name(r.type), key.flat_display));
}

// ---------------------------------------------------------------------------------------------------------------------
// defaults

Value CatalogCompiler::evaluate_defaults(const ResourceDefaults& node, Frame& frame) {
  Value v = evaluator_.evaluate(*node.type_ref, frame);
  const Type* type = as_type(v);
  std::string name = type != nullptr && type->kind == TypeKind::Resource ? downcase_name(type_cast<ResourceType>(type).type_name)
                                                                         : std::string();
  if (name.empty() || type_cast<ResourceType>(type).has_title)
    evaluator_.fail(ErrorCode::catalog_error, *node.type_ref,
                    fmt::format("Illegal Resource Type expression, expected result to be a type name, or untitled Resource, got {}",
                                generalize(evaluator_.types(), infer(evaluator_.types(), v))->to_string()));
  std::vector<Param> params;
  evaluate_attributes(node.operations, frame, params, nullptr);
  for (Param& p : params) set_param_source(p, ParamSource::ResourceDefault);
  Scope& scope = declaring_scope(frame);
  if (scope.defaults == nullptr) scope.defaults = &defaults_.emplace_back();
  TypeId id = catalog_.type_id(name.starts_with("::") ? std::string_view(name).substr(2) : std::string_view(name));
  DefaultsTable::PerType* table = nullptr;
  for (auto& t : scope.defaults->types)
    if (t.type == id) table = &t;
  if (table == nullptr) table = &scope.defaults->types.emplace_back(DefaultsTable::PerType{id, {}});
  for (const Param& p : params) {
    for (const Param& present : table->params)
      if (present.name == p.name) {
        const SourceFile* file = origins_[p.origin].file;
        fail_at_line(fmt::format("Default already defined for {} {{ {} }}; cannot redefine", catalog_.type_name(id), p.name.str()), file,
                     file ? file->line(p.position) : 0);
      }
    table->params.push_back(p);
  }
  if (id >= types_with_defaults_.size()) types_with_defaults_.resize(id + 1, false);
  types_with_defaults_[id] = true;
  return v;
}

void CatalogCompiler::collect_defaults(const Scope* scope, TypeId type, std::vector<Param>& out) const {
  if (scope == nullptr || type >= types_with_defaults_.size() || !types_with_defaults_[type]) return;
  // Outer scopes first: the value of an inner scope replaces that of an outer one.
  std::vector<const std::vector<Param>*> tables;
  for (const Scope* s = scope; s != nullptr; s = s->parent)
    if (s->defaults != nullptr)
      if (const auto* params = s->defaults->find(type)) tables.push_back(params);
  for (size_t i = tables.size(); i-- > 0;)
    for (const Param& p : *tables[i]) {
      auto it = std::find_if(out.begin(), out.end(), [&](const Param& q) { return q.name == p.name; });
      if (it == out.end())
        out.push_back(p);
      else
        *it = p;
    }
}

void CatalogCompiler::apply_defaults(ResourceId id, Scope& scope) {
  std::vector<Param> defaults;
  collect_defaults(&scope, catalog_[id].type, defaults);
  for (const Param& p : defaults) {
    if (catalog_[id].find(p.name) != nullptr) continue;
    catalog_.set_param(id, p);
    note_param(id, p);
    if (p.name == sym::tag) tag_with(id, p.value);
  }
}

bool CatalogCompiler::is_default(const Scope* scope, TypeId type, Symbol name, const Value& value) const {
  if (type >= types_with_defaults_.size() || !types_with_defaults_[type]) return false;
  for (const Scope* s = scope; s != nullptr; s = s->parent) {
    const auto* params = s->defaults ? s->defaults->find(type) : nullptr;
    if (params == nullptr) continue;
    for (const Param& p : *params)
      if (p.name == name && eql(p.value, value)) return true;
  }
  return false;
}

bool CatalogCompiler::valid_parameter(ResourceId id, std::string_view name) const {
  Symbol symbol = find_symbol(name);
  if (!symbol) return false;
  if (is_metaparameter(symbol)) return true;
  const Resource& r = catalog_[id];
  if (const CodeUnit* type = states_[id].type) {
    if (symbol == sym::name) return true;
    for (const Parameter& p : type->parameters())
      if (p.name == symbol) return true;
    return false;
  }
  return native_parameter(catalog_, r.type, symbol);
}

std::vector<Param> CatalogCompiler::params_of(std::span<const HashEntry> attributes, CodeUnit* source) {
  std::vector<Param> params;
  params.reserve(attributes.size());
  const uint32_t origin = origin_of(source, nullptr);
  for (const auto& e : attributes) {
    Param p;
    p.name = intern(e.key.is_string() ? e.key.str() : std::string_view());
    p.origin = origin;
    set_param_source(p, ParamSource::Call);
    p.value = catalog_value(e.value, false);
    params.push_back(p);
  }
  return params;
}

void CatalogCompiler::create_resource(std::string_view type, const Value& title, std::span<const HashEntry> attributes, ResourceForm form,
                                      Frame& caller, Loc loc) {
  Scope& scope = declaring_scope(caller);
  const std::vector<Param> params = params_of(attributes, source_of(scope));
  bool is_text = title.is_string() || type == "class";
  std::string_view text = title.is_string() ? title.str() : arena_.copy(ruby_to_s(title));
  create_titles(type, {&text, 1}, params, form, scope, loc, nullptr, is_text ? Value::undef() : title);
}

} // namespace pupc::compiler
