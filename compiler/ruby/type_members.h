#pragma once
// Types as Ruby code sees them.
#include "compiler/types/type.h"

namespace pupc {

/// What a type is made of, in the order in which the constructor of its Ruby class takes it: [from, to] of an Integer, [element type, size
/// type] of an Array. What a type was not given is undef. Elements of a Struct are lists of key type and value type, patterns Regexp
/// values, an object's attributes [name, type, kind, whether it has a value, value].
Value type_members(TypeContext& ctx, const Type& type);

} // namespace pupc
