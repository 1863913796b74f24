#pragma once
// Commands that functions run on the compiling machine.
#include <string>
#include <vector>

namespace pupc {

/// Runs a command without a shell in its own folder (or in `directory`); adds its combined output to `output`. `status` is the wait status.
/// False when it cannot be started.
bool run_command(const std::vector<std::string>& words, std::string& output, int& status, const std::string& directory = {});

} // namespace pupc
