#pragma once
// The functions that every compile knows: those of compiler/function and of compiler/template.
#include "compiler/eval/function.h"

namespace pupc {

/// Built once per process; immutable.
const FunctionRegistry& builtin_functions();

} // namespace pupc
