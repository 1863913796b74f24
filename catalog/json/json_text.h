#pragma once
// The characters of JSON strings. Inside of catalog/json.
#include <cstdint>
#include <cstring>

namespace pupc::catalog {

/// Whether the eight bytes of a word stand for themselves in a string: no quote, backslash or control character. Looks at all at once: a
/// byte whose highest bit a subtraction of its neighbours' limits sets is one, and a byte may be found in vain, never be missed.
inline bool word_is_plain(uint64_t word) {
  constexpr uint64_t ones = 0x0101010101010101, high = 0x8080808080808080;
  const uint64_t quote = word ^ (ones * '"'), backslash = word ^ (ones * '\\');
  return ((((word - ones * 0x20) | (quote - ones) | (backslash - ones)) & ~word) & high) == 0;
}

inline bool eight_are_plain(const char* bytes) {
  uint64_t word = 0;
  std::memcpy(&word, bytes, sizeof(word));
  return word_is_plain(word);
}

} // namespace pupc::catalog
