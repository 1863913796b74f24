#pragma once
// Upper, lower and capitalised text by Unicode's full case mappings, as Ruby's String methods give them.
#include <string>
#include <string_view>

namespace pupc {

std::string upcase(std::string_view s);
std::string downcase(std::string_view s);
/// First character in title case, the rest in lower case.
std::string capitalize(std::string_view s);

/// Appends a code point as UTF-8.
void append_utf8(std::string& out, char32_t c);
/// Decodes the code point at `i` and moves `i` behind it; an invalid byte gives itself with `valid` false.
char32_t next_code_point(std::string_view s, size_t& i, bool& valid);

} // namespace pupc
