#pragma once
// Splits Ruby source into tokens. They show where strings, regular expressions, heredocs and comments begin and end, and which `end` closes
// what. That is enough to read files that define resource types (type_scan.h) without a parser and without running them.
#include "compiler/ruby/syntax/ruby_lexical.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pupc::compiler {

enum class RubyTokenKind : uint8_t {
  Newline,    // the end of a statement: `;`, or a line's end unless the statement continues
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
  Other, // not usable in a value: backticks
};

struct RubyToken {
  static constexpr uint32_t no_match = 0xFFFFFFFF;

  RubyTokenKind kind = RubyTokenKind::Newline;
  bool space_before = false;
  bool interpolated = false; // double-quoted or similar: escapes and #{} have their meaning in the body
  bool squiggly = false;     // <<~: the indentation must be removed
  uint8_t options = 0;
  ruby::Word word = ruby::Word::None; // of a keyword
  char delimiter = 0;                 // the end of a string or regex; a `\` before it in the body stands for the character itself
  uint32_t line = 0;
  uint32_t match = no_match; // for an opener: the index of its closer; for an endless def: where its body ends
  std::string_view text;     // the whole token
  std::string_view body;     // the source between the delimiters

  RubyToken() = default;
  RubyToken(RubyTokenKind kind_, bool space, uint32_t line_, std::string_view text_, std::string_view body_ = {})
      : kind(kind_), space_before(space), line(line_), text(text_), body(body_) {}
};

/// The text of a symbol or string that stands there as it is; nothing for other tokens, and where a part is computed.
inline std::optional<std::string_view> written_name(const RubyToken& t) {
  if (t.kind != RubyTokenKind::Symbol && t.kind != RubyTokenKind::String) return std::nullopt;
  if (t.interpolated && t.body.find('#') != std::string_view::npos) return std::nullopt;
  return t.body;
}
inline bool is_op(const RubyToken& t, std::string_view text) { return t.kind == RubyTokenKind::Operator && t.text == text; }
inline bool is_op(const RubyToken& t, char c) { return t.kind == RubyTokenKind::Operator && t.text.size() == 1 && t.text[0] == c; }
inline bool is_keyword(const RubyToken& t, std::string_view text) { return t.kind == RubyTokenKind::Keyword && t.text == text; }
inline bool is_keyword(const RubyToken& t, ruby::Word word) { return t.kind == RubyTokenKind::Keyword && t.word == word; }

struct RubyTokens {
  std::vector<RubyToken> tokens;
  std::string error; // what the tokenizer cannot follow, and where; empty when all is well
};

/// Splits a whole file or the inside of an interpolation into tokens. `source` must outlive them.
RubyTokens ruby_tokens(std::string_view source, uint32_t first_line = 1);

/// The index of the `}` that ends the interpolation whose inside begins at `begin`; nothing when it has no end.
std::optional<size_t> ruby_interpolation_end(std::string_view text, size_t begin);

} // namespace pupc::compiler
