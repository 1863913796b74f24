#pragma once
// The list of programs that the native functions of modules replace.
#include "compiler/eval/function.h"

namespace pupc::compiler {

/// All programs, sorted by name.
std::span<const ReplacedFunction> replaced_functions();

} // namespace pupc::compiler
