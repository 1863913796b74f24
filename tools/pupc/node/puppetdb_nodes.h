#pragma once
// Nodes as PuppetDB knows them: `puppet node deactivate` and `puppet node status` of its terminus.
#include "tools/pupc/settings/compile_settings.h"

#include <string>
#include <vector>

namespace pupc::cli {

/// Sends 'deactivate node' for each, and prints PuppetDB's name of the command. Ends at the first that it does not take. Returns the exit
/// code. Throws CompileError for a wrong puppetdb.conf.
int deactivate_nodes(const CompileOptions& options, const std::vector<std::string>& nodes);

/// Prints whether each is active, and the times of its last catalog and facts. Returns the exit code, 0. Throws CompileError when PuppetDB
/// does not answer.
int tell_nodes(const CompileOptions& options, const std::vector<std::string>& nodes);

} // namespace pupc::cli
