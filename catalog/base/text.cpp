#include "catalog/base/text.h"

namespace pupc::catalog {

std::string ascii_lower(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

std::string escape_regex(std::string_view text) {
  std::string out;
  for (char c : text) {
    switch (c) {
    case '\n': out += "\\n"; break;
    case '\t': out += "\\t"; break;
    case '\r': out += "\\r"; break;
    case '\f': out += "\\f"; break;
    case '\v': out += "\\v"; break;
    default:
      if (std::string_view("[]{}()|-*.\\?+^$# ").find(c) != std::string_view::npos) out += '\\';
      out += c;
    }
  }
  return out;
}

std::string with_replaced(std::string_view text, std::string_view from, std::string_view to) {
  std::string out;
  for (size_t at = 0;;) {
    const size_t found = from.empty() ? at : text.find(from, at);
    if (found == std::string_view::npos) return out.append(text, at);
    out.append(text, at, found - at).append(to);
    at = found + from.size();
    if (!from.empty()) continue;
    if (at == text.size()) return out;
    out += text[at++];
  }
}

} // namespace pupc::catalog
