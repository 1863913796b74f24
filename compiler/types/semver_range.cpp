#include "compiler/types/semver_range.h"

#include <charconv>
#include <optional>

namespace pupc {
namespace {

using Op = SemVerComparator::Op;

/// A version of which the minor or patch number may be missing or "x".
struct Partial {
  SemVer version;
  int given = 0; // how many numbers: 0 … 3
};

std::optional<Partial> parse_partial(std::string_view text) {
  Partial p;
  std::string_view numbers = text.substr(0, text.find_first_of("-+"));
  int64_t* parts[] = {&p.version.major, &p.version.minor, &p.version.patch};
  std::string_view rest = numbers;
  for (int i = 0; i < 3; ++i) {
    size_t dot = rest.find('.');
    std::string_view part = rest.substr(0, dot);
    if (part == "x" || part == "X" || part == "*") return i == 0 && text.size() == 1 ? std::optional(p) : i > 0 ? std::optional(p) : std::nullopt;
    if (part.empty() || (part.size() > 1 && part[0] == '0')) return std::nullopt;
    auto r = std::from_chars(part.data(), part.data() + part.size(), *parts[i]);
    if (r.ec != std::errc() || r.ptr != part.data() + part.size()) return std::nullopt;
    ++p.given;
    if (dot == std::string_view::npos) break;
    rest.remove_prefix(dot + 1);
    if (i == 2) return std::nullopt;
  }
  if (numbers.size() != text.size()) {
    if (p.given != 3) return std::nullopt;
    auto full = parse_semver(text);
    if (!full) return std::nullopt;
    p.version = *full;
  }
  return p;
}

SemVer next_above(const Partial& p, int position) {
  SemVer v{p.version.major, p.version.minor, p.version.patch, {}, {}};
  if (position == 0) return {v.major + 1, 0, 0, {}, {}};
  if (position == 1) return {v.major, v.minor + 1, 0, {}, {}};
  return {v.major, v.minor, v.patch + 1, {}, {}};
}

bool expand(std::string_view word, std::vector<SemVerComparator>& out) {
  if (word == "*" || word == "x" || word == "X") return true;
  auto add = [&](Op op, SemVer v) { out.push_back({op, v}); };
  std::string_view prefix = word.substr(0, word.find_first_not_of("<>=~^"));
  auto p = parse_partial(word.substr(prefix.size()));
  if (!p) return false;
  if (prefix == "~") {
    add(Op::Ge, p->version);
    add(Op::Lt, next_above(*p, p->given <= 1 ? 0 : 1));
  } else if (prefix == "^") {
    add(Op::Ge, p->version);
    add(Op::Lt, next_above(*p, p->version.major > 0 || p->given <= 1 ? 0 : p->version.minor > 0 || p->given == 2 ? 1 : 2));
  } else if (prefix == ">=") {
    add(Op::Ge, p->version);
  } else if (prefix == "<") {
    add(Op::Lt, p->version);
  } else if (prefix == ">") {
    if (p->given == 3)
      add(Op::Gt, p->version);
    else
      add(Op::Ge, next_above(*p, p->given - 1));
  } else if (prefix == "<=") {
    if (p->given == 3)
      add(Op::Le, p->version);
    else
      add(Op::Lt, next_above(*p, p->given - 1));
  } else if (prefix.empty() || prefix == "=") {
    if (p->given == 3) {
      add(Op::Eq, p->version);
    } else if (p->given > 0) {
      add(Op::Ge, p->version);
      add(Op::Lt, next_above(*p, p->given - 1));
    }
  } else {
    return false;
  }
  return true;
}

bool holds(const SemVerComparator& c, const SemVer& v) {
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

} // namespace

const SemVerRange* parse_semver_range(Arena& arena, std::string_view text) {
  text = arena.copy(text);
  std::vector<std::span<const SemVerComparator>> alternatives;
  std::string_view rest = text;
  while (true) {
    size_t bar = rest.find("||");
    std::string_view part = rest.substr(0, bar);
    std::vector<std::string_view> words;
    for (size_t i = 0; i < part.size();) {
      size_t begin = part.find_first_not_of(" \t", i);
      if (begin == std::string_view::npos) break;
      // An operator may stand apart from its version: ">= 1.0.0".
      size_t number = part.find_first_not_of("<>=~^ \t", begin);
      bool operated = std::string_view("<>=~^").find(part[begin]) != std::string_view::npos;
      size_t end = part.find_first_of(" \t", operated && number != std::string_view::npos ? number : begin);
      if (end == std::string_view::npos) end = part.size();
      words.push_back(part.substr(begin, end - begin));
      i = end;
    }
    std::vector<SemVerComparator> set;
    if (words.size() == 3 && words[1] == "-") {
      auto low = parse_partial(words[0]), high = parse_partial(words[2]);
      if (!low || !high) return nullptr;
      set.push_back({Op::Ge, low->version});
      if (high->given == 3)
        set.push_back({Op::Le, high->version});
      else
        set.push_back({Op::Lt, next_above(*high, high->given - 1)});
    } else {
      if (words.empty()) return nullptr;
      for (std::string_view w : words) {
        std::string joined;
        for (char ch : w)
          if (ch != ' ' && ch != '\t') joined += ch;
        if (!expand(arena.copy(joined), set)) return nullptr;
      }
    }
    alternatives.emplace_back(arena.copy_span<SemVerComparator>(set));
    if (bar == std::string_view::npos) break;
    rest.remove_prefix(bar + 2);
  }
  using Alternatives = std::span<const std::span<const SemVerComparator>>;
  return arena.make<SemVerRange>(SemVerRange{text, Alternatives(arena.copy_span<std::span<const SemVerComparator>>(alternatives))});
}

bool includes(const SemVerRange& range, const SemVer& version) {
  for (const auto& set : range.alternatives) {
    bool all = true, prerelease_named = version.prerelease.empty();
    for (const auto& c : set) {
      all = all && holds(c, version);
      // A pre-release belongs only to a range that names a pre-release of the same version.
      prerelease_named = prerelease_named || (!c.version.prerelease.empty() && c.version.major == version.major && c.version.minor == version.minor &&
                                              c.version.patch == version.patch);
    }
    if (all && (prerelease_named || set.empty())) return true;
  }
  return false;
}

bool semver_type_accepts(const SemVerType& to, const SemVerType& from) {
  if (to.ranges.empty()) return true;
  if (from.ranges.empty()) return false;
  for (const SemVerRange* r : from.ranges) {
    bool found = false;
    for (const SemVerRange* mine : to.ranges) {
      if (mine->text == r->text) found = true;
      // A range of one exact version is within every range that includes it.
      if (r->alternatives.size() == 1 && r->alternatives[0].size() == 1 && r->alternatives[0][0].op == Op::Eq) found = found || includes(*mine, r->alternatives[0][0].version);
    }
    if (!found) return false;
  }
  return true;
}

const Type* semver_exact_type(Arena& arena, const SemVer& version) {
  std::string_view text = arena.copy(to_string(version));
  SemVerComparator one{Op::Eq, version};
  std::span<const SemVerComparator> set[] = {arena.copy_span<SemVerComparator>(std::span<const SemVerComparator>(&one, 1))};
  using Alternatives = std::span<const std::span<const SemVerComparator>>;
  auto* range = arena.make<SemVerRange>(SemVerRange{text, Alternatives(arena.copy_span<std::span<const SemVerComparator>>(set))});
  const SemVerRange* ranges[] = {range};
  return arena.make<SemVerType>(std::span<const SemVerRange* const>(arena.copy_span<const SemVerRange*>(ranges)));
}

} // namespace pupc
