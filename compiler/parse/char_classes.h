#pragma once
// Inner header of the lexer's sources: classes of characters, and loops over them.
#include "compiler/parse/lexer.h"

#include <array>
#include <bit>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace pupc::compiler {

enum CharClass : uint8_t {
  word_bit = 1,
  digit_bit = 2,
  lower_bit = 4,
  upper_bit = 8,
  hex_bit = 16,
  single_bit = 32, // ends the plain part of a text in single quotes
  double_bit = 64, // the same for double quotes
  gap_bit = 128,   // may stand between two tokens: a blank, a line end, a comment, the end of the text
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
  t['\\'] = single_bit | double_bit;
  t[0] = single_bit | double_bit | gap_bit;
  t[' '] = t['\n'] = t['#'] = gap_bit;
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
#ifdef __SSE2__
/// Sixteen bytes of a text, and for questions about them the answers as bits. Every x86-64 processor has these instructions.
struct Bytes {
  __m128i bytes;

  explicit Bytes(const char* p) : bytes(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p))) {}
  static __m128i all(char c) { return _mm_set1_epi8(c); }
  static __m128i between(__m128i v, char first, char last) {
    const __m128i distance = _mm_sub_epi8(v, all(first)); // as a number without sign, large for what lies before `first`
    return _mm_cmpeq_epi8(_mm_min_epu8(distance, all(static_cast<char>(last - first))), distance);
  }
  __m128i equal(char c) const { return _mm_cmpeq_epi8(bytes, all(c)); }
  __m128i words() const {
    const __m128i letters = between(_mm_or_si128(bytes, all(0x20)), 'a', 'z');
    return _mm_or_si128(_mm_or_si128(letters, between(bytes, '0', '9')), equal('_'));
  }
  static uint32_t bits(__m128i v) { return static_cast<uint32_t>(_mm_movemask_epi8(v)); }
};

/// The first place from p on that `stops` marks among the next bytes, in a text that ends at `end`; null if it is not among them all and
/// only fewer than sixteen are left, which begin at p then. The processor does not foresee where a loop over characters ends.
template <class Stops> [[gnu::always_inline]] inline const char* find_in_blocks(const char*& p, const char* end, Stops stops) {
  for (; end - p >= 16; p += 16)
    if (const uint32_t found = stops(Bytes(p)); found != 0) return p + std::countr_zero(found);
  return nullptr;
}
#else
struct Bytes {
  explicit Bytes(const char*) {}
};
template <class Stops> inline const char* find_in_blocks(const char*&, const char*, Stops) { return nullptr; }
#endif

/// The end of the letters, digits and underscores that begin at p, in a text that ends at `end`.
[[gnu::always_inline]] inline const char* word_end(const char* p, const char* end) {
  if (const char* found = find_in_blocks(p, end, [](auto b) { return b.bits(b.words()) ^ 0xFFFF; })) return found;
  return find_class<word_bit, false>(p);
}

/// The end of the blanks that begin at p.
[[gnu::always_inline]] inline const char* spaces_end(const char* p, const char* end) {
  if (const char* found = find_in_blocks(p, end, [](auto b) { return b.bits(b.equal(' ')) ^ 0xFFFF; })) return found;
  while (*p == ' ') ++p;
  return p;
}

/// The first character from p on that a text in these quotes does not hold as it is, or the end of the whole text.
template <char quote> [[gnu::always_inline]] inline const char* plain_text_end(const char* p, const char* end) {
  const char* found = find_in_blocks(p, end, [](auto b) {
    auto stops = b.bits(b.equal(quote)) | b.bits(b.equal('\\'));
    if constexpr (quote == '"') stops |= b.bits(b.equal('$'));
    return stops;
  });
  return found != nullptr ? found : find_class < quote == '"' ? double_bit : single_bit, true > (p);
}

/// The end of the segments of a variable's name, which begin at p; p when there is none.
[[gnu::always_inline]] inline const char* variable_end(const char* p, const char* text_end, VariableName& name) {
  const char* end = p;
  name = {};
  if (p[0] == ':' && p[1] == ':') end += 2;
  if (!is_word(*end)) return p;
  const bool good_start = is_name_start(*end);
  for (const char* base = end;; base = end) {
    end = word_end(end, text_end);
    if (end[0] != ':' || end[1] != ':' || !is_word(end[2])) {
      name.flags = base == p && good_start ? RawToken::plain_variable : 0;
      if (base - p <= UINT16_MAX) name.base = static_cast<uint16_t>(base - p);
      return end;
    }
    end += 2;
  }
}

} // namespace pupc::compiler
