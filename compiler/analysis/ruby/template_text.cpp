#include "compiler/analysis/ruby/template_text.h"

#include "compiler/analysis/codebase/checked_codebase.h"
#include "compiler/analysis/ruby/ruby_code_checks.h"

#include <algorithm>

namespace pupc::compiler {

std::string code_of(std::string_view text) {
  std::string code;
  size_t at = 0;
  while (at < text.size()) {
    const size_t open = text.find("<%", at);
    if (open == std::string_view::npos) break;
    code.append(
        static_cast<size_t>(std::count(text.begin() + static_cast<ptrdiff_t>(at), text.begin() + static_cast<ptrdiff_t>(open), '\n')),
        '\n');
    at = open + 2;
    if (at < text.size() && text[at] == '%') { // <%% is text
      ++at;
      continue;
    }
    const size_t close = std::min(text.find("%>", at), text.size());
    std::string_view inside = text.substr(at, close - at);
    at = std::min(close + 2, text.size());
    const bool comment = inside.starts_with('#');
    if (inside.starts_with('=') || inside.starts_with('-')) inside.remove_prefix(1);
    if (inside.ends_with('-')) inside.remove_suffix(1);
    if (comment)
      code.append(static_cast<size_t>(std::count(inside.begin(), inside.end(), '\n')), '\n');
    else
      code.append(inside).append(";");
  }
  return code;
}

std::string_view near_branch(std::string_view word) {
  for (std::string_view branch : {"elsif", "else", "when"})
    if (word.size() >= 3 && one_slip_apart(word, branch)) return branch;
  return {};
}

bool begins_nearly_a_branch(std::string_view text) {
  for (size_t at = 0; (at = text.find("<%", at)) != std::string_view::npos;) {
    at += 2;
    while (at < text.size() && (text[at] == '-' || text[at] == ' ')) ++at;
    const size_t begin = at;
    while (at < text.size() && text[at] >= 'a' && text[at] <= 'z') ++at;
    if (at - begin <= 6 && !near_branch(text.substr(begin, at - begin)).empty()) return true;
  }
  return false;
}

bool calls_nearly_a_method(std::string_view text) {
  const auto is_word = [](char c) { return (c >= 'a' && c <= 'z') || c == '_'; };
  for (size_t open = 0; (open = text.find("<%", open)) != std::string_view::npos;) {
    const size_t close = std::min(text.find("%>", open), text.size());
    for (size_t at = open; (at = text.find('.', at)) < close;) {
      const size_t begin = ++at;
      while (at < close && is_word(text[at])) ++at;
      if (at < close && text[at] == '?') ++at;
      if (at > begin && !near_ruby_method(text.substr(begin, at - begin)).empty()) return true;
    }
    open = close;
  }
  return false;
}

} // namespace pupc::compiler
