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

} // namespace pupc::catalog
