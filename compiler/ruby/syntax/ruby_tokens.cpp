#include "compiler/ruby/syntax/ruby_tokens.h"

#include "compiler/ruby/syntax/ruby_lexical.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace pupc::compiler {
namespace {

// By their first character, and a longer one before its own beginning.
constexpr std::string_view operators[] = {
    "!=", "!~",  "%=",  "&&=", "&&", "&.",  "&=", "**=", "**", "*=",  "+=", "-=", "->", "...", "..",  "/=",
    "::", "<=>", "<<=", "<<",  "<=", "===", "==", "=>",  "=~", ">>=", ">>", ">=", "^=", "|=",  "||=", "||"};
/// Where the operators with a first character begin, plus one.
constexpr auto first_operator = [] {
  std::array<uint8_t, 128> out{};
  for (size_t i = std::size(operators); i-- > 0;) out[static_cast<size_t>(operators[i][0])] = static_cast<uint8_t>(i + 1);
  return out;
}();
/// The length of the operator that the text begins with, when it has several characters; else 1.
size_t operator_length(std::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  if (text.size() < 2 || !ruby::is_char(text[1], ruby::char_second) || first >= 128 || first_operator[first] == 0) return 1;
  for (size_t i = first_operator[first] - 1u; i < std::size(operators) && operators[i][0] == text[0]; ++i)
    if (operators[i][1] == text[1] && text.starts_with(operators[i])) return operators[i].size();
  return 1;
}
constexpr int max_interpolation_depth = 32;

using ruby::is_blank;
using ruby::is_digit;
using ruby::is_name_start;
bool is_name(char c) { return ruby::is_name_part(c); }

using ruby::Word;

/// The keywords that are a value, or that end one.
constexpr ruby::Words value_words = ruby::words_of(Word::End, Word::Self, Word::True, Word::False, Word::Nil, Word::File, Word::Line,
                                                   Word::Super, Word::Redo, Word::Retry);

/// Whether the token is a bracket that closes.
bool closes(const RubyToken& t) { return t.text.size() == 1 && (t.text[0] == ')' || t.text[0] == ']' || t.text[0] == '}'); }

struct Broken {
  uint32_t line;
  std::string what;
};

// Finds what closes each opener, while the tokens are made. What does not match is told at the end: the tokenizer's own errors go first.
class Matcher {
public:
  explicit Matcher(std::vector<RubyToken>& tokens) : tokens_(tokens) {}

  /// These are called for the last token.
  void newline() {
    if (!open_.empty()) open_.back().loop_do = false;
    while (!endless_.empty() && endless_.back().depth == open_.size()) {
      tokens_[endless_.back().def].match = last();
      endless_.pop_back();
    }
  }
  void op(char c) {
    switch (c) {
    case '(':
    case '[':
    case '{': return push(last());
    case ')':
    case ']':
    case '}': return close(last());
    case '=': return endless_def(last());
    default: return;
    }
  }
  void keyword(Word word) {
    if (ruby::has_word(block_words, word)) block_word(last(), word);
  }

  /// After the last token: the first one that does not match, if any.
  std::optional<Broken> end() {
    if (problem_) return std::move(problem_);
    if (!open_.empty())
      return Broken{tokens_[open_.back().index].line, fmt::format("{} is never closed", tokens_[open_.back().index].text)};
    for (const auto& e : endless_) tokens_[e.def].match = static_cast<uint32_t>(tokens_.size());
    return std::nullopt;
  }

private:
  struct Open {
    uint32_t index;
    bool loop_do; // while, until, for: the next `do` belongs to the loop
  };
  struct Endless {
    uint32_t def;
    size_t depth;
  };
  static constexpr ruby::Words block_words = ruby::words_of(Word::End, Word::Do, Word::Def, Word::Class, Word::Module, Word::Begin,
                                                            Word::Case, Word::For, Word::If, Word::Unless, Word::While, Word::Until);

  uint32_t last() const { return static_cast<uint32_t>(tokens_.size() - 1); }

