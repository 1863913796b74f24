#include "compiler/load/setting_text.h"

namespace pupc::compiler {

std::string interpolate_setting_text(std::string_view text, const std::function<std::optional<std::string>(std::string_view)>& value_of) {
  std::string out;
  for (size_t i = 0; i < text.size();) {
    if (text[i] != '$') {
      out += text[i++];
      continue;
    }
    bool braces = i + 1 < text.size() && text[i + 1] == '{';
    size_t begin = i + (braces ? 2 : 1), end = begin;
    while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) || text[end] == '_')) ++end;
    size_t next = braces && end < text.size() && text[end] == '}' ? end + 1 : end;
    const auto value = end == begin ? std::nullopt : value_of(text.substr(begin, end - begin));
    out += value ? std::string_view(*value) : text.substr(i, next - i);
    i = next;
  }
  return out;
}

} // namespace pupc::compiler
