#pragma once
// Small operations on names and texts that every room needs.
#include <string>
#include <string_view>

namespace pupc {

/// The text with A to Z in lower case; other characters stay. Names of the language have no other capitals; `downcase`
/// (catalog/value/unicode_case.h) knows those of Unicode.
std::string ascii_lower(std::string_view text);

/// The name without the :: that makes it absolute.
inline std::string_view without_leading_colons(std::string_view name) {
  if (name.starts_with("::")) name.remove_prefix(2);
  return name;
}

/// A pattern that matches exactly this text, written as Ruby's Regexp.escape writes it.
std::string escape_regex(std::string_view text);

} // namespace pupc
