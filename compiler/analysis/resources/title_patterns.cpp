#include "compiler/analysis/resources/title_patterns.h"

#include "catalog/base/wildcards.h"

#include <functional>

namespace pupc::compiler {

bool fits_title(std::string_view pattern, std::string_view text) {
  // Most patterns end otherwise.
  if (!pattern.empty() && pattern.back() != '\1' && (text.empty() || text.back() != pattern.back())) return false;
  return fits_wildcards(pattern, text, '\1', std::equal_to<char>());
}

bool may_be_one(std::string_view a, std::string_view b) {
  const auto begin = [](std::string_view p) { return p.substr(0, p.find('\1')); };
  const auto end = [](std::string_view p) { return p.find('\1') == std::string_view::npos ? p : p.substr(p.rfind('\1') + 1); };
  if (a.find('\1') == std::string_view::npos) return fits_title(b, a);
  if (b.find('\1') == std::string_view::npos) return fits_title(a, b);
  return (begin(a).starts_with(begin(b)) || begin(b).starts_with(begin(a))) && (end(a).ends_with(end(b)) || end(b).ends_with(end(a)));
}

bool share_a_side(std::string_view a, std::string_view b) {
  return (a.front() != '\1' && b.front() != '\1') || (a.back() != '\1' && b.back() != '\1');
}

std::string shown_pattern(std::string_view pattern) {
  std::string out;
  for (const char c : pattern) out += c == '\1' ? std::string("…") : std::string(1, c);
  return out;
}

} // namespace pupc::compiler
