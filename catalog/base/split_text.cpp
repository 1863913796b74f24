#include "catalog/base/split_text.h"

#include <algorithm>

namespace pupc::catalog {

std::vector<std::string> words_of(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  std::vector<std::string> out;
  size_t at = 0;
  while ((at = text.find_first_not_of(blanks, at)) != std::string_view::npos) {
    const size_t end = std::min(text.find_first_of(blanks, at), text.size());
    out.emplace_back(text.substr(at, end - at));
    at = end;
  }
  return out;
}

std::vector<std::string> split_text(std::string_view text, char separator) {
  const std::vector<std::string_view> parts = split_views(text, separator);
  return {parts.begin(), parts.end()};
}

std::vector<std::string_view> split_views(std::string_view text, char separator) {
  std::vector<std::string_view> out;
  for (;;) {
    const size_t end = text.find(separator);
    out.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return out;
    text.remove_prefix(end + 1);
  }
}

} // namespace pupc::catalog
