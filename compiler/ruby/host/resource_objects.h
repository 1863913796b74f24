#pragma once
// Scopes, classes and resources among the objects of puppet_objects.h, and what all of these objects share.
#include "catalog/base/text.h"
#include "catalog/graph/catalog.h"
#include "catalog/graph/tags.h"
#include "catalog/schema/resource_type.h"
#include "compiler/eval/catalog_builder.h"
#include "compiler/ruby/host/evaluator_host.h"
#include "compiler/types/given_back.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace pupc::compiler {

using ruby::HostObject;
using ruby::ObjectCall;
using ruby::RubyClass;
using ruby::RubyKind;
using ruby::RubyValue;

/// The objects of one call, and what they work on.
class ObjectRoom {
public:
  ObjectRoom(Evaluator& evaluator, Frame& frame, Loc place) : e(evaluator), main(frame), loc(place) {}

  Evaluator& e;
  Frame& main;
  Loc loc;
  bool changed = false;

  CatalogBuilder& builder() { return e.catalog(); }
  Catalog& catalog() { return e.catalog().catalog(); }
  template <class T, class... Args> T* make(Args&&... args) {
    auto made = std::make_unique<T>(*this, std::forward<Args>(args)...);
    T* out = made.get();
    objects_.push_back(std::move(made));
    return out;
  }
  /// Called before each change.
  void change(const ObjectCall& c) {
    c.tools.before_change();
    changed = true;
  }

private:
  std::vector<std::unique_ptr<HostObject>> objects_;
};

namespace puppet_objects {

using Room = ObjectRoom;

/// A text or symbol; leaves the code to Ruby for anything else.
inline std::string_view text_of(const ObjectCall& c, const RubyValue& v) {
  if (!v.is_string() && !v.is_symbol()) c.tools.leave(fmt::format("the argument of {}", c.name));
  return v.text();
}

inline std::string_view without_colons(std::string_view name) { return name.starts_with("::") ? name.substr(2) : name; }

/// A kind of object with a table of its methods.
template <class Self> class Object : public HostObject {
public:
  explicit Object(Room& r) : room(r) {}

  struct Method {
    std::string_view name;
    RubyValue (Self::*run)(const ObjectCall&);
    uint8_t least, most;
    bool changes = false;
  };

  RubyValue call(const ObjectCall& c) override {
    for (const Method& m : Self::methods) {
      if (m.name != c.name) continue;
      if (c.has_block || c.args.size() < m.least || c.args.size() > m.most) break;
      if (m.changes) room.change(c);
      return (static_cast<Self*>(this)->*m.run)(c);
    }
    c.tools.leave(fmt::format("{} of {}", c.name, name()));
  }

  Room& room;
};

class ScopeObject;
class ResourceObject;
class TypeObject;

// ---------------------------------------------------------------------------------------------------------------------

/// Puppet::Resource::Type: a class or define.
class TypeObject final : public Object<TypeObject> {
public:
  TypeObject(Room& r, bool is_define, std::string type_name) : Object(r), define(is_define), type_name_(std::move(type_name)) {}
  std::string_view name() const override { return "Puppet::Resource::Type"; }
  bool is(const HostObject& other) const override {
    const auto* type = dynamic_cast<const TypeObject*>(&other);
    return type != nullptr && type->define == define && type->type_name_ == type_name_;
  }
  const std::string& type_name() const { return type_name_; }

  const bool define;

  RubyValue get_name(const ObjectCall& c) { return c.tools.text(type_name_); }
  RubyValue get_type(const ObjectCall& c) { return c.tools.symbol(define ? "definition" : "hostclass"); }
  RubyValue is_class(const ObjectCall&) { return RubyValue::boolean(!define); }
  RubyValue is_definition(const ObjectCall&) { return RubyValue::boolean(define); }
  RubyValue module_name(const ObjectCall& c) {
    const DefinitionEntry* found = entry();
    if (found == nullptr) return {};
    return c.tools.text(found->module != nullptr ? found->module->name : std::string());
  }
  RubyValue file(const ObjectCall& c) {
    const DefinitionEntry* found = entry();
    return found == nullptr ? RubyValue() : c.tools.text(found->file->source->path());
  }
  RubyValue line(const ObjectCall&) {
    const DefinitionEntry* found = entry();
    return found == nullptr ? RubyValue() : RubyValue::integer(found->file->source->line(found->definition->offset));
  }
  RubyValue evaluate_code(const ObjectCall& c);
  RubyValue ensure_in_catalog(const ObjectCall& c);