  bool begins_statement(size_t i) const {
    if (i == 0) return true;
    const RubyToken& p = tokens_[i - 1];
    switch (p.kind) {
    case RubyTokenKind::Newline:
    case RubyTokenKind::Label: return true;
    case RubyTokenKind::Operator: return !closes(p);
    case RubyTokenKind::Keyword: {
      constexpr ruby::Words before = ruby::words_of(Word::And, Word::Begin, Word::Case, Word::Do, Word::Else, Word::Elsif, Word::Ensure,
                                                    Word::If, Word::In, Word::Not, Word::Or, Word::Then, Word::Unless, Word::Until,
                                                    Word::When, Word::While);
      return ruby::has_word(before, p.word);
    }
    default: return false;
    }
  }

  void push(uint32_t i, bool loop_do = false) {
    if (open_.capacity() == 0) open_.reserve(32);
    open_.push_back({i, loop_do});
  }

  void unmatched(uint32_t line, std::string what) {
    problem_ = Broken{line, std::move(what)};
    endless_.clear(); // nothing behind this place counts
  }

  void close(uint32_t i) {
    if (problem_) return;
    const std::string_view closer = tokens_[i].text;
    if (open_.empty()) return unmatched(tokens_[i].line, fmt::format("{} closes nothing", closer));
    const RubyToken& opener = tokens_[open_.back().index];
    const char wanted = opener.kind == RubyTokenKind::Keyword ? 'e' : opener.text[0] == '(' ? ')' : opener.text[0] == '[' ? ']' : '}';
    if (closer[0] != wanted)
      return unmatched(tokens_[i].line, fmt::format("{} does not close the {} of line {}", closer, opener.text, opener.line));
    tokens_[open_.back().index].match = i;
    tokens_[i].match = open_.back().index;
    open_.pop_back();
  }

  void endless_def(uint32_t i) {
    if (problem_ || open_.empty() || !is_keyword(tokens_[open_.back().index], Word::Def)) return;
    const uint32_t def = open_.back().index;
    uint32_t name = def + 1; // [self .] name
    if (name + 1 < i && tokens_[name + 1].text == ".") name += 2;
    uint32_t after = name + 1;
    if (after < i && tokens_[after].text == "(" && tokens_[after].match != RubyToken::no_match) after = tokens_[after].match + 1;
    if (after != i || (after == name + 1 && !tokens_[i].space_before)) return;
    open_.pop_back();
    endless_.push_back({def, open_.size()});
  }

  void block_word(uint32_t i, Word word) {
    switch (word) {
    case Word::End: return close(i);
    case Word::Do:
      if (!open_.empty() && open_.back().loop_do)
        open_.back().loop_do = false;
      else
        push(i);
      return;
    case Word::Def:
    case Word::Class:
    case Word::Module:
    case Word::Begin:
    case Word::Case: return push(i);
    case Word::For: return push(i, true);
    case Word::If:
    case Word::Unless:
      if (begins_statement(i)) push(i);
      return;
    case Word::While:
    case Word::Until:
      if (begins_statement(i)) push(i, true);
      return;
    default: return;
    }
  }

  std::vector<RubyToken>& tokens_;
  std::vector<Open> open_;
  std::vector<Endless> endless_;
  std::optional<Broken> problem_;
};

class Lexer {
public:
  Lexer(std::string_view source, uint32_t line, int depth) : src_(source), line_(line), depth_(depth), matches_(depth == 0) {}

  /// All tokens. `unmatched`: the first that does not match, if any.
  std::vector<RubyToken> all(std::optional<Broken>& unmatched) {
    tokens_.reserve(src_.size() / 5 + 16);
    lex(false);
    unmatched = matcher_.end();
    return std::move(tokens_);
  }

  size_t end_of_interpolation(size_t begin) {
    pos_ = begin;
    lex(true);
    return pos_;
  }

private:
  struct Heredoc {
    size_t token;
    ruby::HeredocOpening opening;
  };

