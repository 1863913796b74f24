#pragma once
// Inner header of the lexer's sources (lexer_input.cpp, token_source.cpp, string_lexer.cpp, heredoc_lexer.cpp, epp_lexer.cpp).
#include "compiler/parse/token_source.h"

#include <string>
#include <string_view>

namespace pupc::compiler {

/// Thrown inside the lexer at an error that ends the current token.
struct LexFailure {};

/// Maps places in the text of a heredoc, whose margin is removed, to places in the source.
struct TextMap {
  const TextMap* outer = nullptr;      // map of the text around this one; null = the source itself
  uint32_t start = 0;                  // offset of the first line in the outer text
  std::vector<uint32_t> line_starts;   // offsets in this text
  std::vector<uint32_t> margin_before; // bytes of margin removed up to and including that line

  uint32_t to_outer(uint32_t offset) const;
};

/// The escapes that a heredoc has enabled.
struct EscapeSet {
  bool any = false; // whether any escape is enabled
  bool t = false, r = false, n = false, s = false, u = false, dollar = false, line_end = false;
};

/// What the lexer learns of a variable's name on the way.
struct VariableName {
  uint8_t flags = 0; // of the token
  uint16_t base = 0; // where the last segment begins; 0 also when it begins too far away
};

class Lexer {
public:
  /// A zero byte must follow the text.
  Lexer(std::string_view text, const SourceFile& source, Arena& arena, RegexCache& regexes, TokenList& out, bool tasks, const TextMap* map);

  void lex_manifest();
  void lex_template();
  /// Lexes the text of a heredoc into one String token, or DqPre … DqPost.
  void lex_unquoted(const EscapeSet& escapes, bool interpolate);

private:
  friend class EppScanner;
  enum class EppMode : uint8_t { None, Text, Code, Expr };

  // token_source.cpp
  void run();
  void lex_rest();
  bool skip_bad_token();
  const char* skip_gap(const char* p);
  template <bool mapped> const char* lex_next(const char* p);
  template <bool mapped> const char* lex_variable(const char* p);
  template <bool mapped> const char* lex_plain_word(const char* p);
  template <void (Lexer::*function)()> const char* apart(const char* p);
  void lex_token();
  void skip_block_comment();
  uint32_t blank_before_end(uint32_t offset) const;
  bool blank_before(uint32_t offset) const;
  bool first_on_line(uint32_t offset) const;
  void lex_word_or_other();
  void lex_number();
  void lex_word();
  void lex_class_ref();
  void bad_qualified_name();
  void lex_division();
  void lex_regex_or_division();
  void check_numeric(std::string_view value, uint32_t at);
  Tok before_next() const;
  bool regexp_acceptable() const;
  uint32_t skip_blanks(uint32_t p) const;
  uint32_t scan_bare_word(uint32_t p) const;
  uint32_t to_source(uint32_t offset) const;

  void emit(Tok kind, uint32_t offset, uint32_t length) { emit_text(kind, offset, length, {}); }
  // Inlined by order: gcc thinks it too large, and half a million tokens come by here.
  template <bool mapped = true>
  [[gnu::always_inline]] void emit_text(Tok kind, uint32_t offset, uint32_t length, std::string_view text, uint8_t flags = 0,
                                        uint16_t aux = 0) {
    if (mapped && map_ != nullptr) [[unlikely]]
      place_in_source(offset, length);
    out_.tokens.push_back({text.data(), static_cast<uint32_t>(text.size()), offset, length, kind, flags, aux});
  }
  std::string_view between(uint32_t begin, uint32_t end) const {
    return {text_.data() + begin, end - begin};
  } // substr() without its checks
  uint32_t offset_of(const char* p) const { return static_cast<uint32_t>(p - text_.data()); }
  void place_in_source(uint32_t& offset, uint32_t& length) const;
  [[noreturn]] void fail(std::string message, uint32_t at);
  void warn(std::string message, uint32_t at);
  std::string followed_by() const;
  char at(uint32_t p) const { return p < size_ ? text_[p] : '\0'; }

  // string_lexer.cpp
  bool quote_is_text(uint32_t p, std::string_view terminators) const;
  void lex_single_quoted();
  void lex_double_quoted();
  void lex_interpolated(bool quoted, uint32_t before);
  std::string_view slurped(uint32_t start, uint32_t terminator) const;
  bool slurp(bool quoted, std::string_view& text, std::string_view& terminator);
  std::string_view unescape(std::string_view raw, bool quoted);
  void lex_until(uint32_t brace_count, size_t first_token);
  bool lex_lone_variable();
  uint32_t unicode_escapes(std::string& s);

  // heredoc_lexer.cpp
  void lex_heredoc();

  // epp_lexer.cpp
  void lex_epp_end();
  void interpolate_epp(bool skip_leading);

  std::string_view text_; // a zero byte follows it and is nowhere in it, so loops over characters need not look for the end
  const char* end_;
  uint32_t size_;
  uint32_t pos_ = 0;
  const SourceFile& source_;
  Arena& arena_;
  RegexCache& regexes_;
  TokenList& out_;
  bool tasks_; // plan and apply are keywords
  const TextMap* map_;

  // For errors outside of interpolations: where the token began that is lexed apart, and how many tokens there were then.
  uint32_t start_ = 0;
  size_t first_token_ = 0;
  Tok after_ = Tok::End; // inside an interpolation: the token before, as Puppet keeps it to recognise a regex or a selector's brace
  uint32_t brace_count_ = 0;
  bool no_regex_end_ = false; // an earlier search for the end of a regular expression reached the end of the text
  uint32_t newline_jump_ = 0; // where lexing continues after the texts of pending heredocs; 0 = none pending
  uint32_t depth_ = 0;        // nesting of interpolations
  EppMode epp_ = EppMode::None;
  bool epp_open_ = false;
  const EscapeSet* escapes_ = nullptr;
  bool interpolate_ = true;
  std::string_view matched_; // in a string: the last match of Puppet's scanner, which the message "Unclosed quote after" shows
};

} // namespace pupc::compiler
