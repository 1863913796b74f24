#pragma once
// Parts of types as values of the language, for the attributes of types and for the constructors of their Ruby classes.
#include "catalog/value/value.h"
#include "compiler/types/core_types.h"

#include <span>

namespace pupc::compiler {

/// The type as a value, or undef when there is none.
inline Value type_or_undef(const Type* t) { return t == nullptr ? Value::undef() : Value::type(t); }

inline Value list_of_types(Arena& arena, std::span<const Type* const> types) {
  ListBuilder out(arena);
  for (const Type* t : types) out.add(Value::type(t));
  return out.finish();
}

/// A size as Integer[from, to]; undef when it was not given.
inline Value size_or_undef(Arena& arena, bool given, const Range& size) {
  return given ? Value::type(arena.make<RangeType>(TypeKind::Integer, size)) : Value::undef();
}

} // namespace pupc::compiler
