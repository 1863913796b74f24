#pragma once
// Ruby that modules add to Puppet beside functions: types, providers, facts. Files are read, never run.
#include "compiler/analysis/codebase/checked_codebase.h"
#include "compiler/discovery/repository.h"
#include "compiler/ruby/syntax/ruby_static.h"

#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pupc::compiler {

/// Tells names that nothing has (ruby_names.h), types and providers in files of other names, and what types and providers read of a
/// resource that its type does not have.
/// Adds the paths of files whose tokens cannot be followed to `unreadable`: Ruby itself then has to say what is wrong. It is the last that
/// asks for them.
void check_ruby_code(const std::vector<RepositoryFile>& files, RubyFiles& ruby, CheckedCodebase& program, Findings& findings,
                     std::set<std::string>& unreadable);

/// Tells facts that are compared with what they never are.
void check_ruby_fact_values(const RepositoryFile& file, std::span<const RubyToken> tokens, Findings& findings);

/// The method of Ruby's texts, numbers, arrays and hashes that one slip makes of this name; empty when there is none.
std::string_view near_ruby_method(std::string_view name);

} // namespace pupc::compiler
