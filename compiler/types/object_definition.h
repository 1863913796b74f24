#pragma once
// Object types made from their description, and Object types with values for their type parameters.
#include "compiler/types/object_type.h"

namespace pupc {

/// An Object type of which some attributes are constrained: Error['kind'].
struct ObjectExtensionType : Type {
  const ObjectType* object;
  const Hash* parameters; // by name
  ObjectExtensionType(const ObjectType* o, const Hash* p) : Type(TypeKind::ObjectExtension), object(o), parameters(p) {}
};

/// `base[keys...]` for Object (one hash: a new type) and for named Object types (values of their type parameters).
const Type* parameterize_object(TypeContext& ctx, const Type* base, std::span<const Value> keys);
/// The Object type that a hash with name, parent, attributes, constants, functions, equality … describes. Throws CompileError with
/// Puppet's words.
const Type* object_from_hash(TypeContext& ctx, const Hash& description);
/// The TypeSet that a hash with version, pcore_version and types describes. Throws CompileError.
const Type* type_set_from_value(TypeContext& ctx, const Value& description);
/// An Object type without a name gets the one of its declaration (`type X = Object[{…}]`); any other type is given as it is.
const Type* name_object(TypeContext& ctx, const Type* type, std::string_view name);

/// The parameters as they print: by position when there are at most two, else by name.
std::vector<Value> extension_parameters(const ObjectExtensionType& t);
bool extension_instance(TypeContext& ctx, const ObjectExtensionType& t, const Value& v);
bool extension_assignable(TypeContext& ctx, const ObjectExtensionType& to, const Type* from);
/// The type of an object value: with its parameters' values, when the type has parameters.
const Type* infer_object(TypeContext& ctx, const ObjectValue& object);
std::vector<ObjectAttribute> all_type_parameters(const ObjectType& type);
/// The language's match operator (=~ without captures) for components and parameters.
bool value_matches(TypeContext& ctx, const Value& actual, const Value& pattern);

} // namespace pupc
