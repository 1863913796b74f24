#pragma once
// Inner header of the lexer's sources: classes of characters, and loops over them.
#include "compiler/parse/lexer.h"

#include <array>

namespace pupc {

enum CharClass : uint8_t {
  word_bit = 1,
  digit_bit = 2,
  lower_bit = 4,
  upper_bit = 8,
  hex_bit = 16,
  single_bit = 32, // ends the plain part of a text in single quotes
  double_bit = 64, // the same for double quotes
};

constexpr std::array<uint8_t, 256> make_classes() {
  std::array<uint8_t, 256> t{};
  for (int c = '0'; c <= '9'; ++c) t[c] = word_bit | digit_bit | hex_bit;
  for (int c = 'a'; c <= 'z'; ++c) t[c] = word_bit | lower_bit;
  for (int c = 'A'; c <= 'Z'; ++c) t[c] = word_bit | upper_bit;
  for (int c = 'a'; c <= 'f'; ++c) t[c] |= hex_bit;
  for (int c = 'A'; c <= 'F'; ++c) t[c] |= hex_bit;
  t['_'] = word_bit;
  t['\''] = single_bit;
  t['"'] = t['$'] = double_bit;
  t['\\'] = t[0] = single_bit | double_bit;
  return t;
}
inline constexpr auto classes = make_classes();

// Inlined by order: gcc thinks them too many, and a call costs more than the test.
template <uint8_t bits> [[gnu::always_inline]] inline bool is(char c) { return classes[static_cast<uint8_t>(c)] & bits; }
[[gnu::always_inline]] inline bool is_word(char c) { return is<word_bit>(c); }
inline bool is_digit(char c) { return is<digit_bit>(c); }
[[gnu::always_inline]] inline bool is_lower(char c) { return is<lower_bit>(c); }
[[gnu::always_inline]] inline bool is_upper(char c) { return is<upper_bit>(c); }
inline bool is_hex(char c) { return is<hex_bit>(c); }
[[gnu::always_inline]] inline bool is_name_start(char c) { return is_lower(c) || c == '_'; }

/// The first character from p on that is of these classes, or of none of them. The zero byte at the end of the text stops both. Takes four
/// at a time: names and texts are most of a manifest's code.
template <uint8_t bits, bool member> [[gnu::always_inline]] inline const char* find_class(const char* p) {
  for (;; p += 4) {
    if (is<bits>(p[0]) == member) return p;
    if (is<bits>(p[1]) == member) return p + 1;
    if (is<bits>(p[2]) == member) return p + 2;
    if (is<bits>(p[3]) == member) return p + 3;
  }
}
/// The end of the letters, digits and underscores that begin at p.
[[gnu::always_inline]] inline const char* word_end(const char* p) { return find_class<word_bit, false>(p); }

/// The end of the segments of a variable's name, which begin at p; p when there is none.
[[gnu::always_inline]] inline const char* variable_end(const char* p, VariableName& name) {
  const char* end = p;
  name = {is_name_start(*p) ? RawToken::plain_variable : uint8_t(0), 0};
  if (p[0] == ':' && p[1] == ':') end += 2;
  if (!is_word(*end)) return p;
  for (const char* base = end;; base = end) {
    end = word_end(end);
    if (end[0] != ':' || end[1] != ':' || !is_word(end[2])) {
      if (base - p <= UINT16_MAX) name.base = static_cast<uint16_t>(base - p);
      return end;
    }
    end += 2;
    name.flags = 0;
  }
}

} // namespace pupc
