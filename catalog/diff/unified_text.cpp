#include "catalog/diff/unified_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <unordered_map>

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

using Lines = std::span<const std::string_view>;

/// The places of lines that stand once in each text, in the order of both: as many as have one order.
std::vector<std::pair<size_t, size_t>> lines_in_both(Lines a, Lines b) {
  struct Places {
    size_t in_a = 0, in_b = 0, count_a = 0, count_b = 0;
  };
  std::unordered_map<std::string_view, Places> lines;
  for (size_t i = 0; i < a.size(); ++i) lines[a[i]].in_a = i, ++lines[a[i]].count_a;
  for (size_t j = 0; j < b.size(); ++j)
    if (const auto at = lines.find(b[j]); at != lines.end()) at->second.in_b = j, ++at->second.count_b;
  // The longest increasing sequence of places in b: `ends` has the last pair of the best one of each length.
  std::vector<std::pair<size_t, size_t>> pairs;
  std::vector<size_t> ends, before;
  for (size_t i = 0; i < a.size(); ++i) {
    const Places& place = lines.find(a[i])->second;
    if (place.count_a != 1 || place.count_b != 1) continue;
    const auto at = std::ranges::lower_bound(ends, place.in_b, {}, [&](size_t pair) { return pairs[pair].second; });
    before.push_back(at == ends.begin() ? std::string_view::npos : *(at - 1));
    pairs.emplace_back(i, place.in_b);
    if (at == ends.end())
      ends.push_back(pairs.size() - 1);
    else
      *at = pairs.size() - 1;
  }
  std::vector<std::pair<size_t, size_t>> out;
  for (size_t pair = ends.empty() ? std::string_view::npos : ends.back(); pair != std::string_view::npos; pair = before[pair])
    out.push_back(pairs[pair]);
  std::ranges::reverse(out);
  return out;
}

/// Adds all lines of both texts in the order of the diff.
void add_script(Lines a, Lines b, std::vector<DiffLine>& script) {
  const size_t n = a.size(), m = b.size();
  constexpr size_t largest_table = 1'000'000; // a larger table costs too much time for its benefit
  if (n != 0 && m > largest_table / n) {
    // What stands once in both divides them into parts.
    size_t from_a = 0, from_b = 0;
    for (const auto& [in_a, in_b] : lines_in_both(a, b)) {
      add_script(a.subspan(from_a, in_a - from_a), b.subspan(from_b, in_b - from_b), script);
      script.push_back({' ', a[in_a]});
      from_a = in_a + 1;
      from_b = in_b + 1;
    }
    if (from_a != 0) return add_script(a.subspan(from_a), b.subspan(from_b), script);
    for (const std::string_view line : a) script.push_back({'-', line});
    for (const std::string_view line : b) script.push_back({'+', line});
    return;
  }
  // The longest common subsequence.
  std::vector<uint32_t> longest((n + 1) * (m + 1), 0);
  auto at = [&](size_t i, size_t j) -> uint32_t& { return longest[i * (m + 1) + j]; };
  for (size_t i = n; i-- > 0;)
    for (size_t j = m; j-- > 0;) at(i, j) = a[i] == b[j] ? at(i + 1, j + 1) + 1 : std::max(at(i + 1, j), at(i, j + 1));
  for (size_t i = 0, j = 0; i < n || j < m;) {
    if (i < n && j < m && a[i] == b[j]) {
      script.push_back({' ', a[i]});
      ++i;
      ++j;
    } else if (i < n && (j == m || at(i + 1, j) >= at(i, j + 1))) {
      script.push_back({'-', a[i++]});
    } else {
      script.push_back({'+', b[j++]});
    }
  }
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
  add_script(Lines(a).subspan(head, a.size() - head - tail), Lines(b).subspan(head, b.size() - head - tail), script);
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
