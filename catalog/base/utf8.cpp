#include "catalog/base/utf8.h"

#include <cstdint>
#include <cstring>

namespace pupc::catalog {

bool valid_utf8(std::string_view text) {
  for (size_t i = 0; i < text.size();) {
    if (i + 32 <= text.size()) { // most texts are ASCII: many bytes at once
      uint64_t words[4];
      std::memcpy(words, text.data() + i, 32);
      if (((words[0] | words[1] | words[2] | words[3]) & 0x8080808080808080ull) == 0) {
        i += 32;
        continue;
      }
    }
    if (i + 8 <= text.size()) {
      uint64_t word = 0;
      std::memcpy(&word, text.data() + i, 8);
      if ((word & 0x8080808080808080ull) == 0) {
        i += 8;
        continue;
      }
    } else if (text.size() >= 8) { // the last ones, with some that were looked at
      uint64_t word = 0;
      std::memcpy(&word, text.data() + text.size() - 8, 8);
      if ((word & 0x8080808080808080ull) == 0) return true;
    }
    auto c = static_cast<unsigned char>(text[i]);
    if (c < 0x80) {
      ++i;
      continue;
    }
    size_t n = c >= 0xC2 && c <= 0xDF ? 1 : (c & 0xF0) == 0xE0 ? 2 : c >= 0xF0 && c <= 0xF4 ? 3 : 0;
    if (n == 0 || i + n >= text.size()) return false;
    for (size_t k = 1; k <= n; ++k)
      if ((static_cast<unsigned char>(text[i + k]) & 0xC0) != 0x80) return false;
    auto second = static_cast<unsigned char>(text[i + 1]);
    if ((c == 0xE0 && second < 0xA0) || (c == 0xED && second > 0x9F) || (c == 0xF0 && second < 0x90) || (c == 0xF4 && second > 0x8F))
      return false;
    i += n + 1;
  }
  return true;
}

} // namespace pupc::catalog
