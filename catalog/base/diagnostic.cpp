#include "catalog/base/diagnostic.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>

namespace pupc {
namespace {

constexpr ErrorClass classes[] = {
#define PUPC_ERROR(number, ident, summary, explanation) {number, #ident, summary, explanation},
#include "catalog/base/errors.def"
#undef PUPC_ERROR
};

constexpr size_t most_apart = 6; // letters: names that differ in more are not much alike, however long they are

/// The distance where it is at most `bound`, else something larger. `row` is room to work in.
size_t edit_distance(std::string_view a, std::string_view b, size_t bound, std::vector<size_t>& row) {
  // Beginnings and ends that are equal cost nothing.
  while (!a.empty() && !b.empty() && a.front() == b.front()) {
    a.remove_prefix(1);
    b.remove_prefix(1);
  }
  while (!a.empty() && !b.empty() && a.back() == b.back()) {
    a.remove_suffix(1);
    b.remove_suffix(1);
  }
  if (b.empty()) return a.size();
  row.resize(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    // Only cells near the diagonal can stay within the bound. All other cells count as larger than it.
    const size_t from = i > bound ? i - bound : 1, to = std::min(b.size(), i + bound);
    size_t diagonal = row[from - 1];
    row[from - 1] = from == 1 ? i : bound + 1;
    size_t least = row[from - 1];
    for (size_t j = from; j <= to; ++j) {
      const size_t up = j == i + bound ? bound + 1 : row[j];
      row[j] = std::min({up + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0 : 1)});
      diagonal = up;
      least = std::min(least, row[j]);
    }
    if (least > bound) return least; // the minimum of a row never decreases
  }
  return row[b.size()];
}

/// The set of letters in a name, by their low bits. Every letter that one of two names lacks costs an edit step, so two sets give a
/// cheap lower bound of the distance.
uint64_t letters_of(std::string_view name) {
  uint64_t out = 0;
  for (char c : name) out |= uint64_t(1) << (static_cast<unsigned char>(c) & 63);
  return out;
}

} // namespace

std::string Diagnostic::file_name() const { return loc ? loc.file->path() : file; }

LineColumn Diagnostic::position() const {
  if (loc) return loc.position();
  return {line, column};
}

std::string position_suffix(std::string_view file, uint32_t line, uint32_t column) {
  std::string inner;
  auto add = [&](const std::string& part) {
    if (!inner.empty()) inner += ", ";
    inner += part;
  };
  if (!file.empty()) add(fmt::format("file: {}", file));
  if (line != 0) add(fmt::format("line: {}", line));
  if (column != 0) add(fmt::format("column: {}", column));
  return inner.empty() ? std::string() : " (" + inner + ")";
}

std::string Diagnostic::puppet_text() const {
  if (style == PositionStyle::None) return message;
  if (style == PositionStyle::File) return message + position_suffix(file_name(), 0, 0);
  LineColumn p = position();
  return message + position_suffix(file_name(), p.line, style == PositionStyle::Line ? 0 : p.column);
}

const ErrorClass* find_error_class(uint16_t number) {
  for (const auto& c : classes)
    if (c.number == number) return &c;
  return nullptr;
}

std::vector<ErrorClass> all_error_classes() { return {std::begin(classes), std::end(classes)}; }

void throw_error(ErrorCode code, Loc loc, std::string message, PositionStyle style) {
  Diagnostic d;
  d.code = code;
  d.loc = loc;
  d.style = style;
  d.message = std::move(message);
  throw CompileError(std::move(d));
}

std::vector<std::string_view> similar_names(std::string_view wanted, const std::vector<std::string_view>& known, size_t limit) {
  std::vector<std::pair<size_t, std::string_view>> ranked; // the best so far, in order
  size_t bound = std::clamp<size_t>(wanted.size() / 3, 1, most_apart);
  const uint64_t letters = letters_of(wanted);
  std::vector<size_t> row;
  for (auto name : known) {
    size_t gap = name.size() > wanted.size() ? name.size() - wanted.size() : wanted.size() - name.size();
    if (gap > bound) continue;
    const uint64_t others = letters_of(name);
    const int lacking = std::max(std::popcount(letters & ~others), std::popcount(others & ~letters));
    if (static_cast<size_t>(lacking) > bound) continue;
    const std::pair<size_t, std::string_view> found(edit_distance(wanted, name, bound, row), name);
    if (found.first > bound) continue;
    const auto at = std::lower_bound(ranked.begin(), ranked.end(), found);
    if (at != ranked.end() && *at == found) continue;
    ranked.insert(at, found);
    if (ranked.size() > limit) ranked.pop_back();
    if (ranked.size() == limit && limit > 0) bound = ranked.back().first; // ignore worse names
  }
  std::vector<std::string_view> out;
  for (const auto& [distance, name] : ranked) out.push_back(name);
  return out;
}

} // namespace pupc
