#include "catalog/diff/ignore_rules.h"
#include "catalog/base/text.h"
#include "catalog/diff/pattern.h"

#include <fmt/format.h>

#include <algorithm>

namespace pupc::catalog {
namespace {} // namespace

bool IgnoreRules::add(std::string_view rule, std::string& problem) {
  const std::string_view whole = trimmed(rule);
  Rule out;
  std::string_view rest;
  const size_t bracket = whole.find('['), blank = whole.find_first_of(" \t");
  if (bracket != std::string_view::npos && bracket < blank) {
    // A title may contain blanks and brackets, so it ends at the last bracket.
    const size_t end = whole.rfind(']');
    if (end == std::string_view::npos || end < bracket) {
      problem = fmt::format("'{}' has no ] after the title: a rule is TYPE, TYPE[TITLE] or TYPE[TITLE] ATTRIBUTE", whole);
      return false;
    }
    out.type = whole.substr(0, bracket);
    out.title = whole.substr(bracket + 1, end - bracket - 1);
    rest = whole.substr(end + 1);
    if (!rest.empty() && rest[0] != ' ' && rest[0] != '\t') {
      problem = fmt::format("'{}' goes on after its ]: a rule is TYPE, TYPE[TITLE] or TYPE[TITLE] ATTRIBUTE", whole);
      return false;
    }
  } else {
    out.type = whole.substr(0, blank);
    if (blank != std::string_view::npos) rest = whole.substr(blank);
  }
  if (out.type.empty()) {
    problem = fmt::format("'{}' names no type: a rule is TYPE, TYPE[TITLE] or TYPE[TITLE] ATTRIBUTE", whole);
    return false;
  }
  for (rest = trimmed(rest); !rest.empty(); rest = trimmed(rest)) {
    const size_t end = std::min(rest.find_first_of(" \t"), rest.size());
    out.attributes.emplace_back(rest.substr(0, end));
    rest.remove_prefix(end);
  }
  rules_.push_back(std::move(out));
  return true;
}

bool IgnoreRules::add_lines(std::string_view text, std::string& problem) {
  for (size_t number = 1; !text.empty(); ++number) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty() || line[0] == '#') continue;
    if (add(line, problem)) continue;
    problem = fmt::format("line {}: {}", number, problem);
    return false;
  }
  return true;
}

bool IgnoreRules::covers(std::string_view type, std::string_view title) const {
  return std::any_of(rules_.begin(), rules_.end(), [&](const Rule& r) {
    return r.attributes.empty() && fits_pattern(r.type, type, true) && (r.title.empty() || fits_pattern(r.title, title));
  });
}

bool IgnoreRules::covers(std::string_view type, std::string_view title, std::string_view attribute) const {
  return std::any_of(rules_.begin(), rules_.end(), [&](const Rule& r) {
    return fits_pattern(r.type, type, true) && (r.title.empty() || fits_pattern(r.title, title)) &&
           std::any_of(r.attributes.begin(), r.attributes.end(), [&](const std::string& a) { return fits_pattern(a, attribute); });
  });
}

} // namespace pupc::catalog
