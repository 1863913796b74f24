#include "catalog/base/octal_escapes.h"

#include <algorithm>

namespace pupc::catalog {

std::optional<char> octal_escape(std::string_view text, size_t at) {
  if (at + 4 > text.size() || text[at] != '\\') return std::nullopt;
  const std::string_view digits = text.substr(at + 1, 3);
  if (!std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '7'; })) return std::nullopt;
  return static_cast<char>((digits[0] - '0') * 64 + (digits[1] - '0') * 8 + (digits[2] - '0'));
}

std::string without_octal_escapes(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const auto byte = octal_escape(text, i);
    out += byte.value_or(text[i]);
    if (byte) i += 3;
  }
  return out;
}

} // namespace pupc::catalog
