#pragma once
// The attributes that the code of a type in Ruby, and of its providers, reads of a resource.
#include "compiler/analysis/codebase/checked_codebase.h"
#include "compiler/discovery/repository.h"
#include "compiler/ruby/syntax/ruby_static.h"

namespace pupc::compiler {

/// Tells of `self[:x]`, `resource[:x]`, `@resource.property(:x)` and the like where the type has no attribute x: Puppet fails there, or
/// finds nothing. Only for types all of whose attributes are known.
void check_attribute_uses(const RepositoryFile& file, const RubyFile& ruby, CheckedCodebase& program, Findings& findings);

} // namespace pupc::compiler
