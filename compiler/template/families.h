#pragma once
// The function tables of this room; epp.cpp joins them.
#include "compiler/eval/function.h"

namespace pupc {

/// template() and inline_template().
std::span<const FunctionEntry> erb_function_table();

} // namespace pupc
