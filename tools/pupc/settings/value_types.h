#pragma once
// Checks values against Puppet data types outside of a compile, for resources that modules describe by data types.
#include "compiler/types/type.h"

#include <string>
#include <string_view>

namespace pupc::cli {

/// The problem with a type's text; empty when it is valid. It does not know type aliases of modules.
std::string data_type_problem(std::string_view type, RegexCache& regexes);
/// A type as Puppet prints it, from the text that stands for it in code. Throws CompileError for an invalid one.
std::string data_type_text(std::string_view type, RegexCache& regexes);
/// Why a value does not match a type, as Puppet's message about `subject`; empty when it matches. Throws CompileError for an invalid type.
std::string data_type_mismatch(std::string_view type, const Value& value, std::string_view subject, RegexCache& regexes);

} // namespace pupc::cli
