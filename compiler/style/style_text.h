#pragma once
// Internal header of the style checks: a manifest as puppet-lint sees it. White space and line ends are tokens; constructs are runs of
// tokens, found by their brackets. It imitates puppet-lint's peculiarities where they change its findings, so that both tools agree.
#include "catalog/base/source.h"
#include "compiler/parse/source_tokens.h"

#include <span>
#include <string>
#include <vector>

namespace pupc::compiler {

struct StyleToken {
  enum class Form : uint8_t {
    Code, // by `kind`
    Whitespace,
    Indent, // white space after a line end
    Newline,
    Comment,
    BlockComment,
    SingleQuoted,
    DoubleQuoted, // without interpolation
    HeredocText,
    Variable,   // $x with the brackets that follow it in the text, or the name in ${x}
    Unenclosed, // $x in a string
    FunctionName,
    TypeName, // of a core data type
  };
  static constexpr uint32_t none = UINT32_MAX;
  Form form = Form::Code;
  Tok kind = Tok::End;
  uint32_t offset = 0, length = 0;
  uint32_t line = 1, column = 1;
  uint32_t before = none, after = none; // nearest tokens of code
  std::string_view value;               // of a string the text between the quotes, of a variable the text after the $

  bool is(Tok k) const { return form == Form::Code && kind == k; }
  bool is(Form f) const { return form == f; }
  bool is_comment() const { return form == Form::Comment || form == Form::BlockComment; }
  bool is_name() const { return form == Form::Code && (kind == Tok::Name || kind == Tok::Word); }
  bool is_variable() const { return form == Form::Variable; }
  bool is_formatting() const { return form >= Form::Whitespace && form <= Form::BlockComment; }
  uint32_t end() const { return offset + length; }
};

/// The attributes of a resource, as the tokens first … last: from the colon after the title to the ; or }.
struct StyleResource {
  uint32_t first, last;
  uint32_t type;                    // the token before its brace
  std::vector<uint32_t> parameters; // names before =>
};

/// A class or a defined type.
struct StyleDefinition {
  uint32_t first, last;
  uint32_t name;
  uint32_t inherited = StyleToken::none;
  uint32_t parameters_first = 1, parameters_last = 0; // between the parentheses; empty when first > last
  bool is_class = false, has_parameters = false;
};

class StyleText {
public:
  StyleText(const SourceFile& source, const TokenList& list);

  const SourceFile& source;
  std::vector<StyleToken> tokens;
  std::vector<StyleResource> resources;
  std::vector<StyleDefinition> definitions; // classes, then defined types

  const StyleToken& operator[](uint32_t i) const { return tokens[i]; }
  uint32_t size() const { return static_cast<uint32_t>(tokens.size()); }
  /// The token at an index; an empty token when the index is `none`.
  const StyleToken& at(uint32_t i) const { return i < tokens.size() ? tokens[i] : nothing_; }
  const StyleToken& before(const StyleToken& t) const { return at(t.before); }
  const StyleToken& after(const StyleToken& t) const { return at(t.after); }
  std::string_view text_of(const StyleToken& t) const { return source.text().substr(t.offset, t.length); }
  /// The next token after `i`, up to `last`, for which `wanted` holds; skips parts in brackets. `none` when there is no such token.
  uint32_t next_of(uint32_t i, bool (*wanted)(const StyleToken&), uint32_t last = StyleToken::none) const;

private:
  void collect(const TokenList& list);
  void gap(uint32_t from, uint32_t to, std::span<const HeredocLines> heredocs);
  void add(StyleToken::Form form, Tok kind, uint32_t offset, uint32_t length);
  void add_code(const RawToken& raw, bool in_heredoc);
  void find_resources();
  void find_definitions(Tok keyword);
  StyleToken nothing_;
  uint32_t line_ = 1, counted_ = 0, column_ = 1;
  uint32_t dashed_end_ = 0; // where puppet-lint ends the name of the last variable without braces in a string
  size_t heredoc_ = 0;      // the first heredoc whose end is still ahead
  bool enclosed_ = false;   // the next token is the first of ${…}
};

inline bool is_open_brace(const StyleToken& t) { return t.is(Tok::LBrace) || t.is(Tok::SelBrace); }
inline bool is_open_bracket(const StyleToken& t) { return t.is(Tok::LBrack) || t.is(Tok::ListStart); }
inline bool is_open_paren(const StyleToken& t) { return t.is(Tok::LParen) || t.is(Tok::WsLParen); }

} // namespace pupc::compiler
