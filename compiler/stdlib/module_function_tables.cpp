#include "compiler/stdlib/module_function_tables.h"
#include "compiler/stdlib/replaced_functions.h"

namespace pupc::compiler {

void add_module_functions(FunctionRegistry& registry) {
  for (FunctionTable family :
       {stdlib_password_functions(), stdlib_value_functions(), stdlib_machine_functions(), stdlib_interpreted_functions()})
    registry.add(family, "stdlib");
  registry.add_replaced(replaced_functions());
}

} // namespace pupc::compiler
