#pragma once
// Upper case, lower case and capitalised text by Unicode's full case mappings, as Ruby's String methods do it.
#include "catalog/base/namespaces.h"

#include <string>
#include <string_view>

namespace pupc::catalog {

std::string upcase(std::string_view s);
std::string downcase(std::string_view s);
/// The text with its first character in title case and the rest in lower case.
std::string capitalize(std::string_view s);

/// Appends a code point as UTF-8.
void append_utf8(std::string& out, char32_t c);
/// Decodes the code point at `i` and moves `i` after it. For an invalid byte, returns the byte and sets `valid` to false.
char32_t next_code_point(std::string_view s, size_t& i, bool& valid);

} // namespace pupc::catalog
