#pragma once
// The Ruby code in the text of ERB templates.
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace pupc::compiler {

/// The Ruby code of a template. Each piece keeps its line; the text around it is left out.
std::string code_of(std::string_view text);

/// The word of Ruby that one slip makes of this one, of those without which the template still parses; empty when there is none.
std::string_view near_branch(std::string_view word);

/// What a template may have that is worth a closer look. Most have none of it.
struct TemplateDoubts {
  bool branch = false; // a piece begins with a word that is nearly a branch
  bool method = false; // a `.name` is nearly a method of Ruby's values
  bool scope = false;  // it names its scope, or calls a function by its method
  bool name = false;   // a word is neither a method of templates, nor plainly a variable
  bool constant = false;
};
TemplateDoubts doubts_of(std::string_view text);

struct TemplateRead {
  std::string name;
  uint32_t line;
  bool plain = false; // it is written, or a method that nil lacks is called: nothing asks whether it is nil
};
/// Collects the `@name`s that Ruby code reads, each at its first place, and those that it sets. Includes the code in interpolations.
void reads_of(std::string_view code, uint32_t first_line, std::vector<TemplateRead>& reads, std::set<std::string, std::less<>>& assigned,
              int depth = 0);

/// Whether the text has an `@name`, in code or elsewhere, that is not known. Most templates have none, and need no closer look.
template <class F> bool names_another(std::string_view text, F known) {
  auto is_word = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || (c & 0x80) != 0;
  };
  for (size_t at = 0; (at = text.find('@', at)) != std::string_view::npos;) {
    const size_t begin = ++at;
    while (at < text.size() && is_word(text[at])) ++at;
    if (at > begin && !known(text.substr(begin, at - begin))) return true;
  }
  return false;
}

} // namespace pupc::compiler
