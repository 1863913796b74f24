#pragma once
// The values that attributes of a resource type in Ruby take, as far as its file lists them.
#include "compiler/ruby/syntax/ruby_static.h"

#include <map>
#include <string>
#include <string_view>

namespace pupc::compiler {

/// What Ruby's Integer() takes, as a list of allowed values has it.
inline constexpr std::string_view integer_values = "/\\A\\s*[-+]?(0[xX][0-9a-fA-F_]+|0[bB][01_]+|0?[oO]?[0-9_]+)\\s*\\z/";

/// By attribute: its values as catalog/schema/attribute_values.h reads them: "a b c". Only attributes whose values are all literals, and
/// that check nothing else themselves.
std::map<std::string, std::string, std::less<>> read_ruby_type_values(const std::shared_ptr<const RubyFile>& file, std::string_view type);

} // namespace pupc::compiler