  static constexpr Method methods[] = {{"name", &TypeObject::get_name, 0, 0},
                                       {"type", &TypeObject::get_type, 0, 0},
                                       {"resource_type", &TypeObject::get_type, 0, 0},
                                       {"hostclass?", &TypeObject::is_class, 0, 0},
                                       {"host_class?", &TypeObject::is_class, 0, 0},
                                       {"definition?", &TypeObject::is_definition, 0, 0},
                                       {"module_name", &TypeObject::module_name, 0, 0},
                                       {"file", &TypeObject::file, 0, 0},
                                       {"line", &TypeObject::line, 0, 0},
                                       {"evaluate_code", &TypeObject::evaluate_code, 1, 1, true},
                                       {"ensure_in_catalog", &TypeObject::ensure_in_catalog, 1, 1, true}};

private:
  /// What the environment's files say of it; null for one that Ruby code made.
  const DefinitionEntry* entry() const {
    const Environment& environment = room.e.environment();
    return define ? environment.find_define(type_name_, nullptr) : environment.find_class(type_name_, nullptr);
  }
  std::string type_name_;
};

/// Puppet::Parser::Resource: one of the catalog (`id`), or one that is being made.
class ResourceObject final : public Object<ResourceObject> {
public:
  ResourceObject(Room& r, ResourceId resource) : Object(r), id(resource) {}
  ResourceObject(Room& r, std::string of_type, std::string with_title, Frame& in)
      : Object(r), type(std::move(of_type)), title(std::move(with_title)), scope(&in) {}
  std::string_view name() const override { return "Puppet::Parser::Resource"; }
  std::string text() const override { return fmt::format("{}[{}]", type_text(), title_text()); }
  bool is(const HostObject& other) const override {
    const auto* resource = dynamic_cast<const ResourceObject*>(&other);
    return resource != nullptr && resource->text() == text();
  }
  std::optional<Value> value() const override;

  ResourceId id = no_resource;
  std::string type, title; // of one that is being made, as are all that follow
  Frame* scope = nullptr;
  std::vector<std::pair<std::string, Value>> parameters;
  std::vector<Value> own_tags;
  bool is_virtual = false, is_exported = false;
  std::string in_file;
  uint32_t at_line = 0;

  bool found() const { return id != no_resource; }
  const Resource& resource() const { return room.e.catalog().catalog()[id]; }
  std::string_view type_text() const { return found() ? room.e.catalog().catalog().type_name(resource().type) : std::string_view(type); }
  std::string_view title_text() const { return found() ? resource().title : std::string_view(title); }

  /// Puts a made one into the catalog.
  void add(Frame* container) {
    std::vector<HashEntry> entries;
    for (const auto& [key, value] : parameters) entries.push_back({Value::string(room.e.arena().copy(key)), value});
    MadeResource made{.type = type, .title = title, .parameters = entries, .tags = own_tags, .is_virtual = is_virtual};
    made.exported = is_exported;
    made.file = in_file;
    made.line = at_line;
    id = room.builder().add_made(made, *scope, container);
  }

