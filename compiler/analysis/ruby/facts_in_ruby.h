#pragma once
// Facts in Ruby: what Facter does with their resolutions, as far as their files tell without running them.
#include "compiler/analysis/codebase/checked_codebase.h"
#include "compiler/discovery/repository.h"
#include "compiler/ruby/syntax/ruby_static.h"

namespace pupc::compiler {

/// Chunks that need one which is not there, kinds of resolutions that Facter does not have, and facts that nothing has.
void check_ruby_facts(const RepositoryFile& file, const RubyFile& ruby, CheckedCodebase& program, Findings& findings);

/// Why a fact that a module's Ruby code gives never has the text as its value; empty where it may, or where the code does not tell.
std::string never_value_of_custom_fact(CheckedCodebase& program, std::string_view name, std::string_view text);

} // namespace pupc::compiler
