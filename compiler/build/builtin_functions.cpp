#include "compiler/build/builtin_functions.h"

#include "compiler/function/function_tables.h"
#include "compiler/resources/store_functions.h"
#include "compiler/stdlib/module_function_tables.h"
#include "compiler/template/template_functions.h"

namespace pupc::compiler {

const FunctionRegistry& builtin_functions() {
  static const FunctionRegistry registry = [] {
    FunctionRegistry all;
    add_functions(all);
    add_module_functions(all);
    all.add(template_functions());
    all.add(store_functions());
    return all;
  }();
  return registry;
}

} // namespace pupc::compiler
