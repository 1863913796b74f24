#pragma once
// One table of entries per function family; all.cpp joins them.
#include "compiler/eval/function.h"

namespace pupc {

FunctionTable core_functions();

} // namespace pupc
