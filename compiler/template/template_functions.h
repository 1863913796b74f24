#pragma once
// The function tables of this component; epp.cpp joins them.
#include "compiler/eval/function.h"

namespace pupc::compiler {

/// All functions of this component: epp(), inline_epp(), template(), inline_template().
FunctionTable template_functions();
/// template() and inline_template().
std::span<const FunctionEntry> erb_function_table();

} // namespace pupc::compiler
