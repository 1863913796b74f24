#pragma once
// Ruby's lexical rules: where names, numbers, heredocs and % literals begin and end. The tokenizer and the parser share them.
#include <cstddef>
#include <optional>
#include <string_view>

namespace pupc::ruby {

inline bool is_digit(char c) { return c >= '0' && c <= '9'; }
inline bool is_name_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}
inline bool is_name_part(char c) { return is_name_start(c) || is_digit(c); }
inline bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

/// Whether a word is one of Ruby's keywords.
bool is_ruby_keyword(std::string_view word);
/// The length of the name at the beginning of the text; 0 when there is none.
size_t name_length(std::string_view text);
/// Whether a method's name ends with the ? or ! that the text begins with: it does in `a!` and `a?=>`, not in `a!=b`.
bool is_name_suffix(std::string_view text);
/// The length of a method name made of operator characters; 0 when there is none.
size_t operator_name_length(std::string_view text);
/// The length of a symbol's name, after its colon: `foo?`, `foo=`, `@x`, `[]=`; 0 when there is none.
size_t symbol_length(std::string_view text);

/// The beginning of a % literal.
struct PercentOpening {
  char type = 'Q'; // w W i I q Q r s x
  char open = 0;
  char close = 0;    // the same as `open` unless it is a bracket
  size_t length = 0; // up to the literal's body
};
/// Nothing when no literal begins with this %.
std::optional<PercentOpening> percent_opening(std::string_view text);

/// The beginning of a heredoc: <<ID, <<-ID, <<~ID, with or without quotes around the identifier.
struct HeredocOpening {
  char style = 0; // - or ~
  char quote = 0; // ' " `
  std::string_view id;
  size_t length = 0;
};
/// Nothing when the text begins no heredoc.
std::optional<HeredocOpening> heredoc_opening(std::string_view text);

/// Where the lines of a heredoc are in the text that it stands in.
struct HeredocBody {
  size_t begin = 0;
  size_t end = 0;
  size_t next = 0; // the line after the identifier's
};
/// Finds the body of a heredoc whose first line begins at an offset; nothing when it has no end.
std::optional<HeredocBody> heredoc_body(std::string_view text, size_t begin, const HeredocOpening& opening);

} // namespace pupc::ruby
