#pragma once
// Syntax of ERB templates: natively where the text is in the subset of Ruby that pupc reads, else by Ruby where it is installed.
#include "compiler/analysis/findings.h"
#include "compiler/analysis/repository.h"

#include <vector>

namespace pupc {

/// Reports templates whose Ruby cannot be parsed. Without Ruby nothing is said of texts beyond the subset. Never throws.
void check_erb_syntax(const std::vector<RepositoryFile>& files, Findings& findings);

} // namespace pupc
