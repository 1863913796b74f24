#pragma once
// One table of entries per function family; all.cpp joins them.
#include "compiler/eval/function.h"

namespace pupc {

/// Adds every function of this room.
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
FunctionTable stdlib_collection_functions();
FunctionTable stdlib_text_functions();
FunctionTable stdlib_data_functions();
FunctionTable stdlib_yaml_functions();
FunctionTable node_attribute_functions();
FunctionTable stdlib_check_functions();
FunctionTable stdlib_network_functions();
FunctionTable stdlib_password_functions();
FunctionTable stdlib_document_functions();
FunctionTable stdlib_machine_functions();
FunctionTable stdlib_value_functions();
FunctionTable stdlib_deprecated_functions();
FunctionTable module_functions();

} // namespace pupc
