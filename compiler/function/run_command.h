#pragma once
// Commands that functions run on the compiling machine.
#include <string>
#include <vector>

namespace pupc::compiler {

/// Runs a command without a shell, in its program's directory (or in `directory`), and appends its combined output to `output`. `status` is
/// the wait status. Returns false when the command cannot be started.
bool run_command(const std::vector<std::string>& words, std::string& output, int& status, const std::string& directory = {});

} // namespace pupc::compiler
