#include "catalog/base/diagnostic.h"

#include <algorithm>
#include <fmt/format.h>

namespace pupc {
namespace {

constexpr ErrorClass classes[] = {
#define PUPC_ERROR(number, ident, summary, explanation) {number, #ident, summary, explanation},
#include "catalog/base/errors.def"
#undef PUPC_ERROR
};

size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      size_t up = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0 : 1)});
      diagonal = up;
    }
  }
  return row[b.size()];
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
  std::vector<std::pair<size_t, std::string_view>> ranked;
  size_t bound = std::max<size_t>(1, wanted.size() / 3);
  for (auto name : known) {
    size_t gap = name.size() > wanted.size() ? name.size() - wanted.size() : wanted.size() - name.size();
    if (gap > bound) continue;
    size_t d = edit_distance(wanted, name);
    if (d <= bound) ranked.emplace_back(d, name);
  }
  std::sort(ranked.begin(), ranked.end());
  std::vector<std::string_view> out;
  for (size_t i = 0; i < ranked.size() && out.size() < limit; ++i)
    if (out.empty() || out.back() != ranked[i].second) out.push_back(ranked[i].second);
  return out;
}

} // namespace pupc
