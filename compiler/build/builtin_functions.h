#pragma once
// The functions that every compile has: those of compiler/function and of compiler/template.
#include "compiler/eval/function.h"

namespace pupc::compiler {

/// The registry; built once per process, immutable.
const FunctionRegistry& builtin_functions();

} // namespace pupc::compiler
