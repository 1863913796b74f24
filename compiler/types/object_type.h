#pragma once
// Object and TypeSet types declared in Puppet, and the built-in object types Deferred and Error.
#include "compiler/types/core_types.h"

namespace pupc {

/// An instance of an Object type: attributes by name, in the type's order.
struct ObjectValue : Opaque {
  const Type* type = nullptr;
  const Hash* attributes = nullptr;

  std::string to_string() const override;
  bool equals(const Opaque& other) const override;
  uint64_t hash() const override;
  Value to_rich_data(Arena& arena) const override;
};

const Type* object_type_of(const Value& v);
bool object_assignable(const Type* to, const Type* from);
bool object_instance(TypeContext& ctx, const Type* type, const Value& v);
/// Whether a URI's components match those of a parameterised URI type.
bool uri_matches(TypeContext& ctx, const UriType& type, std::string_view uri);

} // namespace pupc
