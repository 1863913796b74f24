#include "compiler/function/ruby_arguments.h"
#include "compiler/types/ruby_class.h"

#include <algorithm>
#include <charconv>

namespace pupc::compiler {

Value legacy_argument(const FunctionCall& c, size_t i) {
  if (i >= c.size() || c.args[i].is_undef()) return Value::string("");
  return c.args[i];
}

int64_t ruby_to_i(const Value& v) {
  if (v.is_int()) return v.i;
  if (v.is_float()) return static_cast<int64_t>(v.d);
  if (!v.is_string()) return 0;
  std::string_view s = v.str();
  while (!s.empty() && (s.front() == ' ' || (s.front() >= '\t' && s.front() <= '\r'))) s.remove_prefix(1);
  bool negative = s.starts_with('-');
  if (negative || s.starts_with('+')) s.remove_prefix(1);
  int64_t n = 0;
  for (char ch : s) {
    if (ch == '_') continue;
    if (ch < '0' || ch > '9' || n > INT64_MAX / 10 - 1) break;
    n = n * 10 + (ch - '0');
  }
  return negative ? -n : n;
}

bool ruby_float(std::string_view s, double& out) {
  while (!s.empty() && (s.front() == ' ' || (s.front() >= '\t' && s.front() <= '\r'))) s.remove_prefix(1);
  while (!s.empty() && (s.back() == ' ' || (s.back() >= '\t' && s.back() <= '\r'))) s.remove_suffix(1);
  auto digit = [&](size_t i) { return i < s.size() && s[i] >= '0' && s[i] <= '9'; };
  std::string plain;
  for (size_t i = 0; i < s.size(); ++i) {
    if (s[i] == '_') {
      if (i == 0 || !digit(i - 1) || !digit(i + 1)) return false;
      continue;
    }
    plain += s[i];
  }
  std::string_view text = plain;
  if (text.starts_with('+')) text.remove_prefix(1);
  size_t first = text.starts_with('-') ? 1 : 0;
  if (std::string_view hex = text.substr(std::min(first, text.size()));
      hex.size() > 2 && hex[0] == '0' && (hex[1] == 'x' || hex[1] == 'X')) {
    uint64_t n = 0;
    auto r = std::from_chars(hex.data() + 2, hex.data() + hex.size(), n, 16);
    out = first == 1 ? -static_cast<double>(n) : static_cast<double>(n);
    return r.ec == std::errc() && r.ptr == hex.data() + hex.size();
  }
  if (first + 1 < text.size() && text[first] == '.' && text[first + 1] >= '0' && text[first + 1] <= '9') {
    auto r = std::from_chars(text.data(), text.data() + text.size(), out);
    return r.ec == std::errc() && r.ptr == text.data() + text.size();
  }
  if (first >= text.size() || text[first] < '0' || text[first] > '9') return false;
  size_t dot = text.find('.');
  if (dot != std::string_view::npos && (dot + 1 >= text.size() || text[dot + 1] < '0' || text[dot + 1] > '9')) return false;
  auto r = std::from_chars(text.data(), text.data() + text.size(), out);
  return r.ec == std::errc() && r.ptr == text.data() + text.size();
}

std::string conversion_name(const Value& v) {
  if (v.is_undef()) return "nil";
  if (v.is_bool()) return v.b ? "true" : "false";
  return ruby_class_name(v);
}

} // namespace pupc::compiler
