#include "catalog/json/json_reader.h"

#include "catalog/json/json_values.h"

#include <algorithm>
#include <fmt/format.h>

namespace pupc::catalog {
namespace {

/// What the reader found and expected. The parser's text is "[json.exception.parse_error.101] parse error at line 2, column 1: syntax error
/// while parsing value - unexpected …", of which only the last part is for the user, or "[json.exception.out_of_range.406] number overflow
/// parsing '1e999'".
std::string plain_message(std::string_view message) {
  if (message.starts_with("[json.exception.out_of_range") && message.find('\'') != std::string_view::npos)
    return fmt::format("the number {} is out of range", message.substr(message.find('\'')));
  if (const size_t place = message.find(": "); place != std::string_view::npos) message.remove_prefix(place + 2);
  if (const size_t context = message.find(" - "); message.starts_with("syntax error") && context != std::string_view::npos)
    message.remove_prefix(context + 3);
  return message.empty() ? "malformed JSON" : std::string(message);
}

} // namespace

bool parse_json(std::string_view text, Arena& arena, Value& out, JsonError& error) {
  const JsonValues values = read_json_values(text, arena, {});
  if (values.ok) {
    out = values.value;
    return true;
  }
  if (values.too_deep) {
    error.message = "nesting is too deep";
    return false;
  }
  error.message = plain_message(values.parser_message);
  error.offset = std::min(values.failed_at, text.size());
  const std::string_view before = text.substr(0, values.failed_at > 0 ? std::min(values.failed_at - 1, text.size()) : 0);
  error.line = 1 + static_cast<size_t>(std::count(before.begin(), before.end(), '\n'));
  error.column = before.size() - (before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1) + 1;
  return false;
}

} // namespace pupc::catalog
