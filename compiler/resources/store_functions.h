#pragma once
// Functions that ask the store of exported resources.
#include "compiler/eval/function.h"

namespace pupc::compiler {

FunctionTable store_functions();

} // namespace pupc::compiler
