#include "compiler/types/object_definition.h"

#include "catalog/value/source_text.h"
#include "compiler/types/lookup_context.h"
#include "compiler/types/runtime_object.h"

#include "compiler/types/value_text.h"

#include <algorithm>
#include <fmt/format.h>

namespace pupc::compiler {
namespace {

const ObjectType* parent_of(const ObjectType& t) {
  const Type* p = t.parent;
  while (p != nullptr && p->kind == TypeKind::TypeAlias) p = type_cast<TypeAliasType>(p).resolved;
  if (p == nullptr || (p->kind != TypeKind::Object && p->kind != TypeKind::Deferred && p->kind != TypeKind::Error)) return nullptr;
  return static_cast<const ObjectType*>(p);
}

bool object_kind(const Type* t) { return t->kind == TypeKind::Object || t->kind == TypeKind::Deferred || t->kind == TypeKind::Error; }

} // namespace

std::vector<ObjectAttribute> all_attributes(const ObjectType& type) {
  std::vector<ObjectAttribute> out;
  if (const ObjectType* p = parent_of(type)) out = all_attributes(*p);
  for (const ObjectAttribute& a : type.attributes) {
    bool replaced = false;
    for (ObjectAttribute& known : out)
      if (known.name == a.name) {
        known = a;
        replaced = true;
      }
    if (!replaced) out.push_back(a);
  }
  return out;
}

std::vector<ObjectAttribute> settable_attributes(const ObjectType& type) {
  std::vector<ObjectAttribute> required, optional;
  for (const ObjectAttribute& a : all_attributes(type)) {
    if (a.kind == ObjectAttribute::Kind::Constant || a.kind == ObjectAttribute::Kind::Derived) continue;
    (a.has_value ? optional : required).push_back(a);
  }
  required.insert(required.end(), optional.begin(), optional.end());
  return required;
}

namespace {

bool may_be_missing(TypeContext& ctx, const ObjectAttribute& a) { return a.has_value || is_assignable(ctx, a.type, types::undef()); }

} // namespace

ConstructorSet object_constructors(TypeContext& ctx, const Type* type) {
  const auto& object = *static_cast<const ObjectType*>(type);
  ConstructorSet set;
  if (object.name.empty()) return set;
  set.function = ctx.arena.copy("new_" + std::string(object.name));
  std::vector<StructElement> elements;
  for (const ObjectAttribute& a : all_attributes(object)) {
    if (a.kind == ObjectAttribute::Kind::Constant || a.kind == ObjectAttribute::Kind::Derived) continue;
    const Type* literal = types::string_literal(ctx.arena, a.name);
    bool optional = may_be_missing(ctx, a);
    elements.push_back({a.name, optional ? types::wrapper(ctx.arena, TypeKind::Optional, literal) : literal, a.type, optional});
  }
  const Type* hash[] = {types::structure(ctx.arena, elements)};
  if (type != types::annotation() && type != lookup_context_type())
    set.list.push_back({callable_type(ctx.arena, hash, 1, 1), {"hash"}, ConstructorCode::object_from_hash});
  std::vector<const Type*> types;
  std::vector<std::string_view> names;
  int64_t required = 0;
  for (const ObjectAttribute& a : settable_attributes(object)) {
    types.push_back(a.type);
    names.push_back(a.name);
    required += may_be_missing(ctx, a) ? 0 : 1;
  }
  set.list.push_back(
      {callable_type(ctx.arena, types, required, static_cast<int64_t>(types.size())), names, ConstructorCode::object_from_args});
  return set;
}

std::string ObjectValue::to_string() const {
  std::string out(type->name);
  out += "({";
  if (type == lookup_context_type()) return out + "})"; // Puppet's class tells nothing of itself
  bool first = true;
  for (const ObjectAttribute& a : all_attributes(*type)) {
    const Value* v = attributes->find(a.name);
    if (v == nullptr) continue;
    if (!first) out += ", ";
    first = false;
    out += to_puppet_quoted(a.name) + " => ";
    append_literal(out, *v);
  }
  return out + "})";
}

bool ObjectValue::equals(const Opaque& other) const {
  const auto* o = dynamic_cast<const ObjectValue*>(&other);
  if (o == nullptr || !type->equals(*o->type)) return false;
  if (!type->has_equality) return eql(Value::of(attributes), Value::of(o->attributes));
  for (std::string_view name : type->equality) {
    Value a, b;
    object_attribute(Value::opaque_of(Kind::Object, this), name, a);
    object_attribute(Value::opaque_of(Kind::Object, o), name, b);
    if (!eql(a, b)) return false;
  }
  return true;
}
uint64_t ObjectValue::hash() const { return type->hash(); }
Value ObjectValue::to_rich_data(Arena& arena) const {
  HashBuilder h(arena);
  h.set("__ptype", Value::string(type->name));
  // The values are positional, so only trailing ones that equal their defaults may be left out.
  auto all = settable_attributes(*type);
  while (!all.empty() && attributes->find(all.back().name) == nullptr) all.pop_back();
  for (const ObjectAttribute& a : all) {
    const Value* v = attributes->find(a.name);
    h.set(a.name, v != nullptr ? *v : a.value);
  }
  return h.finish();
}

const Type* object_type_of(const Value& v) { return static_cast<const ObjectValue*>(v.opaque)->type; }

bool object_attribute(const Value& object, std::string_view name, Value& out) {
  const ObjectValue* o = as_object(object);
  if (o == nullptr) return false;
  for (const ObjectAttribute& a : all_attributes(*o->type)) {
    if (a.name != name) continue;
    const Value* v = o->attributes->find(name);
    out = v != nullptr ? *v : a.value;
    return true;
  }
  return false;
}

const ObjectFunction* find_object_function(const ObjectType& type, std::string_view name) {
  for (const ObjectType* t = &type; t != nullptr; t = parent_of(*t))
    for (const ObjectFunction& f : t->functions)
      if (f.name == name) return &f;
  return nullptr;
}

const ObjectAttribute* find_object_attribute(const ObjectType& type, std::string_view name) {
  for (const ObjectType* t = &type; t != nullptr; t = parent_of(*t))
    for (const ObjectAttribute& a : t->attributes)
      if (a.name == name) return &a;
  return nullptr;
}

bool object_assignable(TypeContext&, const Type* to, const Type* from) {
  if (to->kind == TypeKind::TypeSet) return from->kind == TypeKind::TypeSet && (to == types::type_set() || to->equals(*from));
  if (from->kind == TypeKind::ObjectExtension) from = type_cast<ObjectExtensionType>(from).object;
  if (!object_kind(from)) return false;
  const auto& t = *static_cast<const ObjectType*>(to);
  if (t.name.empty() && t.attributes.empty() && t.functions.empty()) return true; // plain Object
  for (const auto* o = static_cast<const ObjectType*>(from); o != nullptr; o = parent_of(*o))
    if (to->equals(*o)) return true;
  return false;
}

bool object_instance(TypeContext& ctx, const Type* type, const Value& v) {
  if (v.is_type()) return type == types::object(); // types are objects themselves
  if (v.is(Kind::Deferred)) return object_assignable(ctx, type, types::deferred());
  if (as_runtime_object(v) != nullptr) return false;
  return v.is(Kind::Object) && object_assignable(ctx, type, object_type_of(v));
}

namespace types {
namespace {

/// The attributes of the built-in object types. Their types live as long as the process.
struct BuiltinObjects {
  Arena arena;
  RegexCache regexes;
  ObjectType plain, annotation, pcore, deferred{TypeKind::Deferred}, error{TypeKind::Error};
  TypeSetType type_set;
  std::vector<ObjectFunction> error_functions;
  std::vector<ObjectAttribute> deferred_attributes, error_attributes, error_parameters;

