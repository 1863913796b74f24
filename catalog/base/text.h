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

/// What Ruby's `strip` takes away at the ends of a text, and the same without NUL.
inline constexpr std::string_view ruby_blanks{" \t\n\v\f\r\0", 7}, ascii_blanks = ruby_blanks.substr(0, 6);
constexpr bool is_ascii_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); } // of ascii_blanks

/// The text without these characters at its ends.
constexpr std::string_view trimmed(std::string_view text, std::string_view blanks = ascii_blanks) {
  const size_t begin = text.find_first_not_of(blanks);
  return begin == std::string_view::npos ? std::string_view() : text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

/// Whether all characters are of ASCII.
constexpr bool is_ascii(std::string_view text) {
  for (char c : text)
    if (static_cast<unsigned char>(c) >= 0x80) return false;
  return true;
}

/// A pattern that matches exactly this text, written as Ruby's Regexp.escape writes it.
std::string escape_regex(std::string_view text);

} // namespace pupc
