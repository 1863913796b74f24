#pragma once
#include "compiler/analysis/codebase/findings.h"
#include "compiler/discovery/repository.h"
#include "compiler/ruby/syntax/ruby_tokens.h"

#include <span>

namespace pupc::compiler {

/// Tells methods that objects which the code makes do not have.
void check_ruby_instances(const RepositoryFile& file, std::span<const RubyToken> tokens, CheckCode code, Findings& findings);

} // namespace pupc::compiler