  BuiltinObjects() {
    struct NoTypes : TypeContext {
      using TypeContext::TypeContext;
      const Type* load_type(std::string_view) override { return nullptr; }
      bool resource_type_exists(std::string_view) override { return false; }
    } ctx(arena, regexes);
    auto attribute = [&](std::string_view name, std::string_view type, bool optional) {
      ObjectAttribute a;
      a.name = name;
      a.type = parse_type(ctx, type);
      a.has_value = optional;
      return a;
    };
    deferred_attributes = {attribute("name", "Pattern[/\\A[$]?[a-z][a-z0-9_]*(?:::[a-z][a-z0-9_]*)*\\z/]", false),
                           attribute("arguments", "Optional[Array[Any]]", true)};
    error_attributes = {attribute("msg", "String[1]", false), attribute("kind", "Optional[String[1]]", true),
                        attribute("details", "Optional[Hash[String[1],Data]]", true), attribute("issue_code", "Optional[String[1]]", true)};
    type_set.name = "DefaultTypeSet";
    type_set.name_authority = "http://puppet.com/2016.1/runtime";
    type_set.pcore_uri = "http://puppet.com/2016.1/pcore";
    type_set.pcore_version = "1.0.0";
    type_set.version = "0.0.0";
    error_functions.emplace_back();
    error_functions[0].name = "message";
    error_functions[0].type = parse_type(ctx, "Callable[[0, 0], String[1]]");
    error.functions = error_functions;
    annotation.name = "Annotation";
    pcore.name = "Pcore";
    deferred.name = "Deferred";
    deferred.attributes = deferred_attributes;
    error.name = "Error";
    error.attributes = error_attributes;
    static constexpr const char* matcher = "Optional[Variant[String,Regexp,Type[Enum],Type[Pattern],Type[NotUndef],Type[Undef]]]";
    error_parameters = {attribute("kind", matcher, false), attribute("issue_code", matcher, false)};
    error.type_parameters = error_parameters;
  }
};
const BuiltinObjects& builtin_objects() {
  static const BuiltinObjects objects;
  return objects;
}

} // namespace

const Type* object() { return &builtin_objects().plain; }
const Type* annotation() { return &builtin_objects().annotation; }
const Type* pcore() { return &builtin_objects().pcore; }
const Type* deferred() { return &builtin_objects().deferred; }
const Type* error() { return &builtin_objects().error; }
const Type* type_set() { return &builtin_objects().type_set; }

} // namespace types
} // namespace pupc::compiler