  char at(size_t i) const { return i < src_.size() ? src_[i] : '\0'; }
  [[noreturn]] void broken(std::string what) const { throw Broken{line_, std::move(what)}; }

  const RubyToken* last() const { return tokens_.empty() ? nullptr : &tokens_.back(); }

  // Whether the next token begins a value, rather than continuing an expression.
  bool value_expected() const {
    const RubyToken* t = last();
    if (!t) return true;
    switch (t->kind) {
    case RubyTokenKind::Newline:
    case RubyTokenKind::Label: return true;
    case RubyTokenKind::Keyword: return !ruby::has_word(value_words, t->word);
    case RubyTokenKind::Operator: return !closes(*t);
    case RubyTokenKind::Identifier:
    case RubyTokenKind::Constant:
    case RubyTokenKind::Variable:
    case RubyTokenKind::Symbol:
    case RubyTokenKind::String:
    case RubyTokenKind::Words:
    case RubyTokenKind::Symbols:
    case RubyTokenKind::Regex:
    case RubyTokenKind::Number:
    case RubyTokenKind::Other: return false;
    }
    return false;
  }
  // Whether the next token can be an argument of a call without parentheses, rather than an operator: `foo /x/`, `foo %w[a]`, `foo <<X`.
  bool argument_possible(bool space_before, char next) const {
    const RubyToken* t = last();
    bool callee = t && (t->kind == RubyTokenKind::Identifier || (t->kind == RubyTokenKind::Keyword && t->word == Word::Super));
    return callee && space_before && !is_blank(next) && next != '=' && next != '\n';
  }

  /// Adds a token whose text ends here.
  [[gnu::always_inline]] RubyToken& push(RubyTokenKind kind, size_t begin, bool space, std::string_view body = {}) {
    const std::string_view text(src_.data() + begin, pos_ - begin);
    return tokens_.emplace_back(kind, space, token_line_, text, body);
  }

  void lex(bool until_brace) {
    int braces = 0;
    bool line_start = pos_ == 0;
    bool space = false;
    while (pos_ < src_.size()) {
      char c = src_[pos_];
      if (line_start) {
        line_start = false;
        if (c == '=' && src_.substr(pos_).starts_with("=begin") && !is_name(at(pos_ + 6))) {
          skip_block_comment();
          line_start = true;
          continue;
        }
        if (c == '_' && src_.substr(pos_).starts_with("__END__") &&
            (pos_ + 7 == src_.size() || src_[pos_ + 7] == '\n' || src_[pos_ + 7] == '\r')) {
          pos_ = src_.size();
          break;
        }
      }
      if (ruby::is_char(c, ruby::char_newline | ruby::char_skipped)) {
        if (c == '\n') {
          line_start = newline();
          space = true;
          continue;
        }
        if (c == '#') {
          pos_ = std::min(src_.find('\n', pos_), src_.size());
          continue;
        }
        if (c != '\\') {
          skip_blanks();
          space = true;
          continue;
        }
        if (at(pos_ + 1) == '\n' || (at(pos_ + 1) == '\r' && at(pos_ + 2) == '\n')) {
          pos_ += at(pos_ + 1) == '\n' ? 2 : 3;
          ++line_;
          space = true;
          continue;
        }
      }
      if (until_brace) {
        if (c == '{') ++braces;
        if (c == '}' && braces-- == 0) return;
      }
      token(c, space);
      space = false;
    }
    if (until_brace) broken("an interpolation does not end");
    if (!heredocs_.empty()) broken("a heredoc does not end");
  }

  void skip_blanks() {
    size_t i = pos_ + 1;
    while (i < src_.size() && is_blank(src_[i])) ++i;
    pos_ = i;
  }

  // Where the name that goes on at an offset ends.
  size_t past_name(size_t i) const {
    while (i < src_.size() && is_name(src_[i])) ++i;
    return i;
  }

  void skip_block_comment() {
    for (;;) {
      size_t end = src_.find('\n', pos_);
      if (end == std::string_view::npos) {
        pos_ = src_.size();
        return;
      }
      bool last_line = src_.substr(pos_).starts_with("=end");
      pos_ = end + 1;
      ++line_;
      if (last_line) return;
    }
  }

