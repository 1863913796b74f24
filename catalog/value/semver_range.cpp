#include "catalog/value/semver_range.h"

#include "catalog/base/diagnostic.h"
#include "catalog/base/text.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <optional>

namespace pupc::catalog {
namespace {

using Op = SemVerComparator::Op;
using Bound = std::optional<SemVer>; // nothing = open

/// One alternative: a single version, or what lies between two bounds.
struct Interval {
  std::optional<SemVerComparator> low, high; // low may be Eq alone

  static Interval all() { return {}; }
  static Interval exactly(const SemVer& v) { return {SemVerComparator{Op::Eq, v}, std::nullopt}; }
  static Interval at_least(const SemVer& v) { return {SemVerComparator{Op::Ge, v}, std::nullopt}; }
  static Interval below(const SemVer& v) { return {std::nullopt, SemVerComparator{Op::Lt, v}}; }
  static Interval between(const SemVer& from, const SemVer& below) {
    return {SemVerComparator{Op::Ge, from}, SemVerComparator{Op::Lt, below}};
  }

  bool single() const { return low && low->op == Op::Eq; }
  Bound begin() const { return low ? Bound(low->version) : std::nullopt; }
  Bound end() const { return single() ? Bound(low->version) : high ? Bound(high->version) : std::nullopt; }
  bool exclude_begin() const { return low && low->op == Op::Gt; }
  bool exclude_end() const { return high && high->op == Op::Lt; }
  bool contains(const Bound& v, bool lower_end) const {
    if (low && (!v ? lower_end : holds(*low, *v) == false)) return false;
    if (!v && lower_end) return !low;
    if (!v) return !high;
    return !high || holds(*high, *v);
  }
  static bool holds(const SemVerComparator& c, const SemVer& v) {
    int r = compare(v, c.version);
    switch (c.op) {
    case Op::Lt: return r < 0;
    case Op::Le: return r <= 0;
    case Op::Gt: return r > 0;
    case Op::Ge: return r >= 0;
    case Op::Eq: return r == 0;
    }
    return false;
  }
  bool same(const Interval& o) const {
    auto equal = [](const std::optional<SemVerComparator>& a, const std::optional<SemVerComparator>& b) {
      return a.has_value() == b.has_value() &&
             (!a || (a->op == b->op && compare(a->version, b->version) == 0 && a->version.build == b->version.build));
    };
    return equal(low, o.low) && equal(high, o.high);
  }
};

int compare_begins(const Bound& a, const Bound& b) {
  if (!a || !b) return a ? 1 : b ? -1 : 0;
  return compare(*a, *b);
}
int compare_ends(const Bound& a, const Bound& b) {
  if (!a || !b) return a ? -1 : b ? 1 : 0;
  return compare(*a, *b);
}
int compare_begin_end(const Bound& begin, const Bound& end) { return begin && end ? compare(*begin, *end) : -1; }

std::optional<Interval> intersect(const Interval& a, const Interval& b) {
  if (!a.low && !a.high) return b;
  int c = compare_begin_end(a.begin(), b.end());
  if (c > 0) return std::nullopt;
  if (c == 0) return a.exclude_begin() || b.exclude_end() ? std::nullopt : std::optional(Interval::exactly(*a.begin()));
  c = compare_begin_end(b.begin(), a.end());
  if (c > 0) return std::nullopt;
  if (c == 0) return b.exclude_begin() || a.exclude_end() ? std::nullopt : std::optional(Interval::exactly(*b.begin()));
  if (a.single() || b.single()) return a.single() ? a : b;
  c = compare_begins(a.begin(), b.begin());
  const Interval& min = c < 0 ? b : c > 0 ? a : a.exclude_begin() ? a : b;
  c = compare_ends(a.end(), b.end());
  const Interval& max = c > 0 ? b : c < 0 ? a : a.exclude_end() ? a : b;
  return Interval{min.low, max.high};
}

/// Both intervals as one, if they overlap or touch.
std::optional<Interval> merge(const Interval& a, const Interval& b) {
  if ((!a.low && !a.high) || (!b.low && !b.high)) return Interval::all();
  auto make = [](const Bound& from, bool exclude_from, const Bound& to, bool exclude_to) {
    Interval r;
    if (from) r.low = SemVerComparator{exclude_from ? Op::Gt : Op::Ge, *from};
    if (to) r.high = SemVerComparator{exclude_to ? Op::Lt : Op::Le, *to};
    if (from && to && compare(*from, *to) == 0) return Interval::exactly(*from);
    return r;
  };
  if (a.contains(b.begin(), true) || b.contains(a.begin(), true)) {
    int begins = compare_begins(a.begin(), b.begin()), ends = compare_ends(a.end(), b.end());
    const Interval& min = begins <= 0 ? a : b;
    const Interval& max = ends >= 0 ? a : b;
    bool exclude_begin = begins == 0 ? a.exclude_begin() && b.exclude_begin() : min.exclude_begin();
    bool exclude_end = ends == 0 ? a.exclude_end() && b.exclude_end() : max.exclude_end();
    return make(min.begin(), exclude_begin, max.end(), exclude_end);
  }
  auto next_patch = [](const SemVer& v) { return SemVer{v.major, v.minor, v.patch + 1, {}, {}}; };
  auto touches = [&](const Interval& x, const Interval& y) { // x ends where y begins
    if (!x.end() || !y.begin() || y.exclude_begin()) return false;
    return compare(x.exclude_end() ? *x.end() : next_patch(*x.end()), *y.begin()) == 0;
  };
  if (touches(a, b)) return make(a.begin(), a.exclude_begin(), b.end(), b.exclude_end());
  if (touches(b, a)) return make(b.begin(), b.exclude_begin(), a.end(), a.exclude_end());
  return std::nullopt;
}

/// A version whose numbers may be missing or "x".
struct Partial {
  std::optional<int64_t> major, minor, patch;
  std::string_view prerelease, build;

