#pragma once
// Tokens as Puppet's lexer makes them, before the parser's token stream classifies the ambiguous ones.
#include <array>
#include <cstdint>
#include <string_view>

namespace pupc::compiler {

enum class Tok : uint8_t {
  End,
  Error, // Error: `aux` is the index of the lexer's diagnostic
  // operands
  Variable,
  Name,
  Word,
  ClassRef,
  Number,
  String,
  DqPre,
  DqMid,
  DqPost,
  Heredoc,
  Regex,
  Boolean,
  // keywords, in the order of the table in token_spelling.cpp
  Case,
  Class,
  Default,
  Define,
  If,
  Elsif,
  Else,
  Inherits,
  Node,
  And,
  Or,
  Undef,
  In,
  Unless,
  Function,
  Type,
  Attr,
  Private,
  Plan, // only with ParseOptions::tasks
  Apply,
  // brackets
  LBrack,
  ListStart,
  RBrack,
  LBrace,
  SelBrace,
  RBrace,
  LParen,
  WsLParen,
  RParen,
  // operators and punctuation
  Equals,
  Appends,
  Deletes,
  IsEqual,
  NotEqual,
  Match,
  NoMatch,
  GreaterEqual,
  Greater,
  LessEqual,
  Less,
  FatArrow,
  PlusArrow,
  LShift,
  RShift,
  Plus,
  Minus,
  Div,
  Times,
  Modulo,
  Not,
  Dot,
  Pipe,
  At,
  AtAt,
  Colon,
  Comma,
  Semicolon,
  Question,
  Tilde,
  LCollect,
  LLCollect,
  RCollect,
  RRCollect,
  InEdge,
  InEdgeSub,
  OutEdge,
  OutEdgeSub,
  // templates
  EppStart,
  EppEnd,
  EppEndTrim,
  RenderString,
  RenderExpr,
  Other, // a character that starts no token
  count
};

constexpr bool is_keyword(Tok t) { return t >= Tok::Case && t <= Tok::Apply; }

struct RawToken {
  const char* text = nullptr; // the value: a name, a string's text after escapes, a regex's source, ...; null for punctuation
  uint32_t size = 0;
  uint32_t offset = 0; // place in the source text that messages show
  uint32_t length = 0;
  Tok kind = Tok::End;
  uint8_t flags = 0;
  uint16_t aux = 0; // of an Error: the index of its diagnostic; of a Variable: where the name's last segment begins, if that is known

  static constexpr uint8_t plain_variable = 1; // flag of a variable: a simple name that keeps Puppet's rules for names
  static constexpr uint8_t single_quoted = 2;  // flag of a string

  std::string_view value() const { return {text, size}; }
};
static_assert(sizeof(RawToken) == 24);

/// Spelling of a keyword or punctuation token; empty for the others.
std::string_view spelling(Tok kind);

/// The keywords, true and false.
struct Keyword {
  std::string_view text;
  Tok kind;
};
inline constexpr Keyword keywords[] = {
    {"case", Tok::Case},
    {"class", Tok::Class},
    {"default", Tok::Default},
    {"define", Tok::Define},
    {"if", Tok::If},
    {"elsif", Tok::Elsif},
    {"else", Tok::Else},
    {"inherits", Tok::Inherits},
    {"node", Tok::Node},
    {"and", Tok::And},
    {"or", Tok::Or},
    {"undef", Tok::Undef},
    {"in", Tok::In},
    {"unless", Tok::Unless},
    {"function", Tok::Function},
    {"type", Tok::Type},
    {"attr", Tok::Attr},
    {"private", Tok::Private},
    {"plan", Tok::Plan},
    {"apply", Tok::Apply},
    {"true", Tok::Boolean},
    {"false", Tok::Boolean},
};

/// For each byte the lengths of the keywords that begin with it, as bits.
inline constexpr auto keyword_lengths = [] {
  std::array<uint16_t, 256> lengths{};
  for (const Keyword& k : keywords) {
    uint16_t& bits = lengths[static_cast<uint8_t>(k.text[0])];
    bits = static_cast<uint16_t>(bits | 1u << k.text.size());
  }
  return lengths;
}();

/// The kind of a word that may be a keyword by its first letter and its length.
Tok keyword_kind_of(std::string_view word, bool tasks);

/// The kind of a word that is a keyword, true or false; else Tok::Name. `tasks`: plan and apply are keywords, too.
inline Tok keyword_kind(std::string_view word, bool tasks) {
  if (word.empty() || word.size() > 15) return Tok::Name;
  if ((keyword_lengths[static_cast<uint8_t>(word[0])] >> word.size() & 1) == 0) return Tok::Name; // nearly all words
  return keyword_kind_of(word, tasks);
}

} // namespace pupc::compiler
