#pragma once
// The first step of ERB: makes Ruby code from the template's text. The code equals that of Ruby's ERB::Compiler with trim mode '-',
// newlines included.
#include "catalog/value/regex.h"
#include "compiler/ruby/syntax/ruby_tree.h"

#include <string>
#include <string_view>
#include <vector>

namespace pupc::compiler {

/// The result of compile_erb: Ruby code and the pieces of text that it prints.
struct ErbSource {
  std::string code; // with the marks of ruby_tree.h; each piece of text is followed by as many newlines as it has
  std::vector<std::string_view> texts;
  std::string problem; // why this text cannot be rendered here ("line 1: a magic comment"); empty = no problem
};

/// Never fails: as in Ruby, unclosed tags are text. The texts are parts of the template, or in the arena.
ErbSource compile_erb(std::string_view text, Arena& arena);

/// Whether pupc's own parser accepts the whole template. Then the template's Ruby is valid. Otherwise only Ruby can tell. `text` is valid
/// UTF-8.
bool erb_parses(std::string_view text, RegexCache& regexes);

} // namespace pupc::compiler