  SemVer version() const { return {major.value_or(0), minor.value_or(0), patch.value_or(0), prerelease, build}; }
  SemVer next_major() const { return {*major + 1, 0, 0, {}, {}}; }
  SemVer next_minor() const { return {*major, *minor + 1, 0, {}, {}}; }
};

/// The parts of a partial version, as they are written; what is missing is empty.
struct Written {
  std::string_view text, numbers[3], prerelease, build;
};

/// Splits MAJOR[.MINOR[.PATCH[-PRERELEASE][+BUILD]]], where a number may be x, X or *. Nothing when the text is something else.
std::optional<Written> written(std::string_view text) {
  Written out{text, {}, {}, {}};
  size_t at = 0;
  auto taken = [&](size_t begin) { return text.substr(begin, at - begin); };
  auto accept = [&](char c) { return at < text.size() && text[at] == c ? ++at : 0; };
  auto digit = [&] { return at < text.size() && text[at] >= '0' && text[at] <= '9'; };
  auto number = [&] {
    const size_t begin = at;
    if (accept('x') || accept('X') || accept('*') || accept('0')) return taken(begin);
    while (digit()) ++at;
    return taken(begin);
  };
  auto identifiers = [&](std::string_view& into) {
    const size_t begin = at;
    do {
      const size_t first = at;
      while (digit() ||
             (at < text.size() && ((text[at] >= 'a' && text[at] <= 'z') || (text[at] >= 'A' && text[at] <= 'Z') || text[at] == '-')))
        ++at;
      if (at == first) return false;
    } while (accept('.'));
    into = taken(begin);
    return true;
  };
  for (size_t i = 0; i < 3 && (i == 0 || accept('.')); ++i)
    if ((out.numbers[i] = number()).empty()) return std::nullopt;
  if (!out.numbers[2].empty()) {
    if (accept('-') && !identifiers(out.prerelease)) return std::nullopt;
    if (accept('+') && !identifiers(out.build)) return std::nullopt;
  }
  return at == text.size() ? std::optional(out) : std::nullopt;
}

Partial partial(const Written& v) {
  auto digits = [&](std::string_view s) -> std::optional<int64_t> {
    if (s.empty() || s[0] < '0' || s[0] > '9') return std::nullopt;
    int64_t n = 0;
    if (std::from_chars(s.data(), s.data() + s.size(), n).ec != std::errc() || n == INT64_MAX)
      throw_error(ErrorCode::invalid_type, {}, fmt::format("A number of the version '{}' does not fit 64 bits", v.text),
                  PositionStyle::None);
    return n;
  };
  return {digits(v.numbers[0]), digits(v.numbers[1]), digits(v.numbers[2]), v.prerelease, v.build};
}

/// The operator that a comparator begins with.
std::string_view operator_of(std::string_view comparator) {
  for (std::string_view op : {"<=", ">=", "~>", "~=", "<", ">", "=", "~", "^"})
    if (comparator.starts_with(op)) return op;
  return {};
}

/// "FROM - TO": nothing when the text is something else.
std::optional<std::pair<Written, Written>> hyphenated(std::string_view text) {
  const size_t end = static_cast<size_t>(std::find_if(text.begin(), text.end(), is_ascii_blank) - text.begin());
  size_t at = end;
  auto skip_blanks = [&] {
    const size_t begin = at;
    while (at < text.size() && is_ascii_blank(text[at])) ++at;
    return at > begin;
  };
  if (!skip_blanks() || at == text.size() || text[at++] != '-' || !skip_blanks()) return std::nullopt;
  const auto from = written(text.substr(0, end)), to = written(text.substr(at));
  return from && to ? std::optional(std::pair(*from, *to)) : std::nullopt;
}

Interval patch_updates(const Partial& p, bool tilde) {
  if (!p.major) return Interval::all();
  if (!p.minor) return Interval::between({*p.major, 0, 0, {}, {}}, p.next_major());
  if (!p.patch) return Interval::between({*p.major, *p.minor, 0, {}, {}}, p.next_minor());
  return tilde ? Interval::between(p.version(), p.next_minor()) : Interval::exactly(p.version());
}

Interval simple(std::string_view op, const Partial& p) {
  static constexpr SemVer lowest{};
  if (op == "~" || op == "~>" || op == "~=") return patch_updates(p, true);
  if (op == "^") {
    if (!p.major) return Interval::all();
    return *p.major == 0 ? patch_updates(p, true) : Interval::between(p.version(), p.next_major());
  }
  if (op == ">=") return Interval::at_least(p.version());
  if (op == "<") return Interval::below(p.version());
  if (op == ">") {
    if (!p.major) return Interval::below(lowest); // nothing
    if (!p.minor) return Interval::at_least(p.next_major());
    if (!p.patch) return Interval::at_least(p.next_minor());
    return {SemVerComparator{Op::Gt, p.version()}, std::nullopt};
  }
  if (op == "<=") {
    if (!p.major) return Interval::all();
    if (!p.minor) return Interval::below(p.next_major());
    if (!p.patch) return Interval::below(p.next_minor());
    return {std::nullopt, SemVerComparator{Op::Le, p.version()}};
  }
  return patch_updates(p, false);
}

const SemVerRange* freeze(Arena& arena, std::string_view text, const std::vector<Interval>& list) {
  std::vector<std::span<const SemVerComparator>> sets;
  for (const Interval& one : list) {
    std::vector<SemVerComparator> set;
    if (one.low) set.push_back(*one.low);
    if (one.high) set.push_back(*one.high);
    for (auto& c : set) {
      c.version.prerelease = arena.copy(c.version.prerelease);
      c.version.build = arena.copy(c.version.build);
    }
    sets.emplace_back(arena.copy_span<SemVerComparator>(set));
  }
  using Alternatives = std::span<const std::span<const SemVerComparator>>;
  return arena.make<SemVerRange>(SemVerRange{arena.copy(text), Alternatives(arena.copy_span<std::span<const SemVerComparator>>(sets))});
}

/// Joins what overlaps, in Puppet's order.
std::vector<Interval> merge_all(std::vector<Interval> ranges) {
  for (bool merged_any = true; ranges.size() > 1 && merged_any;) {
    merged_any = false;
    std::vector<Interval> result;
    while (!ranges.empty()) {
      std::vector<Interval> apart;
      Interval x = ranges.back();
      ranges.pop_back();
      for (const Interval& y : ranges) {
        if (auto both = merge(x, y)) {
          x = *both;
          merged_any = true;
        } else {
          apart.push_back(y);
        }
      }
      result.push_back(x);
      ranges = apart;
    }
    ranges.assign(result.rbegin(), result.rend());
  }
  return ranges;
}

Interval interval_of(std::span<const SemVerComparator> set) {
  Interval r;
  for (const auto& c : set) (c.op == Op::Lt || c.op == Op::Le ? r.high : r.low) = c;
  return r;
}

} // namespace

const SemVerRange* parse_semver_range(Arena& arena, std::string_view given) {
  std::string text; // the range without the blanks and the "v" that may follow an operator
  for (size_t i = 0; i < given.size(); ++i) {
    text += given[i];
    if (std::string_view("><=~^").find(given[i]) == std::string_view::npos) continue;
    size_t k = i + 1;
    while (k < given.size() && is_ascii_blank(given[k])) ++k;
    if (k < given.size() && given[k] == 'v') ++k;
    i = k - 1;
  }
  std::vector<std::string_view> parts;
  std::string_view rest = text;
  while (true) {
    size_t bar = rest.find("||");
    std::string_view part = rest.substr(0, bar);
    if (bar != std::string_view::npos)
      while (!part.empty() && is_ascii_blank(part.back())) part.remove_suffix(1);
    parts.push_back(part);
    if (bar == std::string_view::npos) break;
    rest.remove_prefix(bar + 2);
    while (!rest.empty() && is_ascii_blank(rest.front())) rest.remove_prefix(1);
  }
  while (!parts.empty() && parts.back().empty()) parts.pop_back();
  if (parts.empty()) return freeze(arena, "*", {Interval::all()});
  std::vector<Interval> list;
  for (std::string_view part : parts) {
    std::optional<Interval> range;
    if (const auto ends = hyphenated(part)) {
      const SemVer to = partial(ends->second).version(), from = partial(ends->first).version();
      range = intersect(Interval::at_least(from), {std::nullopt, SemVerComparator{Op::Le, to}});
    } else {
      bool first = true;
      for (size_t i = 0; i < part.size();) {
        size_t end = i;
        while (end < part.size() && !is_ascii_blank(part[end])) ++end;
        std::string_view word = part.substr(i, end - i);
        i = end;
        while (i < part.size() && is_ascii_blank(part[i])) ++i;
        const std::string_view op = operator_of(word);
        const auto version = written(word.substr(op.size()));
        if (!version) return nullptr;
        Interval one = simple(op, partial(*version));
        range = first ? std::optional(one) : range ? intersect(*range, one) : std::nullopt;
        first = false;
      }
    }
    if (!range) continue;
    bool known = false;
    for (const Interval& other : list) known = known || other.same(*range);
    if (!known) list.push_back(*range);
  }
  list = merge_all(std::move(list));
  if (list.empty()) list.push_back(Interval::below(SemVer{}));
  return freeze(arena, given, list);
}

const SemVerRange* make_semver_range(Arena& arena, const SemVer* min, const SemVer* max, bool exclude_max) {
  Interval low, high;
  if (min != nullptr) low = Interval::at_least(*min);
  if (max != nullptr) high.high = SemVerComparator{exclude_max ? Op::Lt : Op::Le, *max};
  auto range = intersect(low, high);
  // Puppet writes the bounds in this order.
  std::string first = max != nullptr ? to_string(*max) : "Infinity.0.0", second = min != nullptr ? to_string(*min) : "0.0.0-";
  std::string text = exclude_max ? ">=" + first + " <" + second : first + " - " + second;
  return freeze(arena, text, {range.value_or(Interval::below(SemVer{}))});
}

bool includes(const SemVerRange& range, const SemVer& version) {
  for (const auto& set : range.alternatives) {
    bool all = true, prerelease_named = version.prerelease.empty() || set.empty();
    for (const auto& c : set) {
      all = all && Interval::holds(c, version);
      // A pre-release belongs only to a range that names a pre-release of the same version.
      prerelease_named = prerelease_named || (!c.version.prerelease.empty() && c.version.major == version.major &&
                                              c.version.minor == version.minor && c.version.patch == version.patch);
    }
    if (all && prerelease_named) return true;
  }
  return false;
}

namespace {

/// Whether range `b` covers range `a`. A range of several alternatives has no bounds, so it covers only an identical one.
bool covered(const SemVerRange& a, const SemVerRange& b) {
  if (a.alternatives.size() != 1 || b.alternatives.size() != 1) return same_range(a, b);
  Interval x = interval_of(a.alternatives[0]), y = interval_of(b.alternatives[0]);
  if (compare_begins(y.begin(), x.begin()) > 0) return false;
  int ends = compare_ends(y.end(), x.end());
  return ends > 0 || (ends == 0 && (!y.exclude_end() || x.exclude_end()));
}

/// Both ranges as one if they overlap or touch (Puppet's merge of version ranges), otherwise null.
const SemVerRange* joined(Arena& arena, const SemVerRange& a, const SemVerRange& b) {
  if (a.alternatives.size() != 1 || b.alternatives.size() != 1) return nullptr;
  Interval x = interval_of(a.alternatives[0]), y = interval_of(b.alternatives[0]);
  auto make = [&](const Bound& from, const Bound& to, bool exclude) {
    return make_semver_range(arena, from ? &*from : nullptr, to ? &*to : nullptr, exclude);
  };
  auto has = [](const SemVerRange& r, const Bound& v) { return v ? includes(r, *v) : !interval_of(r.alternatives[0]).low; };
  if (has(a, y.begin()) || has(b, x.begin())) {
    int ends = compare_ends(x.end(), y.end());
    const Bound max = ends >= 0 ? x.end() : y.end();
    bool exclude = false;
    if (x.exclude_end())
      exclude = ends >= 0 && (ends > 0 || y.exclude_end());
    else if (y.exclude_end())
      exclude = ends <= 0 && ends < 0;
    return make(compare_begins(x.begin(), y.begin()) <= 0 ? x.begin() : y.begin(), max, exclude);
  }
  if (x.exclude_end() && y.begin() && compare(*x.end(), *y.begin()) == 0) return make(x.begin(), y.end(), y.exclude_end());
  if (y.exclude_end() && x.begin() && compare(*y.end(), *x.begin()) == 0) return make(y.begin(), x.end(), x.exclude_end());
  return nullptr;
}

} // namespace

bool covers(std::span<const SemVerRange* const> ranges, const SemVerRange& range) {
  for (const SemVerRange* mine : ranges)
    if (covered(range, *mine)) return true;
  return false;
}

std::vector<const SemVerRange*> joined_ranges(Arena& arena, std::span<const SemVerRange* const> given) {
  std::vector<const SemVerRange*> ranges(given.begin(), given.end()), result;
  if (ranges.size() < 2) return ranges;
  while (!ranges.empty()) {
    std::vector<const SemVerRange*> apart;
    const SemVerRange* x = ranges.back();
    ranges.pop_back();
    for (const SemVerRange* y : ranges) {
      if (const SemVerRange* both = joined(arena, *x, *y))
        x = both;
      else
        apart.push_back(y);
    }
    result.push_back(x);
    ranges = apart;
  }
  return {result.rbegin(), result.rend()};
}

} // namespace pupc::catalog