  /// Ends a line, and goes on to what stands next on the following ones. True when that begins its line.
  bool newline() {
    const size_t here = pos_++;
    const uint32_t line = line_++;
    if (!heredocs_.empty()) read_heredocs();
    size_t i = pos_, line_begin = pos_;
    for (;; ++i) {
      while (i < src_.size() && is_blank(src_[i])) ++i;
      if (i < src_.size() && src_[i] == '#') i = std::min(src_.find('\n', i), src_.size());
      if (i == src_.size() || src_[i] != '\n') break;
      ++line_;
      line_begin = i + 1;
    }
    pos_ = i;
    const bool line_start = i == line_begin;
    if (continues()) return line_start;
    tokens_.emplace_back(RubyTokenKind::Newline, false, line, src_.substr(here, 1));
    if (matches_) matcher_.newline();
    return line_start;
  }

  /// Whether the statement of the last token continues on a line that goes on here.
  bool continues() const {
    const RubyToken* t = last();
    if (!t) return true;
    switch (t->kind) {
    case RubyTokenKind::Newline: return true; // an empty line ends nothing
    case RubyTokenKind::Operator:
      if (!def_name_ && !closes(*t) && !is_op(*t, '|')) return t->text != "..." && t->text != "..";
      break;
    case RubyTokenKind::Keyword:
      if (ruby::has_word(ruby::words_of(Word::And, Word::Or, Word::Not), t->word)) return true;
      break;
    default: break;
    }
    const char c = at(pos_), next = at(pos_ + 1); // a line that begins with a method call continues the previous one
    return (c == '.' && next != '.') || (c == '&' && next == '.');
  }

  void read_heredocs() {
    auto pending = std::move(heredocs_);
    heredocs_.clear();
    for (const auto& h : pending) {
      auto body = ruby::heredoc_body(src_, pos_, h.opening);
      if (!body) {
        line_ += static_cast<uint32_t>(std::count(src_.begin() + static_cast<ptrdiff_t>(pos_), src_.end(), '\n') +
                                       (pos_ < src_.size() && src_.back() != '\n'));
        pos_ = src_.size();
        broken("a heredoc does not end");
      }
      line_ += body->lines;
      pos_ = body->next;
      tokens_[h.token].body = src_.substr(body->begin, body->end - body->begin);
    }
  }

  void token(char c, bool space) {
    token_line_ = line_;
    if (is_name_start(c)) return name(space);
    if ((def_name_ || after_alias()) && operator_name(space)) return;
    switch (c) {
    case '0':
    case '1':
    case '2':
    case '3':
    case '4':
    case '5':
    case '6':
    case '7':
    case '8':
    case '9': return number(space);
    case '@':
    case '$': return variable(space);
    case '"':
    case '\'':
    case '`': {
      size_t begin = pos_++;
      auto body = quoted(c, c, c != '\'');
      return string_token(c == '`' ? RubyTokenKind::Other : RubyTokenKind::String, begin, space, body, c != '\'', c);
    }
    case ':':
      if (!def_name_ && quoted_or_plain_symbol(space)) return;
      break;
    case '/':
      if (!def_name_ && (value_expected() || argument_possible(space, at(pos_ + 1)))) {
        size_t begin = pos_++;
        auto body = quoted('/', '/', true);
        return regex_token(begin, space, body, '/');
      }
      break;
    case '%':
      if (!def_name_ && (value_expected() || argument_possible(space, at(pos_ + 1))) && percent(space)) return;
      break;
    case '?':
      if (value_expected() && character(space)) return;
      break;
    case '<':
      if (at(pos_ + 1) == '<' && !def_name_ && heredoc(space)) return;
      break;
    default: break;
    }
    punctuation(c, space);
  }

