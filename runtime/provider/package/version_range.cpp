#include "runtime/provider/package/version_range.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <climits>

namespace pupc::runtime {
namespace {

bool is_digit(char c) { return isdigit(static_cast<unsigned char>(c)) != 0; }
bool is_letter(char c) { return isalpha(static_cast<unsigned char>(c)) != 0; }

int order_of(int a, int b) { return a < b ? -1 : a > b ? 1 : 0; }

/// Compares runs of digits as numbers of any length.
int compare_numbers(std::string_view a, std::string_view b) {
  while (a.starts_with('0')) a.remove_prefix(1);
  while (b.starts_with('0')) b.remove_prefix(1);
  if (a.size() != b.size()) return a.size() < b.size() ? -1 : 1;
  return order_of(a.compare(b), 0);
}

/// Rank of a character that is no digit: ~ comes before the end of the text, letters before other signs.
int debian_rank(std::string_view s, size_t i) {
  if (i >= s.size()) return 0;
  const unsigned char c = static_cast<unsigned char>(s[i]);
  if (c == '~') return -1;
  if (isdigit(c)) return 0;
  return isalpha(c) ? c : c + 256;
}

int compare_debian_part(std::string_view a, std::string_view b) {
  size_t i = 0, j = 0;
  auto digit = [](std::string_view s, size_t k) { return k < s.size() && isdigit(static_cast<unsigned char>(s[k])); };
  while (i < a.size() || j < b.size()) {
    while ((i < a.size() && !digit(a, i)) || (j < b.size() && !digit(b, j))) {
      const int x = debian_rank(a, i), y = debian_rank(b, j);
      if (x != y) return x < y ? -1 : 1;
      if (i < a.size()) ++i;
      if (j < b.size()) ++j;
    }
    while (i < a.size() && a[i] == '0') ++i;
    while (j < b.size() && b[j] == '0') ++j;
    int first = 0;
    while (digit(a, i) && digit(b, j)) {
      if (first == 0) first = a[i] - b[j];
      ++i;
      ++j;
    }
    if (digit(a, i)) return 1;
    if (digit(b, j)) return -1;
    if (first != 0) return first < 0 ? -1 : 1;
  }
  return 0;
}

/// Compares a part of a version as Puppet does for rpm: runs of digits as numbers, runs of letters as texts, numbers above letters. ~
/// sorts below the end of the text; other signs, also ^, only end a run.
int compare_rpm_part(std::string_view a, std::string_view b) {
  size_t i = 0, j = 0;
  auto skip = [](std::string_view s, size_t& k) {
    while (k < s.size() && !isalnum(static_cast<unsigned char>(s[k])) && s[k] != '~') ++k;
  };
  for (;;) {
    skip(a, i);
    skip(b, j);
    const char x = i < a.size() ? a[i] : '\0', y = j < b.size() ? b[j] : '\0';
    if (x == '~' || y == '~') {
      if (x != y) return x == '~' ? -1 : 1;
      ++i, ++j;
      continue;
    }
    if (x == '\0' || y == '\0') return x == y ? 0 : x == '\0' ? -1 : 1;
    const bool digits = isdigit(static_cast<unsigned char>(x)) != 0;
    auto run_of = [&](std::string_view s, size_t& k) {
      const size_t begin = k;
      while (k < s.size() && (digits ? isdigit(static_cast<unsigned char>(s[k])) : isalpha(static_cast<unsigned char>(s[k])))) ++k;
      return s.substr(begin, k - begin);
    };
    std::string_view p = run_of(a, i), q = run_of(b, j);
    if (q.empty()) return digits ? 1 : -1;
    if (digits) {
      while (p.starts_with('0')) p.remove_prefix(1);
      while (q.starts_with('0')) q.remove_prefix(1);
      if (p.size() != q.size()) return p.size() < q.size() ? -1 : 1;
    }
    if (const int order = p.compare(q)) return order < 0 ? -1 : 1;
  }
}

/// "epoch:version-release" in its parts. An epoch that is no number is none; an architecture at the end of the release is no part of it.
struct RpmVersion {
  std::optional<std::string_view> epoch, release;
  std::string_view version;

