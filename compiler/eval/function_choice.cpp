#include "compiler/eval/function_choice.h"

namespace pupc::compiler {

FunctionChoice choose_function(const FunctionRegistry& functions, std::string_view name, const RubyFunctionFile& file) {
  FunctionChoice out;
  if (const FunctionEntry* listed = functions.find_native(name); listed == nullptr || !listed->is_native()) return out;
  if (auto digest = file.program()) out.native = functions.find_program(name, *digest);
  out.version_unknown = out.native == nullptr;
  return out;
}

} // namespace pupc::compiler