  bool quoted_or_plain_symbol(bool space) {
    const char next = at(pos_ + 1);
    if (next != '"' && next != '\'') return next != ':' && symbol(space);
    const size_t begin = pos_;
    pos_ += 2;
    auto body = quoted(next, next, next == '"');
    RubyToken& t = push(RubyTokenKind::Symbol, begin, space, body);
    t.interpolated = next == '"';
    t.delimiter = next;
    return true;
  }

  void punctuation(char c, bool space) {
    const size_t begin = pos_;
    if (c != '.') def_name_ = false; // after the dot of `def self.x` the name follows
    if (c == ';') {
      ++pos_;
      push(RubyTokenKind::Newline, begin, space);
      if (matches_) matcher_.newline();
      return;
    }
    const size_t length = operator_length(src_.substr(begin));
    pos_ += length;
    push(RubyTokenKind::Operator, begin, space);
    if (length == 1 && ruby::is_char(c, ruby::char_pair) && matches_) matcher_.op(c);
  }

  void number(bool space) {
    size_t begin = pos_;
    while (is_name(at(pos_))) ++pos_;
    if (at(pos_) == '.' && is_digit(at(pos_ + 1))) {
      ++pos_;
      while (is_name(at(pos_))) ++pos_;
      if ((at(pos_) == '-' || at(pos_) == '+') && (at(pos_ - 1) == 'e' || at(pos_ - 1) == 'E')) {
        ++pos_;
        while (is_name(at(pos_))) ++pos_;
      }
    }
    push(RubyTokenKind::Number, begin, space);
  }

  void name(bool space) {
    size_t begin = pos_;
    pos_ = past_name(pos_ + 1);
    char next = at(pos_);
    if ((next == '?' || next == '!') && ruby::is_name_suffix(src_.substr(pos_))) next = at(++pos_);
    const std::string_view word(src_.data() + begin, pos_ - begin);
    const RubyToken* before = last();
    const bool after_operator = before != nullptr && before->kind == RubyTokenKind::Operator;
    const bool dotted = after_operator && is_dot(before->text);
    if (def_name_) {
      // In `def self.x` and `def Const.x` the name comes after the dot. In `def x=(v)` the `=` is part of the name.
      if (at(pos_) != '.') {
        if (at(pos_) == '=' && at(pos_ + 1) != '=' && at(pos_ + 1) != '~' && at(pos_ + 1) != '>' &&
            (at(pos_ + 1) == '(' || is_blank(at(pos_ + 1)) || is_name_start(at(pos_ + 1))))
          ++pos_;
        def_name_ = false;
        push(RubyTokenKind::Identifier, begin, space);
        return;
      }
      push(word == "self" ? RubyTokenKind::Keyword : RubyTokenKind::Constant, begin, space);
      if (word == "self") tokens_.back().word = Word::Self;
      return;
    }
    if (next == ':' && at(pos_ + 1) != ':' && !dotted && !(after_operator && is_op(*before, '?'))) {
      ++pos_;
      push(RubyTokenKind::Label, begin, space, word);
      return;
    }
    const bool constant = word[0] >= 'A' && word[0] <= 'Z';
    const Word keyword = dotted ? Word::None : ruby::word_of(word);
    if (ruby::is_ruby_keyword(keyword)) {
      push(RubyTokenKind::Keyword, begin, space);
      tokens_.back().word = keyword;
      if (matches_) matcher_.keyword(keyword);
      def_name_ = keyword == Word::Def;
      if (keyword == Word::Alias) alias_end_ = tokens_.size() + 2;
      return;
    }
    push(constant ? RubyTokenKind::Constant : RubyTokenKind::Identifier, begin, space);
  }

  void variable(bool space) {
    size_t begin = pos_++;
    if (src_[begin] == '@') {
      if (at(pos_) == '@') ++pos_;
    } else if (!is_name(at(pos_))) {
      pos_ += at(pos_) == '-' ? 2 : 1; // $! $: $-w …
      pos_ = std::min(pos_, src_.size());
      push(RubyTokenKind::Variable, begin, space);
      return;
    }
    pos_ = past_name(pos_);
    push(RubyTokenKind::Variable, begin, space);
  }

