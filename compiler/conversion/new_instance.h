#pragma once
// T.new(…): the arguments select a constructor, and its result must be an instance of the type.
#include "compiler/types/type.h"

#include <span>

namespace pupc::compiler {

/// T.new(args): Puppet's `new` function. Throws CompileError.
Value new_instance(TypeContext& ctx, const Type* type, std::span<const Value> args);

} // namespace pupc::compiler
