#pragma once
// The function tables of this component: one a family, each at the end of its file. function_tables.cpp joins them.
#include "compiler/eval/function.h"

namespace pupc::compiler {

/// Adds Puppet's own functions, but those of templates.
void add_functions(FunctionRegistry& registry);

FunctionTable core_functions();
FunctionTable catalog_functions();
FunctionTable iteration_functions();
FunctionTable collection_functions();
FunctionTable string_functions();
FunctionTable number_functions();
FunctionTable type_functions();
FunctionTable file_functions();
FunctionTable digest_functions();
FunctionTable format_functions();
FunctionTable lookup_functions();
FunctionTable time_functions();
FunctionTable node_attribute_functions();

} // namespace pupc::compiler
