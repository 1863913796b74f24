#include "catalog/graph/tags.h"

#include "catalog/base/text.h"
#include "catalog/value/regex.h"
#include "catalog/value/unicode_case.h"

#include <algorithm>

namespace pupc::catalog {
namespace {

bool ascii_word(unsigned char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; }

} // namespace

bool valid_tag(std::string_view text) {
  if (text.empty()) return false;
  if (is_ascii(text)) {
    if (text.size() > 1 && text.back() == '\n') text.remove_suffix(1); // as Ruby's \Z allows
    if (!ascii_word(static_cast<unsigned char>(text[0]))) return false;
    return std::all_of(text.begin() + 1, text.end(),
                       [](char c) { return ascii_word(static_cast<unsigned char>(c)) || c == ':' || c == '.' || c == '-'; });
  }
  static const Regex pattern("\\A[[:alnum:]_][[:alnum:]_:.-]*\\Z");
  return pattern.matches(text);
}

std::vector<std::string_view> split_segments(std::string_view name) {
  std::vector<std::string_view> out;
  for (size_t at = 0;;) {
    size_t end = name.find("::", at);
    out.push_back(name.substr(at, end == std::string_view::npos ? end : end - at));
    if (end == std::string_view::npos) break;
    at = end + 2;
  }
  while (!out.empty() && out.back().empty()) out.pop_back();
  return out;
}

std::string downcase_name(std::string_view text) { return is_ascii(text) ? ascii_lower(text) : downcase(text); }

std::string capitalize_segments(std::string_view name) {
  if (!name.empty() && name[0] >= 'A' && name[0] <= 'Z') return std::string(name);
  std::string out;
  out.reserve(name.size());
  bool first = true;
  for (auto segment : split_segments(name)) {
    if (!first) out += "::";
    first = false;
    std::string low = downcase_name(segment);
    if (!low.empty() && low[0] >= 'a' && low[0] <= 'z') low[0] = static_cast<char>(low[0] - 32);
    out += low;
  }
  return out;
}

bool split_reference(std::string_view text, std::string_view& type, std::string_view& title) {
  size_t open = text.find('[');
  if (open == std::string_view::npos || open == 0) return false;
  size_t close = text.rfind(']');
  if (close == std::string_view::npos || close <= open + 1) return false;
  // Puppet's pattern matches a whole line, and a type name contains no brackets.
  if (text.substr(0, open).find(']') != std::string_view::npos || close + 1 != text.size()) return false;
  type = text.substr(0, open);
  title = text.substr(open + 1, close - open - 1);
  return true;
}

} // namespace pupc::catalog
