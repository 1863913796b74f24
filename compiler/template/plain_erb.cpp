#include "compiler/template/plain_erb.h"

#include "catalog/base/diagnostic.h"
#include "catalog/value/plain_pattern.h"
#include "compiler/ruby/syntax/ruby_parser.h"
#include "compiler/template/erb_source.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace pupc::compiler {
namespace {

using namespace ruby;

/// Reads a template from tag to tag. Each function moves behind what it has read, and is false where it meets something that it does not
/// know; then all is over, so nothing is ever put back.
class PlainErb {
public:
  explicit PlainErb(std::string_view text) : text_(text) {}

  bool run() {
    if (text_.starts_with("<%#")) { // perhaps a magic comment, which Ruby's ERB obeys
      const std::string_view first = text_.substr(0, text_.find('\n'));
      if (first.find("coding") != std::string_view::npos || first.find("frozen") != std::string_view::npos) return false;
    }
    for (size_t begin = 0; (begin = text_.find("<%", begin)) != std::string_view::npos;) {
      begin += 2;
      const char kind = begin < text_.size() ? text_[begin] : '\0';
      if (kind == '%' || kind == '=' || kind == '#' || kind == '-') ++begin;
      if (kind == '%') continue; // <%% is text
      const size_t end = text_.find("%>", begin);
      if (end == std::string_view::npos) return false;
      const char before = end > begin ? text_[end - 1] : '\0';
      if (before == '%') return false; // %%> is no end
      const size_t next = end + 2;
      if (kind != '#') {
        comment_ends_tag_ = false;
        at_ = text_.data() + begin;
        end_ = text_.data() + end - (before == '-' ? 1 : 0);
        if (kind == '=' ? !output() : !code()) return false;
        // The text behind the tag would be a part of a comment that goes on up to it.
        if (comment_ends_tag_ && !text_.substr(next).starts_with('\n')) return false;
      }
      begin = next;
    }
    return open_ == 0;
  }

private:
  enum class Open : uint8_t { If, Unless, Else, Do };

  char at() const { return at_ < end_ ? *at_ : '\0'; }
  char after(ptrdiff_t n) const { return end_ - at_ > n ? at_[n] : '\0'; }
  static bool blank(char c) { return is_char(c, char_blank | char_newline); }

  void skip_blanks() {
    while (at_ < end_ && is_char(*at_, char_blank)) ++at_;
  }
  void skip_comment() {
    const void* newline = std::memchr(at_, '\n', static_cast<size_t>(end_ - at_));
    comment_ends_tag_ = newline == nullptr;
    at_ = newline == nullptr ? end_ : static_cast<const char*>(newline);
  }
  void skip_newlines() { // and blanks and comments
    for (; at_ < end_; ++at_) {
      if (*at_ == '#') skip_comment();
      if (at_ == end_ || !blank(*at_)) return;
    }
  }
  bool take(char c) {
    if (at() != c) return false;
    ++at_;
    return true;
  }
  std::string_view name() {
    const char* begin = at_;
    while (at_ < end_ && is_name_part(*at_)) ++at_;
    return {begin, static_cast<size_t>(at_ - begin)};
  }
  /// The keyword that stands here, which is not taken.
  Word peek_word() {
    if (!is_name_start(at())) return Word::None;
    const char* begin = at_;
    const std::string_view found = name();
    word_end_ = at_;
    at_ = begin;
    const char next = *word_end_ == '?' || *word_end_ == '!' || *word_end_ == ':' ? *word_end_ : '\0'; // if? and if: are no keywords
    return next == '\0' ? word_of(found) : Word::None;
  }
  void take_word() { at_ = word_end_; } // that peek_word has found

  struct Nested {
    explicit Nested(PlainErb& of) : erb(of) { ++erb.depth_; }
    ~Nested() { --erb.depth_; }
    bool too_deep() const { return erb.depth_ > 40; }
    PlainErb& erb;
  };

  // ---- tags

  /// <%= … %>
  bool output() {
    skip_newlines();
    if (!statement()) return false;
    skip_newlines();
    return at_ == end_ && !comment_ends_tag_;
  }