  RubyValue get_type(const ObjectCall& c) { return c.tools.text(std::string(type_text())); }
  RubyValue get_title(const ObjectCall& c) {
    if (found() && resource().has(Resource::symbol_title)) c.tools.leave("the title of this resource");
    return c.tools.text(std::string(title_text()));
  }
  RubyValue ref(const ObjectCall& c) { return c.tools.text(text()); }
  RubyValue get(const ObjectCall& c) {
    const std::string_view wanted = text_of(c, c.args[0]);
    if (wanted == "title") return get_title(c);
    if (found()) {
      const Symbol symbol = find_symbol(wanted);
      const Param* param = symbol ? resource().find(symbol) : nullptr;
      return param != nullptr ? c.tools.to_ruby(param->value) : RubyValue();
    }
    for (const auto& [key, value] : parameters)
      if (key == wanted) return c.tools.to_ruby(value);
    return {};
  }
  RubyValue get_name(const ObjectCall& c) {
    const RubyValue key = c.tools.symbol("name");
    const RubyValue own = get({"[]", {&key, 1}, false, c.tools});
    return own.truthy() ? own : get_title(c);
  }
  RubyValue has(const ObjectCall& c) {
    const std::string_view wanted = text_of(c, c.args[0]);
    if (!found()) return RubyValue::boolean(std::ranges::any_of(parameters, [&](const auto& p) { return p.first == wanted; }));
    const Symbol symbol = find_symbol(wanted);
    return RubyValue::boolean(symbol && resource().find(symbol) != nullptr);
  }
  RubyValue set(const ObjectCall& c) {
    const std::string key(text_of(c, c.args[0]));
    const Value value = c.tools.to_puppet(c.args[1]);
    if (found()) {
      room.catalog().set_param(id, Param{.name = intern(key), .value = value});
    } else {
      if (key == "tag") {
        if (!value.is_string() && !value.is_list()) c.tools.leave("a tag of a resource that is being made");
        if (value.is_string()) own_tags.push_back(value);
        if (value.is_list()) own_tags.insert(own_tags.end(), value.items().begin(), value.items().end());
      }
      const auto known = std::ranges::find(parameters, key, &std::pair<std::string, Value>::first);
      if (known != parameters.end())
        known->second = value;
      else
        parameters.emplace_back(key, value);
    }
    return c.args[1];
  }
  RubyValue tags(const ObjectCall& c) {
    if (!found()) c.tools.leave("the tags of a resource that is being made");
    std::vector<RubyValue> out;
    for (TagId tag : resource().tag_ids()) out.push_back(c.tools.text(std::string(room.catalog().tag_text(tag))));
    return c.tools.list(std::move(out));
  }
  RubyValue tagged(const ObjectCall& c) {
    if (!found()) c.tools.leave("the tags of a resource that is being made");
    const std::string wanted = ascii_lower(text_of(c, c.args[0]));
    for (TagId tag : resource().tag_ids())
      if (room.catalog().tag_text(tag) == wanted) return RubyValue::boolean(true);
    return RubyValue::boolean(false);
  }
  RubyValue tag(const ObjectCall& c) {
    for (const RubyValue& name : c.args) {
      if (!found()) own_tags.push_back(c.tools.to_puppet(name));
      if (!found()) continue;
      room.catalog().tag(id, ascii_lower(text_of(c, name)));
    }
    return {};
  }
  RubyValue get_virtual(const ObjectCall&) { return RubyValue::boolean(found() ? resource().has(Resource::is_virtual) : is_virtual); }
  RubyValue get_exported(const ObjectCall&) { return RubyValue::boolean(found() ? resource().has(Resource::exported) : is_exported); }
  RubyValue file(const ObjectCall& c) {
    if (found()) return resource().file == 0 ? RubyValue() : c.tools.text(std::string(room.catalog().file_name(resource().file)));
    return in_file.empty() ? RubyValue() : c.tools.text(in_file);
  }
  RubyValue line(const ObjectCall&) {
    const uint32_t number = found() ? resource().line : at_line;
    return number == 0 ? RubyValue() : RubyValue::integer(number);
  }
  RubyValue to_hash(const ObjectCall& c) {
    if (!found()) c.tools.leave("to_hash of a resource that is being made");
    const std::string lower = ascii_lower(type_text());
    const ResourceTypeInfo* info = room.e.environment().find_resource_type(lower);
    RubyValue out = c.tools.new_hash();
    out.h->set(c.tools.symbol(info != nullptr ? info->namevar().str() : std::string_view("name")), get_title(c));
    for (const Param& p : resource().parameters()) out.h->set(c.tools.symbol(p.name.str()), c.tools.to_ruby(p.value));
    return out;
  }
  RubyValue is_class(const ObjectCall&) { return RubyValue::boolean(type_text() == "Class"); }
  RubyValue resource_type(const ObjectCall& c) {
    if (type_text() == "Class") return RubyValue::of(room.make<TypeObject>(false, ascii_lower(title_text())));
    const std::string lower = ascii_lower(type_text());
    if (!room.builder().define_known(lower)) c.tools.leave("the type of a resource");
    return RubyValue::of(room.make<TypeObject>(true, lower));
  }
  RubyValue evaluate(const ObjectCall& c) {
    if (!found()) c.tools.leave("evaluate of a resource that is being made");
    room.builder().evaluate_made(id, false);
    return {};
  }
  RubyValue get_scope(const ObjectCall& c);

