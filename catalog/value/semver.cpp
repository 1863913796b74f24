#include "catalog/value/semver.h"

#include <charconv>
#include <fmt/format.h>

namespace pupc::catalog {
namespace {

bool digits(std::string_view s) {
  if (s.empty()) return false;
  for (char c : s)
    if (c < '0' || c > '9') return false;
  return true;
}

std::optional<int64_t> number(std::string_view s) {
  if (!digits(s) || (s.size() > 1 && s[0] == '0')) return std::nullopt;
  int64_t v = 0;
  if (std::from_chars(s.data(), s.data() + s.size(), v).ec != std::errc()) return std::nullopt;
  return v;
}

bool identifiers(std::string_view s, bool numbers_strict) {
  while (true) {
    size_t dot = s.find('.');
    std::string_view part = s.substr(0, dot);
    if (part.empty()) return false;
    for (char c : part)
      if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-')) return false;
    if (numbers_strict && digits(part) && part.size() > 1 && part[0] == '0') return false;
    if (dot == std::string_view::npos) return true;
    s.remove_prefix(dot + 1);
  }
}

int compare_identifier(std::string_view a, std::string_view b) {
  bool na = digits(a), nb = digits(b);
  if (na && nb) {
    if (a.size() != b.size()) return a.size() < b.size() ? -1 : 1;
    return a.compare(b);
  }
  if (na != nb) return na ? -1 : 1;
  return a.compare(b);
}

} // namespace

int compare(const SemVer& a, const SemVer& b) {
  if (a.major != b.major) return a.major < b.major ? -1 : 1;
  if (a.minor != b.minor) return a.minor < b.minor ? -1 : 1;
  if (a.patch != b.patch) return a.patch < b.patch ? -1 : 1;
  std::string_view x = a.prerelease, y = b.prerelease;
  if (x.empty() || y.empty()) return x.empty() == y.empty() ? 0 : (x.empty() ? 1 : -1);
  while (true) {
    size_t dx = x.find('.'), dy = y.find('.');
    int c = compare_identifier(x.substr(0, dx), y.substr(0, dy));
    if (c != 0) return c < 0 ? -1 : 1;
    bool more_x = dx != std::string_view::npos, more_y = dy != std::string_view::npos;
    if (!more_x || !more_y) return more_x == more_y ? 0 : (more_x ? 1 : -1);
    x.remove_prefix(dx + 1);
    y.remove_prefix(dy + 1);
  }
}

std::optional<SemVer> parse_semver(std::string_view text) {
  SemVer v;
  std::string_view rest = text;
  if (size_t plus = rest.find('+'); plus != std::string_view::npos) {
    v.build = rest.substr(plus + 1);
    if (!identifiers(v.build, false)) return std::nullopt;
    rest = rest.substr(0, plus);
  }
  if (size_t dash = rest.find('-'); dash != std::string_view::npos) {
    v.prerelease = rest.substr(dash + 1);
    if (!identifiers(v.prerelease, true)) return std::nullopt;
    rest = rest.substr(0, dash);
  }
  size_t d1 = rest.find('.');
  size_t d2 = d1 == std::string_view::npos ? d1 : rest.find('.', d1 + 1);
  if (d2 == std::string_view::npos) return std::nullopt;
  auto a = number(rest.substr(0, d1)), b = number(rest.substr(d1 + 1, d2 - d1 - 1)), c = number(rest.substr(d2 + 1));
  if (!a || !b || !c) return std::nullopt;
  v.major = *a;
  v.minor = *b;
  v.patch = *c;
  return v;
}

std::string to_string(const SemVer& v) {
  std::string out = fmt::format("{}.{}.{}", v.major, v.minor, v.patch);
  if (!v.prerelease.empty()) out.append("-").append(v.prerelease);
  if (!v.build.empty()) out.append("+").append(v.build);
  return out;
}

bool same_range(const SemVerRange& a, const SemVerRange& b) {
  if (a.alternatives.size() != b.alternatives.size()) return false;
  for (size_t i = 0; i < a.alternatives.size(); ++i) {
    auto x = a.alternatives[i], y = b.alternatives[i];
    if (x.size() != y.size()) return false;
    for (size_t k = 0; k < x.size(); ++k)
      if (x[k].op != y[k].op || compare(x[k].version, y[k].version) != 0 || x[k].version.build != y[k].version.build) return false;
  }
  return true;
}

std::string comparators_of(const SemVerRange& range) {
  std::string out;
  for (const auto& set : range.alternatives) {
    if (!out.empty()) out += " || ";
    if (set.empty()) out += "*";
    for (size_t i = 0; i < set.size(); ++i) {
      static constexpr const char* signs[] = {"<", "<=", ">", ">=", ""};
      if (i > 0) out += ' ';
      out += signs[static_cast<size_t>(set[i].op)];
      out += to_string(set[i].version);
    }
  }
  return out;
}

} // namespace pupc::catalog
