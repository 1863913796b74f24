#include "catalog/value/unicode_case.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <span>
#include <utility>

namespace pupc::catalog {
namespace {

enum CaseKind : uint8_t { Upper, Lower, Title };

/// Code points from `first` to `last`, each `step` behind the one before, that all move by the same distance.
struct Run {
  char32_t first, last;
  uint8_t step;
  int32_t distance;
};
/// One that becomes several, or whose title case is not its upper case.
struct Special {
  uint8_t kind;
  char32_t from;
  char32_t to[3];
};
#include "catalog/value/unicode_case_table.inc"

char32_t moved(std::span<const Run> runs, char32_t c) {
  const auto run = std::lower_bound(runs.begin(), runs.end(), c, [](const Run& r, char32_t at) { return r.last < at; });
  if (run == runs.end() || c < run->first || (c - run->first) % run->step != 0) return c;
  return static_cast<char32_t>(static_cast<int32_t>(c) + run->distance);
}

void append_mapped(std::string& out, char32_t c, CaseKind kind) {
  if (c < 0x80) {
    auto ch = static_cast<char>(c);
    if (kind == Lower ? (ch >= 'A' && ch <= 'Z') : (ch >= 'a' && ch <= 'z')) ch = static_cast<char>(ch ^ 0x20);
    out += ch;
    return;
  }
  const std::pair<uint8_t, char32_t> key(kind, c);
  const auto special = std::lower_bound(std::begin(specials), std::end(specials), key,
                                        [](const Special& s, const auto& k) { return std::pair<uint8_t, char32_t>(s.kind, s.from) < k; });
  if (special == std::end(specials) || special->kind != kind || special->from != c)
    return append_utf8(out, kind == Lower ? moved(lower_runs, c) : moved(upper_runs, c));
  for (char32_t to : special->to)
    if (to != 0) append_utf8(out, to);
}

std::string mapped(std::string_view s, CaseKind first, CaseKind rest) {
  std::string out;
  out.reserve(s.size());
  CaseKind kind = first;
  for (size_t i = 0; i < s.size();) {
    size_t begin = i;
    bool valid = true;
    char32_t c = next_code_point(s, i, valid);
    if (valid)
      append_mapped(out, c, kind);
    else
      out.append(s.substr(begin, i - begin));
    kind = rest;
  }
  return out;
}

} // namespace

void append_utf8(std::string& out, char32_t c) {
  if (c < 0x80) {
    out += static_cast<char>(c);
  } else if (c < 0x800) {
    out += static_cast<char>(0xC0 | (c >> 6));
    out += static_cast<char>(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    out += static_cast<char>(0xE0 | (c >> 12));
    out += static_cast<char>(0x80 | ((c >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (c & 0x3F));
  } else {
    out += static_cast<char>(0xF0 | (c >> 18));
    out += static_cast<char>(0x80 | ((c >> 12) & 0x3F));
    out += static_cast<char>(0x80 | ((c >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (c & 0x3F));
  }
}

char32_t next_code_point(std::string_view s, size_t& i, bool& valid) {
  auto lead = static_cast<unsigned char>(s[i]);
  valid = true;
  size_t n = lead < 0x80 ? 1 : (lead >> 5) == 6 ? 2 : (lead >> 4) == 14 ? 3 : (lead >> 3) == 30 ? 4 : 0;
  if (n == 1) return static_cast<unsigned char>(s[i++]);
  if (n == 0 || i + n > s.size()) {
    valid = false;
    return static_cast<unsigned char>(s[i++]);
  }
  char32_t c = lead & (0xFFu >> (n + 1));
  for (size_t k = 1; k < n; ++k) {
    auto b = static_cast<unsigned char>(s[i + k]);
    if ((b & 0xC0) != 0x80) {
      valid = false;
      return static_cast<unsigned char>(s[i++]);
    }
    c = (c << 6) | (b & 0x3F);
  }
  i += n;
  return c;
}

std::string upcase(std::string_view s) { return mapped(s, Upper, Upper); }
std::string downcase(std::string_view s) { return mapped(s, Lower, Lower); }
std::string capitalize(std::string_view s) { return mapped(s, Title, Lower); }

} // namespace pupc::catalog
