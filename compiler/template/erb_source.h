#pragma once
// The first step of ERB: template text -> Ruby code, as Ruby's ERB::Compiler with trim mode '-' makes it, newlines and all.
#include "compiler/ruby_interpreter/ruby_tree.h"

#include <string>
#include <string_view>
#include <vector>

namespace pupc {

struct ErbSource {
  std::string code; // with the marks of ruby_tree.h; behind a piece of text as many newlines as it has
  std::vector<std::string> texts;
  std::string problem; // why this text cannot be treated here ("line 1: a magic comment"); empty = none
};

/// Never fails: unclosed tags are text, as in Ruby.
ErbSource compile_erb(std::string_view text);

} // namespace pupc
