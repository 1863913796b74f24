#include "compiler/analysis/ruby/template_text.h"

#include "compiler/analysis/codebase/checked_codebase.h"
#include "compiler/analysis/ruby/ruby_code_checks.h"

#include <algorithm>

namespace pupc::compiler {

std::string code_of(std::string_view text) {
  std::string code;
  code.reserve(text.size() / 2);
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
  if (word.size() < 3 || word.size() > 6) return {};
  for (std::string_view branch : {"elsif", "else", "when"})
    if (one_slip_apart(word, branch)) return branch;
  return {};
}

TemplateDoubts doubts_of(std::string_view text) {
  const auto is_letter = [](char c) { return c >= 'a' && c <= 'z'; };
  TemplateDoubts out;
  for (size_t open = 0; (open = text.find("<%", open)) != std::string_view::npos;) {
    const size_t close = std::min(text.find("%>", open), text.size());
    const std::string_view code = text.substr(open + 2, close - std::min(open + 2, close));
    size_t at = 0;
    while (at < code.size() && (code[at] == '-' || code[at] == ' ')) ++at;
    const size_t word = at;
    while (at < code.size() && is_letter(code[at])) ++at;
    out.branch = out.branch || !near_branch(code.substr(word, at - word)).empty();
    while (!out.method && (at = code.find('.', at)) != std::string_view::npos) {
      const size_t begin = ++at;
      while (at < code.size() && (is_letter(code[at]) || code[at] == '_')) ++at;
      if (at < code.size() && code[at] == '?') ++at;
      out.method = at > begin && !near_ruby_method(code.substr(begin, at - begin)).empty();
    }
    out.scope = out.scope || code.find("scope") != std::string_view::npos || code.find("function_") != std::string_view::npos;
    open = close;
  }
  return out;
}

} // namespace pupc::compiler
