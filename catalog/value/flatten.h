#pragma once
// Ruby's Array#flatten.
#include "catalog/value/value.h"

#include <vector>

namespace pupc::catalog {

/// Appends a value to `out`; of a list its elements, through all lists within it. Throws CompileError (stack_overflow) when the lists are
/// nested too deeply.
void flatten_into(const Value& v, std::vector<Value>& out);

} // namespace pupc::catalog
