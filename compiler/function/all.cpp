// Joins the function families of this room into the registry.
#include "compiler/function/families.h"
#include "compiler/function/known_programs.h"

namespace pupc {

void add_functions(FunctionRegistry& registry) {
  for (FunctionTable family : {core_functions(), catalog_functions(), iteration_functions(), collection_functions(), string_functions(),
                               number_functions(), type_functions(), file_functions(), digest_functions(), format_functions(),
                               lookup_functions(), time_functions(), node_attribute_functions()})
    registry.add(family);
  for (FunctionTable family :
       {stdlib_collection_functions(), stdlib_text_functions(), stdlib_data_functions(), stdlib_yaml_functions(), stdlib_check_functions(),
        stdlib_network_functions(), stdlib_password_functions(), stdlib_document_functions(), stdlib_value_functions(),
        stdlib_machine_functions(), module_functions(), stdlib_deprecated_functions()})
    registry.add(family, "stdlib");
  registry.add_programs(known_programs());
}

} // namespace pupc
