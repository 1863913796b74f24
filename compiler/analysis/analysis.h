#pragma once
// The whole-environment checks of `pupc validate` (check_registry.h lists them), without compiling a node.
#include "compiler/analysis/data/data_files.h"

#include <set>
#include <string>

namespace pupc::compiler {

/// The findings, in no particular order, and what the checks have learnt of the program. The latter takes long to free: a process that ends
/// soon keeps it.
struct Analysis {
  std::vector<Diagnostic> findings;
  std::shared_ptr<const void> learnt;
  std::set<std::string> unreadable_ruby; // paths of functions in Ruby whose tokens cannot be followed
};

/// Runs all checks over the program's files and over those of `files` that are neither manifests nor EPP templates. Mistakes in the program
/// become findings, never exceptions. Without `hints` those are left out. `ruby`: what the environment has read of Ruby
/// (EnvironmentExtras).
Analysis analyse(std::shared_ptr<CheckedCodebase> program, const std::vector<RepositoryFile>& files = {}, bool hints = true,
                 std::shared_ptr<RubyFiles> ruby = {});

} // namespace pupc::compiler