  static constexpr Method methods[] = {{"type", &ResourceObject::get_type, 0, 0},
                                       {"title", &ResourceObject::get_title, 0, 0},
                                       {"ref", &ResourceObject::ref, 0, 0},
                                       {"to_ref", &ResourceObject::ref, 0, 0},
                                       {"name", &ResourceObject::get_name, 0, 0},
                                       {"[]", &ResourceObject::get, 1, 1},
                                       {"[]=", &ResourceObject::set, 2, 2, true},
                                       {"set_parameter", &ResourceObject::set, 2, 2, true},
                                       {"key?", &ResourceObject::has, 1, 1},
                                       {"has_key?", &ResourceObject::has, 1, 1},
                                       {"include?", &ResourceObject::has, 1, 1},
                                       {"tags", &ResourceObject::tags, 0, 0},
                                       {"tagged?", &ResourceObject::tagged, 1, 1},
                                       {"tag", &ResourceObject::tag, 1, 255, true},
                                       {"virtual", &ResourceObject::get_virtual, 0, 0},
                                       {"virtual?", &ResourceObject::get_virtual, 0, 0},
                                       {"exported", &ResourceObject::get_exported, 0, 0},
                                       {"exported?", &ResourceObject::get_exported, 0, 0},
                                       {"file", &ResourceObject::file, 0, 0},
                                       {"line", &ResourceObject::line, 0, 0},
                                       {"to_hash", &ResourceObject::to_hash, 0, 0},
                                       {"class?", &ResourceObject::is_class, 0, 0},
                                       {"resource_type", &ResourceObject::resource_type, 0, 0},
                                       {"evaluate", &ResourceObject::evaluate, 0, 0, true},
                                       {"scope", &ResourceObject::get_scope, 0, 0}};
};

// ---------------------------------------------------------------------------------------------------------------------

/// Puppet::Parser::Scope.
class ScopeObject final : public Object<ScopeObject> {
public:
  ScopeObject(Room& r, Frame& scope_frame) : Object(r), frame(scope_frame) {}
  std::string_view name() const override { return "Puppet::Parser::Scope"; }
  std::string text() const override { return frame.scope != nullptr ? scope_source(*frame.scope) : "Scope()"; }
  bool is(const HostObject& other) const override {
    const auto* scope = dynamic_cast<const ScopeObject*>(&other);
    return scope != nullptr && &scope->frame == &frame;
  }

  Frame& frame;

