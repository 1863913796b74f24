#pragma once
// The whole-environment checks of `pupc validate` (registry.h lists them), without compiling a node.
#include "compiler/analysis/data_files.h"

namespace pupc {

/// Runs all checks over the program's files and `others`, which are data and metadata. Findings of a file are not in order. Never throws
/// for what is wrong with the program.
std::vector<Diagnostic> analyse(Program& program, const std::vector<RepositoryFile>& others = {});

} // namespace pupc
