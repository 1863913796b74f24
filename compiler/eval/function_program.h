#pragma once
// Which program runs for a module's function that a Ruby file defines.
#include "compiler/eval/function.h"
#include "compiler/load/environment.h"

namespace pupc {

struct FunctionProgram {
  const FunctionEntry* native = nullptr; // null: Ruby runs the file
  bool version_unknown = false;          // there are native functions of that name, but none that is this program
};

/// The module's own file decides: a native function runs where it stands for exactly the program in the file, whatever release that is
/// from; any other file is run by Ruby.
FunctionProgram program_of(const FunctionRegistry& functions, std::string_view name, const RubyFunctionFile& file);

} // namespace pupc
