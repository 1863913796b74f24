#pragma once
// The tables of this component: functions of stdlib and of other widespread modules. module_function_tables.cpp joins them.
#include "compiler/eval/function.h"

namespace pupc::compiler {

/// Adds the functions of modules that have a native program, and the list of the module files that each of them replaces.
void add_module_functions(FunctionRegistry& registry);

FunctionTable stdlib_password_functions();
FunctionTable stdlib_machine_functions();
FunctionTable stdlib_value_functions();
FunctionTable stdlib_interpreted_functions();

} // namespace pupc::compiler
