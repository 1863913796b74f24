#pragma once
// Small operations on names and texts that every component needs.
#include "catalog/base/namespaces.h"

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace pupc::catalog {

/// The text with A to Z in lower case; other characters stay. Names of the language have no other capitals; `downcase`
/// (catalog/value/unicode_case.h) knows those of Unicode.
std::string ascii_lower(std::string_view text);

/// Whether A to Z are in the text. It looks at eight letters at a time, because checks ask for each name of a type, class and resource.
inline bool has_capital(std::string_view name) {
  const auto any = [](uint64_t letters) {
    constexpr uint64_t tops = 0x8080808080808080;
    const uint64_t low = letters & ~tops; // so that no sum reaches the next letter
    const uint64_t from_a = low + (0x80 - 'A') * 0x0101010101010101, beyond_z = low + (0x80 - 'Z' - 1) * 0x0101010101010101;
    return (from_a & ~beyond_z & ~letters & tops) != 0;
  };
  uint64_t letters = 0;
  const char* at = name.data();
  size_t left = name.size();
  for (; left >= 8; at += 8, left -= 8) {
    std::memcpy(&letters, at, 8);
    if (any(letters)) return true;
  }
  letters = 0;
  for (size_t i = 0; i < left; ++i) letters = letters << 8 | static_cast<uint8_t>(at[i]);
  return any(letters);
}

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

/// Replaces every occurrence of `from` with `to`. An empty `from` matches between all characters, as in Ruby's gsub.
std::string with_replaced(std::string_view text, std::string_view from, std::string_view to);

} // namespace pupc::catalog