  /// <% … %>: statements and the beginnings and ends of longer ones.
  bool code() {
    bool fresh = true; // a statement may begin here
    for (;;) {
      skip_blanks();
      const char c = at();
      if (c == '\0') return at_ == end_;
      if (c == '\n' || c == ';') {
        ++at_;
        fresh = true;
        continue;
      }
      if (c == '#') {
        skip_comment();
        continue;
      }
      switch (peek_word()) {
      case Word::End:
        if (open_ == 0) return false;
        --open_;
        take_word();
        fresh = false;
        if (!modifiers()) return false;
        continue;
      case Word::Else:
        if (open_ == 0 || (opened_[open_ - 1] != Open::If && opened_[open_ - 1] != Open::Unless)) return false;
        opened_[open_ - 1] = Open::Else;
        take_word();
        fresh = true;
        continue;
      case Word::Elsif:
        if (open_ == 0 || opened_[open_ - 1] != Open::If) return false;
        take_word();
        if (!condition()) return false;
        fresh = true;
        continue;
      case Word::If:
      case Word::Unless: {
        const Open kind = *at_ == 'i' ? Open::If : Open::Unless;
        take_word();
        if (!fresh || !opens(kind) || !condition()) return false;
        continue;
      }
      default: break;
      }
      if (!fresh || !statement(true)) return false;
      skip_blanks();
      const Word left = peek_word();
      fresh = left == Word::Do || left == Word::If; // `if` behind `x =`
      if (left != Word::Do) continue;
      take_word();
      if (!may_have_block_ || !opens(Open::Do)) return false;
      skip_blanks();
      if (at() == '|' && !block_parameters()) return false;
    }
  }

  bool inside_block() const { return std::find(opened_.begin(), opened_.begin() + open_, Open::Do) != opened_.begin() + open_; }

  bool opens(Open kind) {
    if (open_ == opened_.size()) return false;
    opened_[open_++] = kind;
    return true;
  }

  /// What `if` and its like ask, with the end of the line or the `then` behind it.
  bool condition() {
    if (!sentence(true)) return false;
    skip_blanks();
    if (peek_word() == Word::Then) return take_word(), true;
    const char c = at();
    return at_ == end_ || c == '\n' || c == ';' || c == '#';
  }

  // ---- statements that are complete in their tag

  /// An expression or an assignment, with its modifiers. `opens`: the value may be an `if`, which is left to read.
  bool statement(bool opens = false) {
    const Word first = peek_word();
    if (first == Word::Next && inside_block()) {
      take_word();
      target_ = may_have_block_ = false;
    } else if (!sentence(true)) {
      return false;
    }
    if (is_char(at(), char_operator)) {
      if (!target_ || first == Word::Not || !assignment_operator()) return false;
      skip_newlines();
      if (opens && peek_word() == Word::If) return true;
      if (!sentence(false)) return false;
    }
    return modifiers();
  }

  /// What may stand behind a whole statement: `if` and `unless` with their conditions.
  bool modifiers() {
    for (;;) {
      skip_blanks();
      const Word modifier = peek_word();
      if (modifier != Word::If && modifier != Word::Unless) return true;
      take_word();
      if (!sentence(true)) return false;
      may_have_block_ = false;
    }
  }

  bool assignment_operator() {
    if (*at_ != '=') {
      ++at_;
      if (at_[-1] == '|' && !take('|')) return false;
      if (at_[-1] != '|' && at_[-1] != '+' && at_[-1] != '-') return false;
    }
    return take('=') && at() != '=' && at() != '~' && at() != '>';
  }

  /// Operations joined by `and` and `or`. Whether `target_` and `may_have_block_` hold for the whole says its first operation.
  bool sentence(bool may_begin_with_not) {
    for (bool first = true;; first = false) {
      skip_blanks();
      if (may_begin_with_not || !first) {
        if (peek_word() == Word::Not) take_word(), skip_blanks();
      }
      if (!operation(may_begin_with_not)) return false;
      if (!first) target_ = may_have_block_ = false;
      skip_blanks();
      const Word word = peek_word();
      if (word != Word::And && word != Word::Or) return true;
      take_word();
      skip_newlines();
    }
  }

  /// Operands with operators between them. Their levels do not matter here, but that comparisons do not stand in a row. `command`: the
  /// first operand may have arguments without parentheses: `list.include? 'x'`.
  bool operation(bool command) {
    Operators seen;
    for (bool first = true;; first = false) {
      if (!operand()) return false;
      const bool spaced = is_char(at(), char_blank);
      skip_blanks();
      if (first && command && spaced && command_ && begins_argument()) return arguments_of_command();
      const int length = operator_length(spaced, seen);
      if (length < 0) return false;
      if (length == 0) {
        if (!first) target_ = may_have_block_ = false;
        return seen.choices == 0;
      }
      at_ += length;
      skip_newlines();
    }
  }

