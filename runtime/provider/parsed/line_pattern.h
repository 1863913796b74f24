#pragma once
// Helpers to parse lines with regular expressions. Handlers use the same expressions as Puppet, so that odd lines give the same result.
#include "catalog/value/regex.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pupc::runtime {

/// The texts of groups 1…n of the first match. A group that took no part is nothing; without a match the whole result is nothing.
inline std::optional<std::vector<std::optional<std::string>>> groups_of(const Regex& pattern, std::string_view line) {
  const MatchResult m = pattern.search(line);
  if (!m.matched) return std::nullopt;
  std::vector<std::optional<std::string>> out;
  for (size_t i = 1; i < m.groups.size(); ++i) {
    const auto& g = m.groups[i];
    out.push_back(g.begin < 0
                      ? std::nullopt
                      : std::optional(std::string(line.substr(static_cast<size_t>(g.begin), static_cast<size_t>(g.end - g.begin)))));
  }
  return out;
}

/// Ruby's String#split with a pattern: keeps an empty first part and drops empty last parts.
inline std::vector<std::string> split_by(const Regex& separator, std::string_view line) {
  std::vector<std::string> out;
  size_t begin = 0;
  for (;;) {
    const MatchResult m = separator.search(line, begin);
    if (!m.matched || m.groups[0].end == m.groups[0].begin) break;
    out.emplace_back(line.substr(begin, static_cast<size_t>(m.groups[0].begin) - begin));
    begin = static_cast<size_t>(m.groups[0].end);
  }
  out.emplace_back(line.substr(begin));
  while (!out.empty() && out.back().empty()) out.pop_back();
  return out;
}

/// Replaces all matches, as Ruby's gsub does with a plain replacement text.
inline std::string replace_all(const Regex& pattern, std::string_view text, std::string_view by) {
  std::string out;
  size_t at = 0;
  while (at <= text.size()) {
    const MatchResult m = pattern.search(text, at);
    if (!m.matched) break;
    const size_t begin = static_cast<size_t>(m.groups[0].begin), end = static_cast<size_t>(m.groups[0].end);
    out += text.substr(at, begin - at);
    out += by;
    if (end == begin && begin < text.size()) out += text[begin];
    at = end == begin ? end + 1 : end;
  }
  if (at < text.size()) out += text.substr(at);
  return out;
}

} // namespace pupc::runtime
