#pragma once
// Walking into nested data by keys, for dig, get and getvar.
#include "compiler/types/type.h"

#include <string>
#include <string_view>
#include <vector>

namespace pupc {

struct NavigationError {
  std::string message;
  std::string issue_code;
  std::vector<Value> walked;
  const Type* found = nullptr;
  /// The Error value that a lambda of get() receives.
  Value to_value(TypeContext& types) const;
};

/// Follows `keys`; a missing one gives undef. False with `error` set when a key meets no collection or an array gets no integer.
bool dig_into(TypeContext& types, Value from, std::span<const Value> keys, Value& out, NavigationError& error);

/// Segments of "a.0.'b.c'": integers stay integers. False for malformed text.
bool split_navigation(Arena& arena, std::string_view text, std::vector<Value>& out);

} // namespace pupc
