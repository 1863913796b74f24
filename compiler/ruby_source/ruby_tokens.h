#pragma once
// Ruby source as tokens, enough to find one's way in files that define resource types without running them: where strings,
// regular expressions, heredocs and comments begin and end, and which `end` closes what. No parser: type_scan.h reads the tokens.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pupc {

enum class RubyTokenKind : uint8_t {
  Newline,    // end of a statement: a line's end where nothing goes on, or `;`
  Identifier, // foo foo? foo!
  Constant,
  Keyword,
  Variable, // @a @@a $a
  Symbol,   // body: the name
  Label,    // `foo:` before a value in a hash or argument list; body: the name
  String,   // also a heredoc
  Words,    // %w %W; body: the words
  Symbols,  // %i %I
  Regex,    // options: as Ruby's Regexp#options
  Number,
  Operator,
  Other, // what no value is made of: backticks
};

struct RubyToken {
  static constexpr uint32_t no_match = 0xFFFFFFFF;

  RubyTokenKind kind = RubyTokenKind::Newline;
  bool space_before = false;
  bool interpolated = false; // escapes and #{} count in the body: double-quoted and the like
  bool squiggly = false;     // <<~: indentation to be taken off
  uint8_t options = 0;
  char delimiter = 0; // that ends a string or regex; `\` and it is just it
  uint32_t line = 0;
  uint32_t match = no_match; // of an opener: index of what closes it; of an endless def: where its body ends
  std::string_view text;     // whole token
  std::string_view body;     // between delimiters, as written
};

inline bool is_op(const RubyToken& t, std::string_view text) { return t.kind == RubyTokenKind::Operator && t.text == text; }
inline bool is_keyword(const RubyToken& t, std::string_view text) { return t.kind == RubyTokenKind::Keyword && t.text == text; }

struct RubyTokens {
  std::vector<RubyToken> tokens;
  std::string error; // not empty: what makes the text no Ruby that we can follow, and where
};

/// Tokens of a whole file or of the inside of an interpolation. `source` must outlive them.
RubyTokens ruby_tokens(std::string_view source, uint32_t first_line = 1);

/// Where the interpolation whose inside begins at `begin` ends: the index of its `}`. Nothing when it does not end.
std::optional<size_t> ruby_interpolation_end(std::string_view text, size_t begin);

} // namespace pupc
