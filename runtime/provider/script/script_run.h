#pragma once
// Runs a text with an interpreter, for script resources and for guards that name an interpreter.
#include "runtime/provider/exec/shell_command.h"

#include <string>
#include <string_view>
#include <vector>

namespace pupc::runtime {

struct Script {
  std::string interpreter; // a path, or a name to search in the script's path, then in this process's
  std::vector<std::string> flags;
  std::string code;
  CommandSettings settings;
  bool convert_boolean_return = false; // PowerShell: a Boolean result becomes the exit code
  bool powershell = false, batch = false;
  bool sensitive = false;
};

/// Reads the script of a resource. Interpreter and flags come from its type unless the resource sets them. Throws ResourceError.
Script read_script(const ManagedResource& resource, RunContext& run);

/// Writes the code to a private temporary file, runs it, and always removes the file. Throws ResourceError when the interpreter is not
/// installed.
CommandResult run_script(const Script& script, RunContext& run);

} // namespace pupc::runtime