  explicit RpmVersion(std::string_view text) {
    if (const size_t colon = text.find(':'); colon != std::string_view::npos) {
      const std::string_view before = text.substr(0, colon);
      if (!before.empty() && std::all_of(before.begin(), before.end(), is_digit)) epoch = before;
      text.remove_prefix(colon + 1);
    }
    const size_t dash = text.find('-');
    version = text.substr(0, dash);
    if (dash == std::string_view::npos) return;
    release = text.substr(dash + 1);
    for (std::string_view arch : rpm_architectures)
      if (release->ends_with(arch)) {
        release->remove_suffix(arch.size());
        break;
      }
  }
};

/// A part that is there is newer than one that is not.
int compare_rpm_parts(std::optional<std::string_view> a, std::optional<std::string_view> b) {
  return a && b ? compare_rpm_part(*a, *b) : order_of(a.has_value(), b.has_value());
}

/// A version of PEP 440 in its parts. A phase is what follows the release: "a", "b", "rc", "post", "dev".
struct PipVersion {
  std::string epoch = "0";
  std::vector<std::string> release;
  int pre_rank = INT_MAX; // a, b, rc; without one a release comes after its pre-releases
  std::string pre, post, dev, local;
  bool has_post = false, has_dev = false;
};

std::string_view take_digits(std::string_view& s) {
  size_t n = 0;
  while (n < s.size() && is_digit(s[n])) ++n;
  const std::string_view out = s.substr(0, n);
  s.remove_prefix(n);
  return out;
}

/// Takes one of the names, with a separator before and after it where there is one.
std::string_view take_phase(std::string_view& s, std::initializer_list<std::string_view> names) {
  std::string_view rest = s;
  if (rest.find_first_of("-_.") == 0) rest.remove_prefix(1);
  for (const std::string_view name : names)
    if (rest.starts_with(name)) {
      rest.remove_prefix(name.size());
      if (rest.size() > 1 && rest.find_first_of("-_.") == 0 && is_digit(rest[1])) rest.remove_prefix(1);
      s = rest;
      return name;
    }
  return {};
}

PipVersion parse_pip(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return static_cast<char>(tolower(c)); });
  std::string_view s = lower;
  while (s.starts_with(' ')) s.remove_prefix(1);
  if (s.starts_with('v')) s.remove_prefix(1);
  PipVersion v;
  if (const size_t mark = s.find('!'); mark != std::string_view::npos) {
    v.epoch = s.substr(0, mark);
    s.remove_prefix(mark + 1);
  }
  while (!s.empty() && is_digit(s[0])) {
    v.release.emplace_back(take_digits(s));
    if (s.size() > 1 && s[0] == '.' && is_digit(s[1])) s.remove_prefix(1);
  }
  while (v.release.size() > 1 && v.release.back().find_first_not_of('0') == std::string::npos) v.release.pop_back();
  if (const std::string_view name = take_phase(s, {"alpha", "a", "beta", "b", "preview", "pre", "rc", "c"}); !name.empty()) {
    v.pre_rank = name[0] == 'a' ? 0 : name[0] == 'b' ? 1 : 2;
    v.pre = take_digits(s);
  }
  if (s.size() > 1 && s[0] == '-' && is_digit(s[1])) {
    s.remove_prefix(1);
    v.has_post = true;
    v.post = take_digits(s);
  } else if (!take_phase(s, {"post", "rev", "r"}).empty()) {
    v.has_post = true;
    v.post = take_digits(s);
  }
  if (!take_phase(s, {"dev"}).empty()) {
    v.has_dev = true;
    v.dev = take_digits(s);
  }
  if (s.starts_with('+')) v.local = s.substr(1);
  // A development version of the release itself comes before its pre-releases.
  if (v.pre_rank == INT_MAX && !v.has_post && v.has_dev) v.pre_rank = -1;
  return v;
}

