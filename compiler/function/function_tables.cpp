#include "compiler/function/function_tables.h"

namespace pupc::compiler {

void add_functions(FunctionRegistry& registry) {
  for (FunctionTable family : {core_functions(), catalog_functions(), iteration_functions(), collection_functions(), string_functions(),
                               number_functions(), type_functions(), file_functions(), digest_functions(), format_functions(),
                               lookup_functions(), time_functions(), node_attribute_functions()})
    registry.add(family);
}

} // namespace pupc::compiler