  struct Operators {
    bool compared = false; // since the last operator that is looser than a comparison
    int choices = 0;       // `?` that wait for their `:`
    int all_choices = 0;
  };
  /// The length of the operator behind an operand: 0 when there is none or one that assigns, -1 when it may be something else.
  int operator_length(bool spaced, Operators& seen) const {
    const char c = at(), next = after(1);
    switch (c) {
    case '?':
    case ':':
      if (!spaced || !blank(next)) return -1;
      seen.choices += c == '?' ? 1 : -1;
      if (seen.choices < 0 || ++seen.all_choices > 16) return -1;
      seen.compared = false;
      return 1;
    case '&':
    case '|':
      if (next == '=' || (next == c && after(2) == '=')) return 0;
      if (next != c) return blank(next) ? 1 : -1;
      seen.compared = false;
      return 2;
    case '=':
      if (next != '=' && next != '~') return 0;
      [[fallthrough]];
    case '!':
      if ((next != '=' && next != '~') || after(2) == '=' || std::exchange(seen.compared, true)) return -1;
      return 2;
    case '<':
    case '>':
      if (next == '=') return after(2) == '>' ? -1 : 2;
      if (next == c) return blank(after(2)) ? 2 : -1; // perhaps a heredoc
      return 1;
    case '+':
    case '-':
    case '*':
    case '/':
    case '%':
      if (next == '=') return 0;
      return next == c || (spaced && !blank(next)) ? -1 : 1; // perhaps an argument
    default: return 0;
    }
  }

  bool begins_argument() {
    constexpr Words values = words_of(Word::None, Word::Nil, Word::True, Word::False);
    const char c = at();
    if (is_name_start(c)) return has_word(values, peek_word());
    return c == '\'' || c == '"' || c == '@' || (c == ':' && is_name_start(after(1)));
  }
  bool arguments_of_command() {
    do {
      skip_newlines();
      if (!operation(false)) return false;
      skip_blanks();
    } while (take(','));
    target_ = may_have_block_ = false;
    return true;
  }

  // ---- operands

  bool operand() {
    target_ = may_have_block_ = command_ = false;
    skip_blanks();
    bool negated = false;
    for (int signs = 0; at() == '!'; ++signs) {
      if (signs == 2 || after(1) == '=' || after(1) == '~') return false;
      ++at_;
      skip_blanks();
      negated = true;
    }
    if (at() == 'd' && std::string_view(at_, static_cast<size_t>(end_ - at_)).starts_with("defined?")) {
      at_ += 8;
      skip_blanks();
      negated = true;
      if (at() == '(') return primary();
    }
    if (!primary() || !postfix()) return false;
    if (negated) target_ = may_have_block_ = command_ = false;
    return true;
  }

  bool primary() {
    const char c = at();
    if (is_name_start(c)) return name_or_call();
    if (is_digit(c)) return number();
    switch (c) {
    case '@':
      ++at_;
      target_ = true;
      return is_name_start(at()) && !name().empty();
    case '$': ++at_; return at() != '0' && is_digit(at()) && number() && at_[-2] == '$'; // $1
    case '/': return regex();
    case '\'': return single_quoted();
    case '"': ++at_; return double_quoted('\0', '"');
    case '%': return percent_literal();
    case ':': ++at_; return is_name_start(at()) && !name().empty() && at() != '?' && at() != '!' && at() != '=';
    case '-': ++at_; return is_digit(at()) && number() && at() != '.' && at() != '[' && at() != '*';
    case '(': {
      const Nested nested(*this);
      ++at_;
      skip_newlines();
      if (nested.too_deep() || !sentence(true)) return false;
      skip_newlines();
      target_ = may_have_block_ = command_ = false;
      return take(')');
    }
    case '[': ++at_; return list(']');
    case '{': ++at_; return hash();
    default: return false;
    }
  }

  bool number() {
    const char* begin = at_;
    while (is_digit(at())) ++at_;
    if (at_ - begin > 15 || (*begin == '0' && at_ - begin > 1)) return false;
    if (at() == '.' && is_digit(after(1))) {
      ++at_;
      while (is_digit(at())) ++at_;
    }
    return !is_name_start(at());
  }

