#pragma once
// Running a text by an interpreter: script resources, and guards that name an interpreter.
#include "runtime/provider/exec/shell_command.h"

#include <string>
#include <string_view>
#include <vector>

namespace pupc {

struct Script {
  std::string interpreter; // program: a path, or searched on the script's path and then on this process's
  std::vector<std::string> flags;
  std::string code;
  CommandSettings settings;
  bool convert_boolean_return = false; // PowerShell: a Boolean result becomes the exit code
  bool powershell = false, batch = false;
  bool sensitive = false;
};

/// The script that a resource of a script type describes: interpreter and flags of its type unless it gives its own. Throws ResourceError.
Script read_script(const ManagedResource& resource, RunContext& run);

/// Puts the code into a private temporary file, runs it, and removes the file in every outcome. Throws ResourceError when the interpreter
/// is not installed.
CommandResult run_script(const Script& script, RunContext& run);

} // namespace pupc
