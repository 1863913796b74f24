#pragma once
// The attributes of types, for functions that walk over nested structures.
#include "compiler/types/type.h"

#include <string_view>
#include <utility>
#include <vector>

namespace pupc::compiler {

/// The attributes that Puppet declares for this kind of type (inherited ones excluded) and their values, undef where the type has
/// none: `element_type` of an Array, `types` of a Variant, nothing for an Integer. Struct has none: its elements are no values of
/// the language.
std::vector<std::pair<std::string_view, Value>> type_attributes(Arena& arena, const Type* type);

} // namespace pupc::compiler