  bool single_quoted() {
    for (++at_; at_ < end_; ++at_) {
      if (*at_ == '\'') return ++at_, true;
      if (*at_ == '\\') ++at_;
    }
    return false;
  }

  /// A text with escapes and parts to compute, up to the character that ends it; none between brackets that has the same brackets in it.
  bool double_quoted(char open, char close) {
    for (; at_ < end_; ++at_) {
      const char c = *at_;
      if (c == close) return ++at_, true;
      if (c == open) return false;
      if (c == '\\') { // not what says a code, which may be none
        ++at_;
        const char escaped = at();
        if (is_digit(escaped) || std::string_view("uxcCM").find(escaped) != std::string_view::npos) return false;
      } else if (c == '#') {
        if (after(1) == '@' || after(1) == '$') return false;
        if (after(1) != '{') continue;
        const Nested nested(*this);
        at_ += 2;
        skip_newlines();
        if (nested.too_deep() || !sentence(true)) return false;
        skip_newlines();
        target_ = may_have_block_ = command_ = false;
        if (at() != '}') return false;
      }
    }
    return false;
  }

  /// %w(…), %q(…), %(…) and their like with brackets.
  bool percent_literal() {
    const auto opening = percent_opening({at_, static_cast<size_t>(end_ - at_)});
    if (!opening || opening->open == opening->close) return false;
    at_ += opening->length;
    if (opening->type == 'Q') return double_quoted(opening->open, opening->close);
    const bool words = opening->type == 'w' || opening->type == 'i';
    if (!words && opening->type != 'q') return false;
    for (; at_ < end_; ++at_) {
      const char c = *at_;
      if (c == opening->close) return ++at_, true;
      if (c == opening->open || c == '\\' ||
          (words && !is_name_part(c) && !blank(c) && std::string_view("-./:,@=").find(c) == std::string_view::npos))
        return false;
    }
    return false;
  }

  bool regex() {
    const char* begin = ++at_;
    for (;; ++at_) {
      if (at_ >= end_ || *at_ == '#' || *at_ == '\n') return false; // perhaps a part to compute
      if (*at_ == '/') break;
      if (*at_ == '\\') ++at_;
    }
    const std::string_view source(begin, static_cast<size_t>(at_ - begin));
    for (++at_; at() == 'i' || at() == 'm';) ++at_;
    return !is_name_part(at()) && plainly_valid(source);
  }

  bool name_or_call() {
    const std::string_view word = name();
    const char next = at();
    switch (word_of(word)) {
    case Word::None: break;
    case Word::Nil:
    case Word::True:
    case Word::False: return true;
    default: return false;
    }
    if (word[0] >= 'A' && word[0] <= 'Z' && next != '(') {
      while (at() == ':' && after(1) == ':') {
        at_ += 2;
        if (at() < 'A' || at() > 'Z') return false;
        name();
        if (at() == '(') return false;
      }
      return true;
    }
    if (next == '(') return call();
    if (next != '?' && next != '!') {
      command_ = word == "require";
      target_ = !command_;
      return true;
    }
    return word != "defined" && suffix() && (at() != '(' || call());
  }

  /// The ? or ! at the end of a method's name.
  bool suffix() {
    if (!is_name_suffix(std::string_view(at_, static_cast<size_t>(end_ - at_)))) return true;
    ++at_;
    return !is_name_part(at()); // foo?bar
  }

  /// The arguments of a call in parentheses, and its block.
  bool call() {
    ++at_;
    block_passed_ = false;
    if (!list(')')) return false;
    const bool passed = std::exchange(block_passed_, false);
    may_have_block_ = !passed;
    return block_or_none(passed);
  }

  bool block_or_none(bool passed) {
    const char* begin = at_;
    skip_blanks();
    if (at() != '{') {
      at_ = begin;
      return true;
    }
    may_have_block_ = false;
    return !passed && block();
  }

  /// Elements and calls behind a value.
  bool postfix() {
    for (;;) {
      if (at() == '[') {
        ++at_;
        if (!list(']')) return false;
        target_ = true;
        may_have_block_ = command_ = false;
        continue;
      }
      if (at() != '.') return true;
      ++at_;
      if (!is_name_start(at())) return false;
      name();
      if ((at() == '?' || at() == '!') && !suffix()) return false;
      target_ = false;
      command_ = at() != '(';
      may_have_block_ = true;
      if (command_ ? !block_or_none(false) : !call()) return false;
    }
  }

