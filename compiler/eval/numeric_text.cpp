#include "compiler/eval/numeric_text.h"

#include <charconv>
#include <cmath>

namespace pupc::compiler {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

std::optional<Value> integer(std::string_view digits, int base, bool negative) {
  uint64_t magnitude = 0;
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), magnitude, base);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  constexpr uint64_t limit = uint64_t(1) << 63;
  if (magnitude > limit || (magnitude == limit && !negative)) return std::nullopt;
  return Value::integer(negative ? static_cast<int64_t>(-magnitude) : static_cast<int64_t>(magnitude));
}

} // namespace

std::optional<Value> number_from_text(std::string_view s) {
  if (s.starts_with("::")) s.remove_prefix(2);
  auto skip_blanks = [&] {
    while (!s.empty() && is_blank(s.front())) s.remove_prefix(1);
  };
  skip_blanks();
  bool negative = false;
  if (!s.empty() && (s.front() == '+' || s.front() == '-')) {
    negative = s.front() == '-';
    s.remove_prefix(1);
  }
  skip_blanks();
  while (!s.empty() && is_blank(s.back())) s.remove_suffix(1);
  if (s.empty() || !is_digit(s[0])) return std::nullopt;
  if (s.size() > 2 && s[0] == '0' && (s[1] == 'x' || s[1] == 'X')) {
    for (char c : s.substr(2))
      if (!is_hex(c)) return std::nullopt;
    return integer(s.substr(2), 16, negative);
  }
  size_t i = 0;
  while (i < s.size() && is_digit(s[i])) ++i;
  std::string_view whole = s.substr(0, i);
  if (i == s.size()) {
    if (whole.size() > 1 && whole[0] == '0') return integer(whole.substr(1), 8, negative);
    return integer(whole, 10, negative);
  }
  // Fraction and exponent. Puppet's pattern allows no plus sign in an exponent.
  if (s[i] == '.') {
    size_t begin = ++i;
    while (i < s.size() && is_digit(s[i])) ++i;
    if (i == begin) return std::nullopt;
  }
  if (i < s.size() && (s[i] == 'e' || s[i] == 'E')) {
    ++i;
    if (i < s.size() && s[i] == '-') ++i;
    size_t begin = i;
    while (i < s.size() && is_digit(s[i])) ++i;
    if (i == begin) return std::nullopt;
  }
  if (i != s.size()) return std::nullopt;
  double d = 0;
  auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), d);
  if (error != std::errc() || std::isinf(d)) return std::nullopt;
  return Value::floating(negative ? -d : d);
}

} // namespace pupc::compiler
