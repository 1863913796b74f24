#pragma once
// Questions about types of the language outside of a compile: of resources that modules describe by data types.
#include "compiler/types/type.h"

#include <string>
#include <string_view>

namespace pupc {

/// What is wrong with the text of a type; empty when nothing is. Aliases of modules are unknown.
std::string data_type_problem(std::string_view type, RegexCache& regexes);
/// Why a value is none of a type, as Puppet tells it of `subject`; empty when it is one.
std::string data_type_mismatch(std::string_view type, const Value& value, std::string_view subject, RegexCache& regexes);

} // namespace pupc