  /// The elements of a list, an index or arguments, behind the opening bracket. Pairs of a hash stand at the end.
  bool list(char closing) {
    const Nested nested(*this);
    if (nested.too_deep()) return false;
    bool pairs = false;
    for (;;) {
      skip_newlines();
      if (at() == closing) break;
      if (at() == '&') { // &:name
        if (closing != ')' || after(1) != ':' || !is_name_start(after(2))) return false;
        at_ += 2;
        name();
        if ((at() == '?' || at() == '!') && !suffix()) return false;
        skip_newlines();
        block_passed_ = true;
        if (at() != ')') return false;
        break;
      }
      if (!operation(false)) return false;
      skip_newlines();
      if (at() == '=' && after(1) == '>') {
        if (!value_of_pair()) return false;
        pairs = true;
      } else if (pairs) {
        return false;
      }
      if (!take(',')) break;
    }
    target_ = may_have_block_ = command_ = false;
    return take(closing);
  }

  /// The => of a pair, and the value behind it.
  bool value_of_pair() {
    at_ += 2;
    skip_newlines();
    if (!operation(false)) return false;
    skip_newlines();
    return true;
  }

  bool hash() {
    const Nested nested(*this);
    if (nested.too_deep()) return false;
    for (;;) {
      skip_newlines();
      if (at() == '}') break;
      if (!operation(false)) return false;
      skip_newlines();
      if (at() != '=' || after(1) != '>' || !value_of_pair()) return false;
      if (!take(',')) break;
    }
    target_ = may_have_block_ = command_ = false;
    return take('}');
  }

  // ---- blocks

  /// { |x| … } with statements that are complete.
  bool block() {
    const Nested nested(*this);
    ++at_;
    skip_newlines();
    if (nested.too_deep() || (at() == '|' && !block_parameters())) return false;
    for (;;) {
      skip_newlines();
      if (take(';')) continue;
      if (at() == '}') break;
      if (!statement()) return false;
      skip_blanks();
      if (at() != '\n' && at() != ';' && at() != '}') return false;
    }
    ++at_;
    target_ = may_have_block_ = command_ = block_passed_ = false;
    return true;
  }

  /// |a, b| and |a, (b, c)|
  bool block_parameters() {
    std::array<std::string_view, 8> names;
    bool list = false;
    for (size_t n = 0; n < names.size(); ++n) {
      ++at_; // the | or comma
      skip_blanks();
      if (!list && take('(')) {
        list = true;
        skip_blanks();
      }
      if (!is_name_start(at()) || (at() >= 'A' && at() <= 'Z')) return false;
      names[n] = name();
      const auto before = names.begin() + static_cast<ptrdiff_t>(n);
      if (word_of(names[n]) != Word::None || names[n] == "require" || std::find(names.begin(), before, names[n]) != before) return false;
      skip_blanks();
      if (list && take(')')) {
        list = false;
        skip_blanks();
      }
      if (!list && take('|')) return true;
      if (at() != ',') return false;
    }
    return false;
  }

  std::string_view text_;
  const char* at_ = nullptr; // in the code of a tag
  const char* end_ = nullptr;
  const char* word_end_ = nullptr;
  int depth_ = 0;
  bool comment_ends_tag_ = false;
  // What the last operand is:
  bool target_ = false;         // something that can be assigned to
  bool may_have_block_ = false; // a call, which `do` may follow
  bool command_ = false;        // a call without parentheses, which arguments may follow: behind a dot, or `require`
  bool block_passed_ = false;   // the arguments end with &:name
  size_t open_ = 0;
  std::array<Open, 32> opened_{}; // what waits for its `end`
};

} // namespace

bool plain_erb(std::string_view text) { return PlainErb(text).run(); }

bool erb_parses(std::string_view text, RegexCache& regexes) {
  RubyScript program;
  const ErbSource source = compile_erb(text, program.arena);
  if (!source.problem.empty()) return false;
  try {
    Parser(source.code, program, regexes).parse();
  } catch (const Unparsable&) { return false; } catch (const CompileError&) {
    return false;
  }
  return program.problems.empty();
}

} // namespace pupc::compiler
