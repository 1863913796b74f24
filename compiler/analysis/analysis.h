#pragma once
// The whole-environment checks of `pupc validate` (registry.h lists them), without compiling a node.
#include "compiler/analysis/data_files.h"

namespace pupc {

/// Runs all checks over the program's files and over `others` (data and metadata files). Returns the findings, in no particular order.
/// Mistakes in the program become findings, never exceptions.
std::vector<Diagnostic> analyse(Program& program, const std::vector<RepositoryFile>& others = {});

} // namespace pupc
