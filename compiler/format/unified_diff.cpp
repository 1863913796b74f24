// What `diff -u` would print.
#include "compiler/format/format.h"

#include <algorithm>

namespace pupc {
namespace {

using Lines = std::vector<std::string_view>; // with their line ends

// Beyond so many differing lines what is between counts as replaced whole: the search takes the square of it.
constexpr int most_edits = 1500;
constexpr size_t context = 3;

Lines lines_of(std::string_view text) {
  Lines lines;
  while (!text.empty()) {
    const size_t nl = text.find('\n');
    const size_t end = nl == std::string_view::npos ? text.size() : nl + 1;
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return lines;
}

/// Which lines of `a` are kept and which of `b` were there before: Myers' search for the fewest edits.
void compare(const Lines& a, const Lines& b, std::vector<bool>& kept_a, std::vector<bool>& kept_b) {
  size_t head = 0, tail = 0;
  while (head < a.size() && head < b.size() && a[head] == b[head]) ++head;
  while (tail < a.size() - head && tail < b.size() - head && a[a.size() - 1 - tail] == b[b.size() - 1 - tail]) ++tail;
  for (size_t i = 0; i < head; ++i) kept_a[i] = kept_b[i] = true;
  for (size_t i = 0; i < tail; ++i) kept_a[a.size() - 1 - i] = kept_b[b.size() - 1 - i] = true;
  const int n = static_cast<int>(a.size() - head - tail), m = static_cast<int>(b.size() - head - tail);
  const int most = std::min(n + m, most_edits);
  std::vector<std::vector<int>> furthest; // by number of edits: for diagonal k (from -d, every second) how far in `a`
  auto reached = [&](int d, int k) { return furthest[static_cast<size_t>(d)][static_cast<size_t>((k + d) / 2)]; };
  auto step = [&](int d, int k) { // before the equal lines that follow
    if (d == 0) return 0;
    const bool down = k == -d || (k != d && reached(d - 1, k - 1) < reached(d - 1, k + 1));
    return down ? reached(d - 1, k + 1) : reached(d - 1, k - 1) + 1;
  };
  int edits = -1;
  for (int d = 0; d <= most && edits < 0; ++d) {
    std::vector<int> row;
    for (int k = -d; k <= d; k += 2) {
      int x = std::min(step(d, k), n);
      while (x < n && x - k < m && x - k >= 0 && a[head + static_cast<size_t>(x)] == b[head + static_cast<size_t>(x - k)]) ++x;
      row.push_back(x);
      if (x >= n && x - k >= m) edits = d;
    }
    furthest.push_back(std::move(row));
  }
  if (edits < 0) return;
  for (int d = edits, k = n - m; d >= 0; --d) {
    const int start = step(d, k);
    for (int x = std::min(reached(d, k), n); x > start; --x)
      kept_a[head + static_cast<size_t>(x - 1)] = kept_b[head + static_cast<size_t>(x - 1 - k)] = true;
    if (d == 0) break;
    const bool down = k == -d || (k != d && reached(d - 1, k - 1) < reached(d - 1, k + 1));
    k += down ? 1 : -1;
  }
}

struct Hunk {
  size_t a_begin, a_end, b_begin, b_end;
};

} // namespace

std::string unified_diff(std::string_view before, std::string_view after, std::string_view before_name, std::string_view after_name) {
  if (before == after) return {};
  const Lines a = lines_of(before), b = lines_of(after);
  std::vector<bool> kept_a(a.size(), false), kept_b(b.size(), false);
  compare(a, b, kept_a, kept_b);
  std::vector<Hunk> changes;
  for (size_t i = 0, j = 0; i < a.size() || j < b.size();) {
    if (i < a.size() && j < b.size() && kept_a[i] && kept_b[j]) {
      ++i, ++j;
      continue;
    }
    Hunk h{i, i, j, j};
    while (h.a_end < a.size() && !kept_a[h.a_end]) ++h.a_end;
    while (h.b_end < b.size() && !kept_b[h.b_end]) ++h.b_end;
    i = h.a_end, j = h.b_end;
    changes.push_back(h);
  }
  std::string out = fmt::format("--- {}\n+++ {}\n", before_name, after_name);
  auto line = [&](char sign, std::string_view text) {
    out += sign;
    out += text;
    if (!text.ends_with('\n')) out += "\n\\ No newline at end of file\n";
  };
  auto range = [](size_t begin, size_t end) {
    const size_t first = end == begin ? begin : begin + 1;
    return end - begin == 1 ? fmt::format("{}", first) : fmt::format("{},{}", first, end - begin);
  };
  for (size_t c = 0; c < changes.size();) {
    size_t last = c;
    while (last + 1 < changes.size() && changes[last + 1].a_begin - changes[last].a_end <= 2 * context) ++last;
    const size_t lead = std::min(context, changes[c].a_begin), trail = std::min(context, a.size() - changes[last].a_end);
    out += fmt::format("@@ -{} +{} @@\n", range(changes[c].a_begin - lead, changes[last].a_end + trail),
                       range(changes[c].b_begin - lead, changes[last].b_end + trail));
    size_t at = changes[c].a_begin - lead;
    for (; c <= last; ++c) {
      for (; at < changes[c].a_begin; ++at) line(' ', a[at]);
      for (; at < changes[c].a_end; ++at) line('-', a[at]);
      for (size_t j = changes[c].b_begin; j < changes[c].b_end; ++j) line('+', b[j]);
    }
    for (size_t i = 0; i < trail; ++i, ++at) line(' ', a[at]);
  }
  return out;
}

} // namespace pupc
