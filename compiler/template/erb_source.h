#pragma once
// The first step of ERB: template text -> Ruby code, as Ruby's ERB::Compiler with trim mode '-' makes it, newlines and all.
#include <string>
#include <string_view>
#include <vector>

namespace pupc::erb {

/// In the code a piece of literal text stands as text_mark, its number, text_end, followed by as many newlines as the text has; an
/// output tag as output_mark, its code, output_end. Ruby's own code has statements there; here they are tokens.
inline constexpr char text_mark = '\x01';
inline constexpr char text_end = '\x02';
inline constexpr char output_mark = '\x04';
inline constexpr char output_end = '\x05';

struct ErbSource {
  std::string code;
  std::vector<std::string> texts;
  std::string problem; // why this text cannot be treated here ("line 1: a magic comment"); empty = none
};

/// Never fails: unclosed tags are text, as in Ruby.
ErbSource compile_erb(std::string_view text);

} // namespace pupc::erb
