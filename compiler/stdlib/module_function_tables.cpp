#include "compiler/stdlib/module_function_tables.h"
#include "compiler/stdlib/replaced_functions.h"

namespace pupc::compiler {

void add_module_functions(FunctionRegistry& registry) {
  for (FunctionTable family :
       {stdlib_collection_functions(), stdlib_text_functions(), stdlib_data_functions(), stdlib_check_functions(),
        stdlib_network_functions(), stdlib_password_functions(), stdlib_document_functions(), stdlib_value_functions(),
        stdlib_machine_functions(), other_module_functions(), stdlib_interpreted_functions()})
    registry.add(family, "stdlib");
  registry.add_replaced(replaced_functions());
}

} // namespace pupc::compiler
