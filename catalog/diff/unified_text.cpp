#include "catalog/diff/unified_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace pupc::catalog {
namespace {

/// Splits into lines with their line ends, so that a missing final line end counts as a difference.
std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return lines;
}

/// All lines of both texts in the order of the diff, without the common lines at the start (`head`) and the end (`tail`).
std::vector<DiffLine> edit_script(const std::vector<std::string_view>& a, const std::vector<std::string_view>& b, size_t head,
                                  size_t tail) {
  std::vector<DiffLine> script;
  const size_t n = a.size() - head - tail, m = b.size() - head - tail;
  constexpr size_t largest_table = 1'000'000; // a larger table costs too much time for its benefit
  if (n != 0 && m > largest_table / n) {
    for (size_t i = 0; i < n; ++i) script.push_back({'-', a[head + i]});
    for (size_t j = 0; j < m; ++j) script.push_back({'+', b[head + j]});
    return script;
  }
  // The longest common subsequence.
  std::vector<uint32_t> longest((n + 1) * (m + 1), 0);
  auto at = [&](size_t i, size_t j) -> uint32_t& { return longest[i * (m + 1) + j]; };
  for (size_t i = n; i-- > 0;)
    for (size_t j = m; j-- > 0;) at(i, j) = a[head + i] == b[head + j] ? at(i + 1, j + 1) + 1 : std::max(at(i + 1, j), at(i, j + 1));
  for (size_t i = 0, j = 0; i < n || j < m;) {
    if (i < n && j < m && a[head + i] == b[head + j]) {
      script.push_back({' ', a[head + i]});
      ++i;
      ++j;
    } else if (i < n && (j == m || at(i + 1, j) >= at(i, j + 1))) {
      script.push_back({'-', a[head + i++]});
    } else {
      script.push_back({'+', b[head + j++]});
    }
  }
  return script;
}

} // namespace

std::string DiffHunk::head() const {
  auto range = [](size_t start, size_t count) { return count == 1 ? fmt::format("{}", start) : fmt::format("{},{}", start, count); };
  return fmt::format("@@ -{} +{} @@", range(old_start, old_count), range(new_start, new_count));
}

std::vector<DiffHunk> unified_diff(std::string_view before, std::string_view after, size_t context) {
  const auto a = lines_of(before), b = lines_of(after);
  size_t head = 0, tail = 0;
  while (head < a.size() && head < b.size() && a[head] == b[head]) ++head;
  while (tail < a.size() - head && tail < b.size() - head && a[a.size() - 1 - tail] == b[b.size() - 1 - tail]) ++tail;
  std::vector<DiffLine> script;
  const size_t first = head - std::min(head, context), kept = std::min(tail, context);
  for (size_t i = first; i < head; ++i) script.push_back({' ', a[i]});
  for (DiffLine& line : edit_script(a, b, head, tail)) script.push_back(line);
  for (size_t i = 0; i < kept; ++i) script.push_back({' ', a[a.size() - tail + i]});

  std::vector<DiffHunk> hunks;
  size_t old_line = first, new_line = first; // before the line at `i`
  size_t done = 0;                           // lines of the script that are processed
  auto pass = [&](const DiffLine& line) {
    old_line += line.sign != '+';
    new_line += line.sign != '-';
  };
  for (size_t i = 0; i < script.size(); ++i) {
    if (script[i].sign == ' ') continue;
    // A hunk goes from `context` lines before this change to `context` lines after the last nearby change.
    size_t last = i;
    for (size_t k = i; k < script.size() && k <= last + 2 * context + 1; ++k)
      if (script[k].sign != ' ') last = k;
    const size_t begin = std::max(done, i - std::min(i, context)), end = std::min(script.size(), last + 1 + context);
    for (; done < begin; ++done) pass(script[done]);
    DiffHunk& hunk = hunks.emplace_back();
    const size_t old_before = old_line, new_before = new_line;
    for (; done < end; ++done) {
      DiffLine line = script[done];
      pass(line);
      const bool ends = line.text.ends_with('\n');
      if (ends) line.text.remove_suffix(1);
      hunk.lines.push_back(line);
      if (!ends) hunk.lines.push_back({'\\', "No newline at end"});
    }
    hunk.old_count = old_line - old_before;
    hunk.new_count = new_line - new_before;
    // As in diff -u, a side without lines gets the number of the line before it.
    hunk.old_start = old_before + (hunk.old_count != 0);
    hunk.new_start = new_before + (hunk.new_count != 0);
    i = end - 1;
  }
  return hunks;
}

} // namespace pupc::catalog
