#pragma once
// Object types: those declared in Puppet (Object[{…}]), and the built-in Deferred and Error.
#include "compiler/types/constructor.h"
#include "compiler/types/core_types.h"

namespace pupc::compiler {

struct ObjectAttribute {
  enum class Kind : uint8_t { Plain, Constant, Derived, GivenOrDerived, Reference };
  std::string_view name;
  const Type* type = nullptr;
  Kind kind = Kind::Plain;
  bool has_value = false;
  bool implied_value = false; // undef, because the type is Optional
  bool inferred = false;      // a constant whose type is just the type of its value
  bool final = false;
  bool override_ = false;
  Value value;
  const Hash* annotations = nullptr; // as those of ObjectType
};
struct ObjectFunction {
  std::string_view name;
  const Type* type = nullptr; // a Callable
  bool final = false;
  bool override_ = false;
  const Hash* annotations = nullptr;
};

struct ObjectType : Type {
  std::string_view name;        // empty: anonymous
  const Type* parent = nullptr; // an Object type or an alias of one
  std::span<const ObjectAttribute> type_parameters;
  std::span<const ObjectAttribute> attributes; // own ones
  std::span<const ObjectFunction> functions;
  std::span<const std::string_view> equality;
  const Hash* annotations = nullptr; // annotation type => its init hash; may be null
  Value checks;                      // Puppet keeps this key of the description and ignores it
  bool has_equality = false;
  bool equality_include_type = true;
  explicit ObjectType(TypeKind k = TypeKind::Object) : Type(k) {}
};

/// A set of types under a name and a version.
struct TypeSetMember {
  std::string_view name; // without the name of the set
  const Type* type;
};
struct TypeSetType : Type {
  std::string_view name, name_authority, pcore_uri, pcore_version, version;
  std::span<const TypeSetMember> types;
  std::span<const TypeSetMember> declared; // as written, before the set gave them their full names
  TypeSetType() : Type(TypeKind::TypeSet) {}
  const Type* find(std::string_view member) const {
    for (const TypeSetMember& m : types)
      if (m.name == member) return m.type;
    return nullptr;
  }
};

/// An instance of an Object type. `attributes` holds only those that differ from their defaults, by name, in the type's order.
struct ObjectValue : Opaque {
  enum class Form : uint8_t { Plain, Native, Runtime } form; // NativeObject, RuntimeObject: dynamic_cast takes ten times as long
  const ObjectType* type;
  const Hash* attributes = nullptr;

  explicit ObjectValue(Form f = Form::Plain, const ObjectType* t = nullptr) : form(f), type(t) {}
  std::string to_string() const override;
  bool equals(const Opaque& other) const override;
  uint64_t hash() const override;
  Value to_rich_data(Arena& arena) const override;
};
inline const ObjectValue* as_object(const Value& v) { return v.is(Kind::Object) ? static_cast<const ObjectValue*>(v.opaque) : nullptr; }

const Type* object_type_of(const Value& v);
bool object_assignable(TypeContext& ctx, const Type* to, const Type* from);
bool object_instance(TypeContext& ctx, const Type* type, const Value& v);
/// All attributes, inherited ones first.
std::vector<ObjectAttribute> all_attributes(const ObjectType& type);
/// The attributes that `new` takes: those with a value of their own come last.
std::vector<ObjectAttribute> settable_attributes(const ObjectType& type);
/// The constructors of an Object type: one takes a hash of attributes, the other takes the values in order.
ConstructorSet object_constructors(TypeContext& ctx, const Type* type);
/// Sets `out` to the value of an object's attribute. Returns false if the object has no such attribute.
bool object_attribute(const Value& object, std::string_view name, Value& out);
/// A type's own or inherited attribute or function; null when there is none.
const ObjectAttribute* find_object_attribute(const ObjectType& type, std::string_view name);
const ObjectFunction* find_object_function(const ObjectType& type, std::string_view name);

} // namespace pupc::compiler
