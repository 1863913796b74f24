#pragma once
// Titles that are made at run time as patterns: \1 stands for a part that the code does not tell.
#include <string>
#include <string_view>

namespace pupc::compiler {

/// Whether a pattern (\1 for anything) matches a text.
bool fits_title(std::string_view pattern, std::string_view text);
/// Whether two patterns may stand for one text, by what they begin and end with.
bool may_be_one(std::string_view a, std::string_view b);
/// Whether the beginnings, or the ends, of both patterns stand in the code. Else a variable decides all that could be compared.
bool share_a_side(std::string_view a, std::string_view b);
/// The pattern as messages show it.
std::string shown_pattern(std::string_view pattern);

} // namespace pupc::compiler
