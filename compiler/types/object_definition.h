#pragma once
// Object types made from a description hash, and Object types with values for their type parameters.
#include "compiler/types/object_type.h"

namespace pupc::compiler {

/// An Object type with values for some of its type parameters, which constrain the attributes: Error['kind'].
struct ObjectExtensionType : Type {
  const ObjectType* object;
  const Hash* parameters; // by name
  ObjectExtensionType(const ObjectType* o, const Hash* p) : Type(TypeKind::ObjectExtension), object(o), parameters(p) {}
};

/// `base[keys...]`. For Object itself, the one key is a hash that describes a new type. For a named Object type, the keys are
/// values of its type parameters.
const Type* parameterize_object(TypeContext& ctx, const Type* base, std::span<const Value> keys);
/// Makes the Object type that a hash with name, parent, attributes, constants, functions, equality … describes. Throws CompileError
/// with Puppet's message.
const Type* object_from_hash(TypeContext& ctx, const Hash& description);
/// Makes the TypeSet that a hash with version, pcore_version and types describes. Throws CompileError.
const Type* type_set_from_value(TypeContext& ctx, const Value& description);
/// Names an anonymous Object type after its declaration (`type X = Object[{…}]`). Returns any other type unchanged.
const Type* name_object(TypeContext& ctx, const Type* type, std::string_view name);

/// The parameters as Puppet prints them: by position when there are at most two, otherwise by name.
std::vector<Value> extension_parameters(const ObjectExtensionType& t);
bool extension_instance(TypeContext& ctx, const ObjectExtensionType& t, const Value& v);
bool extension_assignable(TypeContext& ctx, const ObjectExtensionType& to, const Type* from);
/// The type of an object value. If the type has parameters, it includes their values in this object.
const Type* infer_object(TypeContext& ctx, const ObjectValue& object);
std::vector<ObjectAttribute> all_type_parameters(const ObjectType& type);
/// The language's match operator (=~, without captures), as URI components and type parameters are compared.
bool value_matches(TypeContext& ctx, const Value& actual, const Value& pattern);

} // namespace pupc::compiler