/// The parts between dots of a version of RubyGems; runs of digits and of letters are parts of their own.
std::vector<std::string> gem_segments(std::string_view text) {
  std::vector<std::string> out;
  for (size_t i = 0; i < text.size();) {
    const size_t begin = i;
    if (is_digit(text[i]))
      while (i < text.size() && is_digit(text[i])) ++i;
    else if (is_letter(text[i]))
      while (i < text.size() && is_letter(text[i])) ++i;
    else {
      if (text[i] == '-') out.emplace_back("pre"); // "1.0-x" stands for "1.0.pre.x"
      ++i;
      continue;
    }
    out.emplace_back(text.substr(begin, i - begin));
  }
  return out;
}

} // namespace

int compare_debian_versions(std::string_view a, std::string_view b) {
  auto epoch = [](std::string_view& v) {
    const size_t colon = v.find(':');
    if (colon == std::string_view::npos) return 0L;
    const long e = strtol(std::string(v.substr(0, colon)).c_str(), nullptr, 10);
    v.remove_prefix(colon + 1);
    return e;
  };
  const long x = epoch(a), y = epoch(b);
  if (x != y) return x < y ? -1 : 1;
  auto revision = [](std::string_view& v) {
    const size_t dash = v.rfind('-');
    if (dash == std::string_view::npos) return std::string_view("0");
    const std::string_view r = v.substr(dash + 1);
    v = v.substr(0, dash);
    return r;
  };
  const std::string_view r = revision(a), s = revision(b);
  if (const int order = compare_debian_part(a, b)) return order;
  return compare_debian_part(r, s);
}

int compare_with_installed_rpm(std::string_view wanted, std::string_view installed) {
  const RpmVersion a(wanted), b(installed);
  if (a.epoch)
    if (const int order = compare_rpm_parts(a.epoch, b.epoch)) return order;
  if (const int order = compare_rpm_part(a.version, b.version)) return order;
  return a.release ? compare_rpm_parts(a.release, b.release) : 0;
}

int compare_rpm_versions(std::string_view a, std::string_view b) {
  if (const int order = compare_rpm_part(RpmVersion(a).epoch.value_or("0"), RpmVersion(b).epoch.value_or("0"))) return order;
  return compare_with_installed_rpm(a, b);
}

int compare_pip_versions(std::string_view a, std::string_view b) {
  const PipVersion x = parse_pip(a), y = parse_pip(b);
  if (const int order = compare_numbers(x.epoch, y.epoch)) return order;
  for (size_t i = 0; i < std::max(x.release.size(), y.release.size()); ++i) {
    const std::string_view p = i < x.release.size() ? std::string_view(x.release[i]) : "",
                           q = i < y.release.size() ? std::string_view(y.release[i]) : "";
    if (const int order = compare_numbers(p, q)) return order;
  }
  if (const int order = order_of(x.pre_rank, y.pre_rank)) return order;
  if (const int order = compare_numbers(x.pre, y.pre)) return order;
  if (x.has_post != y.has_post) return x.has_post ? 1 : -1;
  if (const int order = compare_numbers(x.post, y.post)) return order;
  if (x.has_dev != y.has_dev) return x.has_dev ? -1 : 1;
  if (const int order = compare_numbers(x.dev, y.dev)) return order;
  return order_of(x.local.compare(y.local), 0);
}

int compare_gem_versions(std::string_view a, std::string_view b) {
  const auto x = gem_segments(a), y = gem_segments(b);
  for (size_t i = 0; i < std::max(x.size(), y.size()); ++i) {
    const std::string_view p = i < x.size() ? std::string_view(x[i]) : "0", q = i < y.size() ? std::string_view(y[i]) : "0";
    const bool p_number = is_digit(p[0]), q_number = is_digit(q[0]);
    if (p_number != q_number) return p_number ? 1 : -1;
    if (const int order = p_number ? compare_numbers(p, q) : order_of(p.compare(q), 0)) return order;
  }
  return 0;
}

