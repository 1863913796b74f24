#pragma once
// The Ruby code in the text of ERB templates.
#include <string>
#include <string_view>

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
};
TemplateDoubts doubts_of(std::string_view text);

} // namespace pupc::compiler
