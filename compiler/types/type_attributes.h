#pragma once
// Types as values with attributes, as functions that walk over nested structures see them.
#include "compiler/types/type.h"

#include <string_view>
#include <utility>
#include <vector>

namespace pupc {

/// The attributes that Puppet declares for a kind of type itself, not for its parents, with their values (undef where the type was
/// not given one): `element_type` of an Array, `types` of a Variant, nothing of an Integer. Struct has none here: its elements are no
/// values of the language.
std::vector<std::pair<std::string_view, Value>> type_attributes(Arena& arena, const Type* type);

} // namespace pupc