VersionOrder version_order(std::string_view name) {
  static constexpr std::array<std::pair<std::string_view, VersionOrder>, 5> orders{{{"debian", compare_debian_versions},
                                                                                    {"rpm", compare_rpm_versions},
                                                                                    {"rpm_installed", compare_with_installed_rpm},
                                                                                    {"pip", compare_pip_versions},
                                                                                    {"gem", compare_gem_versions}}};
  for (const auto& [known, order] : orders)
    if (known == name) return order;
  return nullptr;
}

bool VersionRange::add(std::vector<Condition>& out, std::string_view text, size_t& at) {
  const size_t sign_end = text.find_first_not_of("<>=!~", at);
  if (sign_end == at || sign_end == std::string_view::npos) return false;
  Condition c;
  c.sign = text.substr(at, sign_end - at);
  const size_t begin = text.find_first_not_of(' ', sign_end);
  if (begin == std::string_view::npos) return false;
  const size_t end = std::min(text.find_first_of(" ,", begin), text.size());
  c.version = text.substr(begin, end - begin);
  out.push_back(std::move(c));
  at = end;
  return true;
}

std::optional<VersionRange> VersionRange::parse(std::string_view text, VersionOrder order) {
  constexpr std::string_view blanks = " \t\r\n\f\v";
  VersionRange out;
  out.order_ = order;
  while (!text.empty()) {
    Condition c;
    for (std::string_view sign : {">=", "<=", ">", "<"})
      if (text.starts_with(sign)) {
        c.sign = sign;
        break;
      }
    const size_t end = std::min(text.find_first_of(blanks), text.size());
    c.version = text.substr(c.sign.size(), end - c.sign.size());
    if (c.version.empty() || c.version.find_first_of("<>=!,") != std::string::npos) return std::nullopt;
    out.conditions_.push_back(std::move(c));
    text.remove_prefix(std::min(text.find_first_not_of(blanks, end), text.size()));
  }
  if (out.conditions_.empty() || (out.conditions_.size() == 1 && out.conditions_[0].sign.empty())) return std::nullopt;
  if (out.conditions_.size() > 2) out.conditions_.resize(2); // as Puppet, the others do not count
  return out;
}

std::optional<VersionRange> VersionRange::parse_requirement(std::string_view text) {
  VersionRange out;
  out.order_ = compare_gem_versions;
  size_t at = 0;
  while ((at = text.find_first_not_of(" ,", at)) != std::string_view::npos)
    if (!add(out.conditions_, text, at)) return std::nullopt;
  if (out.conditions_.empty()) return std::nullopt;
  return out;
}

bool VersionRange::includes(std::string_view version) const {
  return std::all_of(conditions_.begin(), conditions_.end(), [&](const Condition& c) {
    const int order = order_(version, c.version);
    if (c.sign == "<") return order < 0;
    if (c.sign == "<=") return order <= 0;
    if (c.sign == ">") return order > 0;
    if (c.sign == ">=") return order >= 0;
    if (c.sign == "!=") return order != 0;
    if (c.sign != "~>") return order == 0;
    // Up to, and without, the next version of all parts but the last: "~> 1.2.3" ends before 1.3.
    const size_t dot = c.version.rfind('.');
    const std::string start = dot == std::string::npos ? c.version : c.version.substr(0, dot);
    return order >= 0 && (version.substr(0, start.size()) == start && (version.size() == start.size() || version[start.size()] == '.'));
  });
}

std::string VersionRange::best(const std::vector<std::string>& versions) const {
  std::string best;
  for (const std::string& version : versions)
    if (includes(version) && (best.empty() || order_(version, best) > 0)) best = version;
  return best;
}

} // namespace pupc::runtime
