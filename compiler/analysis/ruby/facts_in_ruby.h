#pragma once
// Facts in Ruby: what Facter does with their resolutions, as far as their files tell without running them.
#include "compiler/analysis/codebase/checked_codebase.h"
#include "compiler/discovery/repository.h"
#include "compiler/ruby/syntax/ruby_static.h"

namespace pupc::compiler {

/// Chunks that need one which is not there, kinds of resolutions that Facter does not have, and facts that nothing has.
void check_ruby_facts(const RepositoryFile& file, const RubyFile& ruby, CheckedCodebase& program, Findings& findings);

} // namespace pupc::compiler