  RubyValue lookupvar(const ObjectCall& c) {
    if (!c.args[0].is_string()) c.tools.leave("a variable's name that is no string");
    const std::string_view variable = c.args[0].text();
    Value found;
    if (room.e.lookup_variable(variable, frame, found)) return c.tools.to_ruby(found);
    const ruby::RubyHost::Unknown unknown = EvaluatorHost(room.e, frame).unknown_variable(variable);
    if (unknown.needs_ruby) c.tools.leave(fmt::format("the unknown variable '{}'", variable));
    if (!unknown.error.empty()) c.tools.raise(RubyClass::ArgumentError, unknown.error);
    return {};
  }
  RubyValue include(const ObjectCall& c) {
    Value found;
    return RubyValue::boolean(room.e.lookup_variable(text_of(c, c.args[0]), frame, found) && !found.is_undef());
  }
  RubyValue exist(const ObjectCall& c) {
    Value found;
    return RubyValue::boolean(room.e.lookup_variable(without_colons(text_of(c, c.args[0])), frame, found));
  }
  RubyValue call_function(const ObjectCall& c) {
    const std::string_view function = text_of(c, c.args[0]);
    const RubyValue& given = c.args[1];
    std::vector<RubyValue> values;
    if (given.is_array())
      values = given.a->items;
    else if (given.is_string())
      values = {given};
    else if (!given.is_nil())
      c.tools.leave("the arguments of call_function");
    std::vector<Value> args;
    for (const RubyValue& v : values) args.push_back(argument_from_ruby(room.e.arena(), function, c.tools.to_puppet(v)));
    return c.tools.to_ruby(room.e.call_function(without_colons(function), args, nullptr, frame, room.loc));
  }
  RubyValue setvar(const ObjectCall& c) {
    if (!c.args[0].is_string()) c.tools.leave("a variable's name that is no string");
    room.e.assign(c.args[0].text(), c.tools.to_puppet(c.args[1]), frame);
    return c.args[1];
  }
  RubyValue source(const ObjectCall& c);
  RubyValue compiler(const ObjectCall& c);
  RubyValue catalog(const ObjectCall& c);
  RubyValue environment(const ObjectCall& c);
  RubyValue node(const ObjectCall& c);
  RubyValue known_resource_types(const ObjectCall& c);
  RubyValue findresource(const ObjectCall& c);
  RubyValue find_hostclass(const ObjectCall& c);
  RubyValue find_definition(const ObjectCall& c);
  RubyValue class_scope(const ObjectCall& c) {
    std::string wanted;
    if (c.args[0].is(RubyKind::Host)) {
      const auto* type = dynamic_cast<const TypeObject*>(c.args[0].host);
      if (type == nullptr) c.tools.leave("class_scope of something else than a class");
      wanted = type->type_name();
    } else {
      wanted = ascii_lower(without_colons(text_of(c, c.args[0])));
    }
    const Scope* scope = room.builder().class_scope(wanted);
    return scope == nullptr ? RubyValue() : RubyValue::of(room.make<ScopeObject>(*scope->frame));
  }
  RubyValue resource(const ObjectCall&) {
    const ResourceId id = room.builder().container_of(frame);
    return id == no_resource ? RubyValue() : RubyValue::of(room.make<ResourceObject>(id));
  }
  RubyValue parent(const ObjectCall&) {
    const Scope* scope = frame.scope;
    if (scope == nullptr || scope->parent == nullptr) return {};
    return RubyValue::of(room.make<ScopeObject>(*scope->parent->frame));
  }
  RubyValue tags(const ObjectCall& c) {
    const ResourceId id = room.builder().container_of(frame);
    std::vector<RubyValue> out;
    if (id != no_resource)
      for (TagId tag : room.catalog()[id].tag_ids()) out.push_back(c.tools.text(std::string(room.catalog().tag_text(tag))));
    return c.tools.list(std::move(out));
  }
  RubyValue shown(const ObjectCall& c) { return c.tools.text(text()); }

  static constexpr Method methods[] = {{"lookupvar", &ScopeObject::lookupvar, 1, 1},
                                       {"[]", &ScopeObject::lookupvar, 1, 1},
                                       {"include?", &ScopeObject::include, 1, 1},
                                       {"exist?", &ScopeObject::exist, 1, 1},
                                       {"bound?", &ScopeObject::exist, 1, 1},
                                       {"call_function", &ScopeObject::call_function, 2, 2, true},
                                       {"setvar", &ScopeObject::setvar, 2, 2, true},
                                       {"[]=", &ScopeObject::setvar, 2, 2, true},
                                       {"source", &ScopeObject::source, 0, 0},
                                       {"compiler", &ScopeObject::compiler, 0, 0},
                                       {"catalog", &ScopeObject::catalog, 0, 0},
                                       {"environment", &ScopeObject::environment, 0, 0},
                                       {"node", &ScopeObject::node, 0, 0},
                                       {"known_resource_types", &ScopeObject::known_resource_types, 0, 0},
                                       {"findresource", &ScopeObject::findresource, 1, 2},
                                       {"find_hostclass", &ScopeObject::find_hostclass, 1, 1},
                                       {"find_definition", &ScopeObject::find_definition, 1, 1},
                                       {"class_scope", &ScopeObject::class_scope, 1, 1},
                                       {"resource", &ScopeObject::resource, 0, 0},
                                       {"parent", &ScopeObject::parent, 0, 0},
                                       {"tags", &ScopeObject::tags, 0, 0},
                                       {"inspect", &ScopeObject::shown, 0, 0}};
};

} // namespace puppet_objects
} // namespace pupc::compiler
