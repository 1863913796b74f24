#pragma once
// Decides which program runs for a module's function that a Ruby file defines.
#include "compiler/eval/function.h"
#include "compiler/load/environment.h"

namespace pupc::compiler {

struct FunctionChoice {
  const FunctionEntry* native = nullptr; // null: Ruby runs the file
  bool version_unknown = false;          // native functions of that name exist, but none for this program
};

/// The module's own file decides. If a native function replaces exactly the program in the file, whatever its release, that function runs;
/// Ruby runs any other file.
FunctionChoice choose_function(const FunctionRegistry& functions, std::string_view name, const RubyFunctionFile& file);

} // namespace pupc::compiler
