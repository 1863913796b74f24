#pragma once
// What stands behind the names of types and around them.
#include "compiler/types/core_types.h"

namespace pupc::compiler {

/// What an alias stands for; other types as they are. Null while an alias is being resolved.
inline const Type* without_aliases(const Type* type) {
  for (int depth = 0; type != nullptr && type->kind == TypeKind::TypeAlias && depth < 12; ++depth)
    type = type_cast<TypeAliasType>(type).resolved;
  return type;
}

/// The type without its aliases, Optional and NotUndef. Null where these have no end: `type A = Optional[A]`.
inline const Type* bare_type(const Type* type) {
  for (int depth = 0; depth < 12; ++depth) {
    type = without_aliases(type);
    if (type == nullptr || (type->kind != TypeKind::Optional && type->kind != TypeKind::NotUndef)) return type;
    type = type_cast<WrapperType>(type).inner;
  }
  return nullptr;
}

} // namespace pupc::compiler
