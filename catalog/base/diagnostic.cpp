#include "catalog/base/diagnostic.h"

#include <fmt/format.h>

namespace pupc::catalog {
namespace {

constexpr ErrorClass classes[] = {
#define PUPC_ERROR(number, ident, summary, explanation) {number, #ident, summary, explanation},
#include "catalog/base/errors.def"
#undef PUPC_ERROR
};

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

std::string with_paths_below(std::string message, const std::string& directory) {
  if (directory.empty()) return message;
  const std::string place = "file: " + directory + "/";
  for (size_t at = 0; (at = message.find(place, at)) != std::string::npos;) message.erase(at += 6, directory.size() + 1);
  return message;
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

} // namespace pupc::catalog
