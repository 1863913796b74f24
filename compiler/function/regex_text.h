#pragma once
// Text operations on regular expressions with Ruby's semantics: split, sub, gsub.
#include "catalog/value/regex.h"
#include "catalog/value/value.h"

#include <string>
#include <string_view>
#include <vector>

namespace pupc::compiler {

/// String#split(regex): splits at empty matches between characters, includes groups, and drops empty fields at the end.
std::vector<std::string_view> split_text(std::string_view text, const Regex& pattern);

/// String#sub / #gsub with a replacement text (`\1`, `\0`, `\&`, `\k<name>`, `\\`, `` \` ``, `\'`).
std::string substitute(std::string_view text, const Regex& pattern, std::string_view replacement, bool global);
/// The same with a hash: the value for the matched text replaces each match ("" when the hash has none).
std::string substitute(std::string_view text, const Regex& pattern, const Hash& replacements, bool global);

} // namespace pupc::compiler
