#pragma once
// Ruby's lexical rules: where names, numbers, heredocs and % literals begin and end. The tokenizer and the parser share them.
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string_view>

namespace pupc::compiler::ruby {

/// What a character can be. A table answers with one look what comparisons answer with many; the parser asks for nearly each character.
enum CharClass : uint16_t {
  char_name = 1,       // of a name, also at its beginning
  char_digit = 2,      // of a name, but not at its beginning
  char_skipped = 4,    // begins what stands between tokens: blanks within a line, comments, a backslash that joins lines
  char_newline = 8,    // ends a line
  char_semicolon = 16, // ends a statement
  char_operator = 32,  // can begin a binary operator, or one that assigns
  char_target = 64,    // stands between the names on the left of an assignment to several variables
  char_literal = 128,  // may mean something in a literal: escapes, interpolations, line ends, the marks of a template
  char_blank = 256,    // a blank within a line
  char_second = 512,   // goes on in an operator of several characters
  char_pair = 1024,    // a bracket, or the `=` that may make a method one without `end`
};
inline constexpr std::array<uint16_t, 256> char_classes = [] {
  std::array<uint16_t, 256> out{};
  for (int c = 0; c < 256; ++c) {
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c >= 0x80) out[static_cast<size_t>(c)] = char_name;
    if (c >= '0' && c <= '9') out[static_cast<size_t>(c)] = char_digit;
    if (c == ' ' || c == '#' || c == '\\' || (c >= '\t' && c <= '\r' && c != '\n')) out[static_cast<size_t>(c)] = char_skipped;
  }
  for (char c : std::string_view(" \t\r\f\v")) out[static_cast<size_t>(c)] |= char_blank;
  for (char c : std::string_view("&*.:<=>|~")) out[static_cast<size_t>(c)] |= char_second;
  for (char c : std::string_view("()[]{}=")) out[static_cast<size_t>(c)] |= char_pair;
  out['\n'] = char_newline;
  out[';'] = char_semicolon;
  for (char c : std::string_view("|&<=!>^+-*/%")) out[static_cast<size_t>(c)] |= char_operator;
  for (char c : std::string_view("@ \t*")) out[static_cast<size_t>(c)] |= char_target;
  for (char c : std::string_view("\\#\n\x01\x02\x04\x05")) out[static_cast<size_t>(c)] |= char_literal;
  return out;
}();
inline bool is_char(char c, unsigned classes) { return (char_classes[static_cast<unsigned char>(c)] & classes) != 0; }

inline bool is_digit(char c) { return c >= '0' && c <= '9'; }
inline bool is_name_start(char c) { return is_char(c, char_name); }
inline bool is_name_part(char c) { return is_char(c, char_name | char_digit); }
inline bool is_blank(char c) { return is_char(c, char_blank); }

/// Ruby's keywords and the words with underscores that stand for a value.
enum class Word : uint8_t {
  None,
  Alias,
  And,
  Begin,
  BeginBlock, // BEGIN
  Break,
  Case,
  Class,
  Def,
  Defined, // defined?
  Do,
  Else,
  Elsif,
  Encoding, // __ENCODING__
  End,
  EndBlock, // END
  Ensure,
  False,
  File, // __FILE__
  For,
  If,
  In,
  Line,   // __LINE__
  Method, // __method__
  Module,
  Next,
  Nil,
  Not,
  Or,
  Redo,
  Rescue,
  Retry,
  Return,
  Self,
  Super,
  Then,
  True,
  Undef,
  Unless,
  Until,
  When,
  While,
  Yield,
};
/// A set of words.
using Words = uint64_t;
constexpr Words one_word(Word word) { return Words{1} << static_cast<unsigned>(word); }
template <class... More> constexpr Words words_of(More... more) { return (one_word(more) | ... | Words{0}); }
constexpr bool has_word(Words words, Word word) { return (words & one_word(word)) != 0; }
/// The words that end an expression or join two: none of them begins a value.
constexpr Words no_value = words_of(Word::If, Word::Unless, Word::While, Word::Until, Word::And, Word::Or, Word::Do, Word::Then,
                                    Word::Rescue, Word::In, Word::End, Word::Else, Word::Elsif, Word::When, Word::Ensure);

struct KnownWord {
  std::string_view name;
  Word word;
};
/// By their first letter, from the table's beginning for that letter on.
inline constexpr KnownWord known_words[] = {
    {"BEGIN", Word::BeginBlock},
    {"END", Word::EndBlock},
    {"__ENCODING__", Word::Encoding},
    {"__FILE__", Word::File},
    {"__LINE__", Word::Line},
    {"__method__", Word::Method},
    {"alias", Word::Alias},
    {"and", Word::And},
    {"begin", Word::Begin},
    {"break", Word::Break},
    {"case", Word::Case},
    {"class", Word::Class},
    {"def", Word::Def},
    {"defined?", Word::Defined},
    {"do", Word::Do},
    {"else", Word::Else},
    {"elsif", Word::Elsif},
    {"end", Word::End},
    {"ensure", Word::Ensure},
    {"false", Word::False},
    {"for", Word::For},
    {"if", Word::If},
    {"in", Word::In},
    {"module", Word::Module},
    {"next", Word::Next},
    {"nil", Word::Nil},
    {"not", Word::Not},
    {"or", Word::Or},
    {"redo", Word::Redo},
    {"rescue", Word::Rescue},
    {"retry", Word::Retry},
    {"return", Word::Return},
    {"self", Word::Self},
    {"super", Word::Super},
    {"then", Word::Then},
    {"true", Word::True},
    {"undef", Word::Undef},
    {"unless", Word::Unless},
    {"until", Word::Until},
    {"when", Word::When},
    {"while", Word::While},
    {"yield", Word::Yield},
};
struct WordGroup { // the keywords with a first letter
  uint8_t begin = 0;
  uint16_t sizes = 0; // a bit for each of their sizes: most names have another
};
inline constexpr auto word_groups = [] {
  std::array<WordGroup, 256> out{};
  for (size_t i = std::size(known_words); i-- > 0;) {
    WordGroup& group = out[static_cast<size_t>(known_words[i].name[0])];
    group.begin = static_cast<uint8_t>(i);
    group.sizes = static_cast<uint16_t>(group.sizes | (1u << known_words[i].name.size()));
  }
  return out;
}();
Word find_word(std::string_view name, size_t first);

/// The keyword that a name is; Word::None for others. It is asked for nearly each name, and most are none by their size alone.
inline Word word_of(std::string_view name) {
  if (name.empty() || name.size() > 15) return Word::None;
  const WordGroup group = word_groups[static_cast<unsigned char>(name[0])];
  return (group.sizes >> name.size() & 1) == 0 ? Word::None : find_word(name, group.begin);
}
/// Whether a word is a keyword for Ruby's own lexer.
inline bool is_ruby_keyword(Word word) { return word != Word::None && word != Word::Method && word != Word::Encoding; }
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
  size_t next = 0;    // the line after the identifier's
  uint32_t lines = 0; // the heredoc's, with that of its identifier
};
/// Finds the body of a heredoc whose first line begins at an offset; nothing when it has no end.
std::optional<HeredocBody> heredoc_body(std::string_view text, size_t begin, const HeredocOpening& opening);

} // namespace pupc::compiler::ruby