  static bool is_dot(std::string_view op) {
    return op.size() == 1 ? op[0] == '.' : op.size() == 2 && ((op[0] == '&' && op[1] == '.') || (op[0] == ':' && op[1] == ':'));
  }

  // Whether the next token is one of the two names behind `alias`.
  bool after_alias() const { return alias_end_ != 0 && tokens_.size() < alias_end_; }

  // Reads an operator as the name of a method: def ==(other), def self.[](key)
  bool operator_name(bool space) {
    size_t length = ruby::operator_name_length(src_.substr(pos_));
    if (length == 0) return false;
    def_name_ = false;
    pos_ += length;
    push(RubyTokenKind::Identifier, pos_ - length, space);
    return true;
  }

  bool symbol(bool space) {
    size_t length = ruby::symbol_length(src_.substr(pos_ + 1));
    if (length == 0) return false;
    const size_t begin = pos_;
    pos_ += 1 + length;
    push(RubyTokenKind::Symbol, begin, space, {src_.data() + begin + 1, length});
    return true;
  }

  // Reads the body of a literal after its opening delimiter. Afterwards the position is behind the closing delimiter.
  std::string_view quoted(char open, char close, bool interpolated) {
    size_t begin = pos_;
    uint32_t first = line_;
    // Most literals have nothing in them to look at, and those with documentation are long.
    const std::string_view plain = src_.substr(begin, src_.find(close, begin) - begin);
    const bool whole = begin + plain.size() < src_.size() && close != '#' && close != '\\';
    if (whole && plain.find('\\') == std::string_view::npos && (open == close || plain.find(open) == std::string_view::npos) &&
        (!interpolated || plain.find("#{") == std::string_view::npos)) {
      for (size_t at = 0; (at = plain.find('\n', at)) != std::string_view::npos; ++at) ++line_;
      pos_ += plain.size() + 1;
      return plain;
    }
    int nested = 0;
    while (pos_ < src_.size()) {
      char c = src_[pos_];
      if (c == '\\') {
        if (at(pos_ + 1) == '\n') ++line_;
        pos_ = std::min(pos_ + 2, src_.size());
        continue;
      }
      if (interpolated && c == '#' && at(pos_ + 1) == '{') {
        pos_ += 2;
        skip_interpolation();
        continue;
      }
      if (c == close && nested-- == 0) {
        ++pos_;
        return src_.substr(begin, pos_ - 1 - begin);
      }
      if (c == open && open != close) ++nested;
      if (c == '\n') ++line_;
      ++pos_;
    }
    line_ = first;
    broken(fmt::format("a literal that ends with {} does not end", close));
  }

  void skip_interpolation() {
    if (depth_ >= max_interpolation_depth) broken("interpolations are nested too deeply");
    Lexer inner(src_, line_, depth_ + 1);
    inner.pos_ = pos_;
    inner.lex(true);
    pos_ = inner.pos_ + 1;
    line_ = inner.line_;
  }

  void string_token(RubyTokenKind kind, size_t begin, bool space, std::string_view body, bool interpolated, char delimiter) {
    // A string before a colon may be a label: "name": value
    const RubyToken* t = last();
    if (kind == RubyTokenKind::String && at(pos_) == ':' && at(pos_ + 1) != ':' && t &&
        (is_op(*t, '{') || is_op(*t, ',') || is_op(*t, '(') || t->kind == RubyTokenKind::Newline)) {
      ++pos_;
      kind = RubyTokenKind::Label;
    }
    push(kind, begin, space, body);
    tokens_.back().interpolated = interpolated;
    tokens_.back().delimiter = delimiter;
  }

  void regex_token(size_t begin, bool space, std::string_view body, char delimiter) {
    uint8_t options = 0;
    while (at(pos_) >= 'a' && at(pos_) <= 'z') {
      if (at(pos_) == 'i') options |= 1;
      if (at(pos_) == 'x') options |= 2;
      if (at(pos_) == 'm') options |= 4;
      ++pos_;
    }
    push(RubyTokenKind::Regex, begin, space, body);
    tokens_.back().interpolated = true;
    tokens_.back().options = options;
    tokens_.back().delimiter = delimiter;
  }

