#include "compiler/eval/numeric_text.h"

#include <charconv>
#include <cmath>

namespace pupc {
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
  // fraction and exponent; an exponent has no plus sign in this pattern
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

namespace {

struct UriParts {
  std::string_view scheme, authority, path, query, fragment;
  bool has_scheme = false, has_authority = false, has_query = false, has_fragment = false;
};

UriParts split_uri(std::string_view s) {
  UriParts p;
  if (size_t at = s.find('#'); at != std::string_view::npos) {
    p.fragment = s.substr(at + 1);
    p.has_fragment = true;
    s = s.substr(0, at);
  }
  if (size_t at = s.find('?'); at != std::string_view::npos) {
    p.query = s.substr(at + 1);
    p.has_query = true;
    s = s.substr(0, at);
  }
  if (size_t colon = s.find(':'); colon != std::string_view::npos && colon > 0 && s.find('/') > colon) {
    p.scheme = s.substr(0, colon);
    p.has_scheme = true;
    s = s.substr(colon + 1);
  }
  if (s.starts_with("//")) {
    size_t end = std::min(s.find('/', 2), s.size());
    p.authority = s.substr(2, end - 2);
    p.has_authority = true;
    s = s.substr(end);
  }
  p.path = s;
  return p;
}

std::string without_dot_segments(std::string_view path) {
  std::vector<std::string_view> kept;
  bool absolute = path.starts_with('/'), trailing = false;
  size_t i = absolute ? 1 : 0;
  while (i <= path.size()) {
    size_t end = std::min(path.find('/', i), path.size());
    std::string_view segment = path.substr(i, end - i);
    trailing = segment == "." || segment == "..";
    if (segment == "..") {
      if (!kept.empty()) kept.pop_back();
    } else if (segment != ".") {
      kept.push_back(segment);
    }
    i = end + 1;
  }
  std::string out = absolute ? "/" : "";
  for (size_t k = 0; k < kept.size(); ++k) out.append(k ? "/" : "").append(kept[k]);
  if (trailing && !kept.empty()) out += '/';
  return out;
}

} // namespace

Value merge_uri(Arena& arena, const Value& base_value, const Value& reference) {
  UriParts base = split_uri(base_value.str()), r = split_uri(reference.str());
  if (r.has_scheme) return Value::uri(arena.copy(reference.str()));
  std::string out;
  if (base.has_scheme) out.append(base.scheme).append(":");
  UriParts t = base;
  t.has_query = r.has_query;
  t.query = r.query;
  std::string path;
  if (r.has_authority) {
    t.has_authority = true;
    t.authority = r.authority;
    path = without_dot_segments(r.path);
  } else if (r.path.empty()) {
    path = base.path;
    if (!r.has_query) {
      t.has_query = base.has_query;
      t.query = base.query;
    }
  } else if (r.path.starts_with('/')) {
    path = without_dot_segments(r.path);
  } else {
    size_t slash = base.path.rfind('/');
    std::string merged = slash == std::string_view::npos ? std::string(base.has_authority ? "/" : "") : std::string(base.path.substr(0, slash + 1));
    path = without_dot_segments(merged.append(r.path));
  }
  if (t.has_authority) out.append("//").append(t.authority);
  out += path;
  if (t.has_query) out.append("?").append(t.query);
  if (r.has_fragment) out.append("#").append(r.fragment);
  return Value::uri(arena.copy(out));
}

} // namespace pupc
