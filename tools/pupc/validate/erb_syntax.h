#pragma once
// Checks the syntax of ERB templates: natively where the text is in the subset of Ruby that pupc reads, else with an installed Ruby.
#include "compiler/analysis/codebase/findings.h"
#include "compiler/discovery/repository.h"
#include "compiler/load/environment.h"

#include <set>
#include <string>
#include <vector>

namespace pupc::cli {

/// Reports templates with invalid Ruby. If Ruby is not installed, it reports nothing for texts beyond the subset. Never throws. The
/// environment keeps the texts, which other checks read, too. The same for the functions in Ruby at the paths `unreadable_ruby`.
void check_erb_syntax(const std::vector<RepositoryFile>& files, const Environment& environment,
                      const std::set<std::string>& unreadable_ruby, Findings& findings);

} // namespace pupc::cli
