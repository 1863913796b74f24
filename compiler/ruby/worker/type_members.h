#pragma once
// Types as Ruby code sees them.
#include "compiler/types/type.h"

namespace pupc::compiler {

/// The members of a type as a list, in the order in which the constructor of Puppet's Ruby class takes them: [from, to] for an Integer,
/// [element type, size type] for an Array. Members that the type does not have are undef. An element of a Struct is a list of key type and
/// value type, a pattern is a Regexp value, and an attribute of an object is [name, type, kind, whether it has a value, value].
Value type_members(TypeContext& ctx, const Type& type);

} // namespace pupc::compiler
