#pragma once
// Follows keys into nested data, for dig, get and getvar.
#include "compiler/types/type.h"

#include <string>
#include <string_view>
#include <vector>

namespace pupc::compiler {

/// Why a key could not be followed, for the messages of dig and get.
struct NavigationError {
  std::string message;
  std::string issue_code;
  std::vector<Value> walked;
  const Type* found = nullptr;
  /// The Error value that a lambda of get() receives.
  Value to_value(TypeContext& types) const;
};

/// Follows `keys`; a missing key gives undef. Returns false and sets `error` when a key meets a value that is not a collection, or when the
/// key of an array is not an integer.
bool dig_into(TypeContext& types, Value from, std::span<const Value> keys, Value& out, NavigationError& error);

/// Splits "a.0.'b.c'" into segments; integers stay integers. Returns false for malformed text.
bool split_navigation(Arena& arena, std::string_view text, std::vector<Value>& out);

} // namespace pupc::compiler
