#pragma once
// The whole-environment checks of `pupc validate` (registry.h lists them), without compiling a node.
#include "compiler/analysis/program.h"

namespace pupc {

/// Runs all checks of Puppet code over the program's files. Findings are in order of files, then places. Never throws for what is
/// wrong with the program.
std::vector<Diagnostic> analyse(Program& program);

} // namespace pupc
