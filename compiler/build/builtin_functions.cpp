#include "compiler/build/builtin_functions.h"

#include "compiler/function/families.h"
#include "compiler/template/families.h"

namespace pupc {

const FunctionRegistry& builtin_functions() {
  static const FunctionRegistry registry = [] {
    FunctionRegistry all;
    add_functions(all);
    all.add(template_functions());
    return all;
  }();
  return registry;
}

} // namespace pupc
