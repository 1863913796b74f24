#pragma once
// The Ruby code in the text of ERB templates.
#include <string>
#include <string_view>

namespace pupc::compiler {

/// The Ruby code of a template. Each piece keeps its line; the text around it is left out.
std::string code_of(std::string_view text);

/// The word of Ruby that one slip makes of this one, of those without which the template still parses; empty when there is none.
std::string_view near_branch(std::string_view word);

/// Whether a piece of the template begins with such a word. Most templates have none, and need no closer look.
bool begins_nearly_a_branch(std::string_view text);

/// Whether the text has a `.name` that is nearly a method of Ruby's values. Most templates have none, and need no closer look.
bool calls_nearly_a_method(std::string_view text);

} // namespace pupc::compiler