  bool percent(bool space) {
    auto opening = ruby::percent_opening(src_.substr(pos_));
    if (!opening || (opening->open == '=' && !value_expected())) return false;
    size_t begin = pos_;
    char type = opening->type, close = opening->close;
    bool interpolated = type == 'W' || type == 'I' || type == 'Q' || type == 'r' || type == 'x';
    pos_ += opening->length;
    auto body = quoted(opening->open, close, interpolated);
    if (type == 'r') {
      regex_token(begin, space, body, close);
      return true;
    }
    RubyTokenKind kind = RubyTokenKind::String;
    if (type == 'w' || type == 'W') kind = RubyTokenKind::Words;
    if (type == 'i' || type == 'I') kind = RubyTokenKind::Symbols;
    if (type == 's') kind = RubyTokenKind::Symbol;
    if (type == 'x') kind = RubyTokenKind::Other;
    push(kind, begin, space, body);
    tokens_.back().interpolated = interpolated;
    tokens_.back().delimiter = close;
    return true;
  }

  bool character(bool space) {
    size_t begin = pos_, i = pos_ + 1;
    if (at(i) == '\0' || is_blank(at(i)) || at(i) == '\n') return false;
    if (at(i) == '\\') ++i;
    if (is_name(at(i)) && is_name(at(i + 1)) && static_cast<unsigned char>(at(i)) < 0x80) return false;
    ++i;
    while (static_cast<unsigned char>(at(i)) >= 0x80 && static_cast<unsigned char>(at(i)) < 0xC0) ++i;
    pos_ = std::min(i, src_.size());
    push(RubyTokenKind::String, begin, space, src_.substr(begin + 1, pos_ - begin - 1));
    tokens_.back().interpolated = true;
    return true;
  }

  bool heredoc(bool space) {
    if (!value_expected() && !argument_possible(space, at(pos_ + 2))) return false;
    if (last() && last()->kind == RubyTokenKind::Keyword && last()->word == Word::Class) return false;
    auto opening = ruby::heredoc_opening(src_.substr(pos_));
    if (!opening) return false;
    size_t begin = pos_;
    pos_ += opening->length;
    push(opening->quote == '`' ? RubyTokenKind::Other : RubyTokenKind::String, begin, space);
    tokens_.back().interpolated = opening->quote != '\'';
    tokens_.back().squiggly = opening->style == '~';
    tokens_.back().delimiter = opening->quote == '\'' ? '\0' : '"';
    heredocs_.push_back({tokens_.size() - 1, *opening});
    return true;
  }

  std::string_view src_;
  size_t pos_ = 0;
  uint32_t line_;
  int depth_;
  bool def_name_ = false;
  size_t alias_end_ = 0; // as long as there are less tokens, `alias` is among the last two
  uint32_t token_line_ = 0;
  std::vector<RubyToken> tokens_;
  std::vector<Heredoc> heredocs_;
  Matcher matcher_{tokens_};
  const bool matches_; // not in an interpolation, whose tokens nobody asks for
};

} // namespace

RubyTokens ruby_tokens(std::string_view source, uint32_t first_line) {
  RubyTokens out;
  if (source.starts_with("\xEF\xBB\xBF")) source.remove_prefix(3);
  try {
    std::optional<Broken> unmatched;
    out.tokens = Lexer(source, first_line, 0).all(unmatched);
    if (unmatched) throw std::move(*unmatched);
  } catch (const Broken& b) { out.error = fmt::format("line {}: {}", b.line, b.what); }
  return out;
}

std::optional<size_t> ruby_interpolation_end(std::string_view text, size_t begin) {
  try {
    return Lexer(text, 1, 1).end_of_interpolation(begin);
  } catch (const Broken&) { return std::nullopt; }
}

} // namespace pupc::compiler
