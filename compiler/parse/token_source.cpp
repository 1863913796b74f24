// The lexer's main part: everything except strings, heredocs and templates.
#include "compiler/parse/char_classes.h"
#include "compiler/parse/lexer.h"

#include <cstring>

namespace pupc::compiler {
namespace {

/// Length of a Unicode blank (general category Zs) at p, or 0. Ruby's [[:blank:]] takes them for white space.
uint32_t unicode_blank(std::string_view s, uint32_t p) {
  auto b = [&](uint32_t i) { return p + i < s.size() ? static_cast<uint8_t>(s[p + i]) : 0; };
  if (b(0) == 0xC2) return b(1) == 0xA0 ? 2 : 0;
  if (b(0) == 0xE1) return b(1) == 0x9A && b(2) == 0x80 ? 3 : 0;
  if (b(0) == 0xE3) return b(1) == 0x80 && b(2) == 0x80 ? 3 : 0;
  if (b(0) == 0xE2) {
    if (b(1) == 0x80) return (b(2) >= 0x80 && b(2) <= 0x8A) || b(2) == 0xAF ? 3 : 0;
    if (b(1) == 0x81) return b(2) == 0x9F ? 3 : 0;
  }
  return 0;
}

} // namespace

Lexer::Lexer(std::string_view text, const SourceFile& source, Arena& arena, RegexCache& regexes, TokenList& out, bool tasks,
             const TextMap* map)
    : text_(text), end_(text.data() + text.size()), size_(static_cast<uint32_t>(text.size())), source_(source), arena_(arena),
      regexes_(regexes), out_(out), tasks_(tasks), map_(map) {}

uint32_t Lexer::to_source(uint32_t offset) const {
  for (const TextMap* m = map_; m != nullptr; m = m->outer) offset = m->to_outer(offset);
  return offset;
}

void Lexer::place_in_source(uint32_t& offset, uint32_t& length) const {
  const uint32_t end = to_source(offset + length);
  offset = to_source(offset);
  length = end > offset ? end - offset : length;
}

void Lexer::fail(std::string message, uint32_t offset) {
  Diagnostic d;
  d.code = ErrorCode::lexical_error;
  d.message = std::move(message);
  d.loc = {&source_, to_source(offset), 0};
  RawToken t;
  t.kind = Tok::Error;
  t.offset = d.loc.offset;
  t.aux = static_cast<uint16_t>(out_.errors.size());
  out_.tokens.push_back(t);
  out_.errors.push_back(std::move(d));
  throw LexFailure{};
}

void Lexer::warn(std::string message, uint32_t offset) {
  if (out_.warnings.size() >= 1000) return; // a hostile file must not flood the user with warnings
  Diagnostic d;
  d.code = ErrorCode::lexical_error;
  d.severity = Severity::Warning;
  d.message = std::move(message);
  d.loc = {&source_, to_source(offset), 0};
  out_.warnings.push_back(std::move(d));
}

std::string Lexer::followed_by() const {
  if (pos_ >= size_) return "<eof>";
  std::string result;
  uint32_t p = pos_;
  for (int n = 0; n < 5 && p < size_; ++n) {
    char c = text_[p];
    uint32_t width = 1;
    while (p + width < size_ && (static_cast<uint8_t>(text_[p + width]) & 0xC0) == 0x80) ++width;
    if (c == '\t')
      result += "\\t";
    else if (c == '\n')
      result += "\\n";
    else if (c == '\r')
      result += "\\r";
    else
      result += text_.substr(p, width);
    p += width;
  }
  return result + "...";
}

uint32_t Lexer::skip_blanks(uint32_t p) const {
  while (p < size_) {
    char c = text_[p];
    if (c == ' ' || c == '\t' || c == '\r') {
      ++p;
    } else if (static_cast<uint8_t>(c) >= 0x80) {
      uint32_t n = unicode_blank(text_, p);
      if (n == 0) break;
      p += n;
    } else {
      break;
    }
  }
  return p;
}

/// Whether only white space stands between the start of the line and an offset. A line end inside a string or comment does not start a
/// line, but then the end of the string or comment stands between.
bool Lexer::first_on_line(uint32_t offset) const {
  while (offset > 0) {
    const char last = text_[offset - 1];
    if (last == '\n') return true;
    const uint32_t blank = blank_before_end(offset);
    if (blank == 0) return false;
    offset -= blank;
  }
  return true;
}

void Lexer::lex_manifest() {
  pos_ = skip_blanks(0);
  run();
}

void Lexer::lex_template() {
  epp_ = EppMode::Text;
  emit(Tok::EppStart, 0, 0);
  try {
    interpolate_epp(false);
  } catch (const LexFailure&) {
    out_.truncated = true;
    return;
  }
  run();
  if (epp_open_ && !out_.truncated) {
    try {
      fail("Unbalanced epp tag, reached <eof> without closing tag.", size_);
    } catch (const LexFailure&) { out_.truncated = true; }
  }
}

void Lexer::run() {
  for (bool more = true; more;) {
    more = false;
    try {
      lex_rest();
    } catch (const LexFailure&) { more = skip_bad_token(); }
  }
}

/// Goes on after an error, if that is safe.
bool Lexer::skip_bad_token() {
  // Put an error inside a string or heredoc before its first token, because Puppet lexes the whole string at once.
  const RawToken error = out_.tokens.back();
  out_.tokens.shrink(first_token_);
  out_.tokens.push_back(error);
  // Later errors are only extra help for the user. Continue where that is safe: not in a text whose end was not found.
  if (out_.truncated || out_.errors.size() >= 50) {
    out_.truncated = true;
    return false;
  }
  depth_ = 0; // the error may have been in an interpolation
  if (pos_ <= start_) pos_ = start_ + 1;
  while (pos_ < size_ && is_word(text_[pos_])) ++pos_;
  return true;
}

/// The kind of the token before the next one, as far as Puppet's lexer knows it.
Tok Lexer::before_next() const {
  if (depth_ > 0) return after_;
  if (out_.tokens.empty()) return Tok::End;
  const Tok kind = out_.tokens.back().kind;
  return kind == Tok::Error ? Tok::Name : kind;
}

bool Lexer::regexp_acceptable() const {
  switch (before_next()) {
  case Tok::RParen:
  case Tok::RBrack:
  case Tok::RRCollect:
  case Tok::RCollect:
  case Tok::Name:
  case Tok::ClassRef:
  case Tok::Number:
  case Tok::String:
  case Tok::Boolean:
  case Tok::DqPre:
  case Tok::DqMid:
  case Tok::DqPost:
  case Tok::Heredoc:
  case Tok::Regex:
  case Tok::Variable:
  case Tok::Word: return false;
  default: return true;
  }
}

void Lexer::skip_block_comment() {
  const size_t end = text_.find("*/", pos_ + 2);
  if (end == std::string_view::npos) {
    out_.truncated = true;
    fail("Unclosed multiline comment", pos_);
  }
  pos_ = static_cast<uint32_t>(end + 2);
}

/// The bytes of the blank that ends before an offset; 0 if it is none.
uint32_t Lexer::blank_before_end(uint32_t offset) const {
  const char last = text_[offset - 1];
  if (static_cast<uint8_t>(last) < 0x80) return last == ' ' || last == '\t' || last == '\r' ? 1 : 0;
  for (uint32_t back = 2; back <= 3 && back <= offset; ++back)
    if (unicode_blank(text_, offset - back) == back) return back;
  return 0;
}

/// Whether a blank, the end of a line, or nothing at all stands before an offset.
bool Lexer::blank_before(uint32_t offset) const { return offset == 0 || text_[offset - 1] == '\n' || blank_before_end(offset) != 0; }

/// What begins with none of the language's signs: numbers, words, blanks of Unicode, and characters that no token has.
void Lexer::lex_word_or_other() {
  const uint32_t before = pos_;
  const char c = text_[pos_];
  if (is_digit(c)) return lex_number();
  if (is_name_start(c)) return lex_word();
  if (const uint32_t blanks = skip_blanks(pos_); blanks > pos_) {
    pos_ = blanks;
    return;
  }
  do { ++pos_; } while (pos_ < size_ && (static_cast<uint8_t>(text_[pos_]) & 0xC0) == 0x80);
  emit(Tok::Other, before, pos_ - before);
}

void Lexer::bad_qualified_name() { fail("Illegal fully qualified name", pos_ + 2); }

/// Lexes by a function that moves pos_: what is rare or long. The hot path keeps its place in a register.
template <void (Lexer::*function)()> const char* Lexer::apart(const char* p) {
  pos_ = offset_of(p);
  if (depth_ == 0) {
    start_ = pos_;
    first_token_ = out_.tokens.size();
  }
  (this->*function)();
  return text_.data() + pos_;
}

template <bool mapped> [[gnu::always_inline]] inline const char* Lexer::lex_variable(const char* p) {
  VariableName name;
  const char* end = variable_end(p + 1, end_, name);
  // A lone $ becomes a variable without a name, because the checker's message is better than a syntax error.
  emit_text<mapped>(Tok::Variable, offset_of(p), static_cast<uint32_t>(end - p), {p + 1, static_cast<size_t>(end - p - 1)}, name.flags,
                    name.base);
  return end;
}

/// A word that begins with a small letter. Nearly all are names or keywords.
template <bool mapped> [[gnu::always_inline]] inline const char* Lexer::lex_plain_word(const char* p) {
  const char* end = word_end(p + 1, end_);
  while (end[0] == ':' && end[1] == ':' && is_lower(end[2])) end = word_end(end + 3, end_);
  if (*end == '-' || (end[0] == ':' && end[1] == ':')) return apart<&Lexer::lex_word>(p);
  const std::string_view word(p, static_cast<size_t>(end - p));
  emit_text<mapped>(keyword_kind(word, tasks_), offset_of(p), static_cast<uint32_t>(word.size()), word);
  return end;
}

/// The end of the blanks, line ends and comments that begin at p.
[[gnu::always_inline]] inline const char* Lexer::skip_gap(const char* p) {
  for (;;) {
    if (*p == '\n') {
      ++p;
      if (newline_jump_ != 0) [[unlikely]] {
        p = text_.data() + newline_jump_;
        newline_jump_ = 0;
      }
    }
    if (*p == ' ') p = spaces_end(p + 1, end_); // indentation is a fifth of a manifest
    if (*p == '#') {
      const void* line_end = std::memchr(p, '\n', static_cast<size_t>(end_ - p));
      if (line_end == nullptr) return end_;
      p = static_cast<const char*>(line_end);
    } else if (*p != '\n') {
      return p;
    }
  }
}

/// Lexes what begins at p: one token, or what else stands between two. Returns where that ends. `mapped`: the text may be a heredoc's.
/// Inlined by order into its two callers: all of a manifest comes by here.
template <bool mapped> [[gnu::always_inline]] inline const char* Lexer::lex_next(const char* p) {
  auto sign = [&](Tok kind, uint32_t length) {
    emit_text<mapped>(kind, offset_of(p), length, {});
    return p + length;
  };
  const char c1 = p[1];
  switch (*p) {
  case ' ':
  case '\n':
  case '#': return skip_gap(p);
  case '\t':
  case '\r': return p + 1;
  case '$': return lex_variable<mapped>(p);
  case '\'':
  case '"': {
    // Most texts hold nothing that needs a second look.
    const char* end = *p == '"' ? plain_text_end<'"'>(p + 1, end_) : plain_text_end<'\''>(p + 1, end_);
    if (*end == *p && end != p + 1 && depth_ == 0) {
      emit_text<mapped>(Tok::String, offset_of(p), static_cast<uint32_t>(end + 1 - p), {p + 1, static_cast<size_t>(end - p - 1)},
                        *p == '"' ? 0 : RawToken::single_quoted);
      return end + 1;
    }
    return *p == '"' ? apart<&Lexer::lex_double_quoted>(p) : apart<&Lexer::lex_single_quoted>(p);
  }
  case '.': return sign(Tok::Dot, 1);
  case ',': return sign(Tok::Comma, 1);
  case '[': return sign(blank_before(offset_of(p)) ? Tok::ListStart : Tok::LBrack, 1);
  case ']': return sign(Tok::RBrack, 1);
  case '(': return sign(first_on_line(offset_of(p)) ? Tok::WsLParen : Tok::LParen, 1);
  case ')': return sign(Tok::RParen, 1);
  case ';': return sign(Tok::Semicolon, 1);
  case '?': return sign(Tok::Question, 1);
  case '*': return sign(Tok::Times, 1);
  case '%': return c1 == '>' && epp_ != EppMode::None ? apart<&Lexer::lex_epp_end>(p) : sign(Tok::Modulo, 1);
  case '{': ++brace_count_; return sign(before_next() == Tok::Question ? Tok::SelBrace : Tok::LBrace, 1);
  case '}': --brace_count_; return sign(Tok::RBrace, 1);
  case '@':
    if (c1 == '@') return sign(Tok::AtAt, 2);
    return c1 == '(' ? apart<&Lexer::lex_heredoc>(p) : sign(Tok::At, 1);
  case '|':
    if (c1 == '>') return p[2] == '>' ? sign(Tok::RRCollect, 3) : sign(Tok::RCollect, 2);
    return sign(Tok::Pipe, 1);
  case '=':
    if (c1 == '>') return sign(Tok::FatArrow, 2);
    if (c1 == '=') return sign(Tok::IsEqual, 2);
    if (c1 == '~') return sign(Tok::Match, 2);
    return sign(Tok::Equals, 1);
  case '+':
    if (c1 == '=') return sign(Tok::Appends, 2);
    if (c1 == '>') return sign(Tok::PlusArrow, 2);
    return sign(Tok::Plus, 1);
  case '-':
    if (epp_ != EppMode::None && c1 == '%' && p[2] == '>') return apart<&Lexer::lex_epp_end>(p);
    if (c1 == '>') return sign(Tok::InEdge, 2);
    if (c1 == '=') return sign(Tok::Deletes, 2);
    return sign(Tok::Minus, 1);
  case '!':
    if (c1 == '=') return sign(Tok::NotEqual, 2);
    if (c1 == '~') return sign(Tok::NoMatch, 2);
    return sign(Tok::Not, 1);
  case '~': return c1 == '>' ? sign(Tok::InEdgeSub, 2) : sign(Tok::Tilde, 1);
  case '/': return c1 == '*' ? apart<&Lexer::skip_block_comment>(p) : apart<&Lexer::lex_regex_or_division>(p);
  case '<':
    if (c1 == '<') return p[2] == '|' ? sign(Tok::LLCollect, 3) : sign(Tok::LShift, 2);
    if (c1 == '=') return sign(Tok::LessEqual, 2);
    if (c1 == '|') return sign(Tok::LCollect, 2);
    if (c1 == '-') return sign(Tok::OutEdge, 2);
    if (c1 == '~') return sign(Tok::OutEdgeSub, 2);
    return sign(Tok::Less, 1);
  case '>':
    if (c1 == '>') return sign(Tok::RShift, 2);
    if (c1 == '=') return sign(Tok::GreaterEqual, 2);
    return sign(Tok::Greater, 1);
  case ':':
    if (c1 != ':') return sign(Tok::Colon, 1);
    if (is_upper(p[2])) return apart<&Lexer::lex_class_ref>(p);
    return is_name_start(p[2]) ? apart<&Lexer::lex_word>(p) : apart<&Lexer::bad_qualified_name>(p);
  default: break;
  }
  if (is_lower(*p)) return lex_plain_word<mapped>(p);
  return is_upper(*p) ? apart<&Lexer::lex_class_ref>(p) : apart<&Lexer::lex_word_or_other>(p);
}

void Lexer::lex_rest() {
  for (const char* p = text_.data() + pos_;;) {
    if (*p == ' ') ++p; // a single blank stands behind two tokens in three
    if (is<gap_bit>(*p)) {
      p = skip_gap(p);
      if (p == end_) return;
    }
    p = lex_next<false>(p);
  }
}

/// One token or gap at pos_, inside an interpolation.
void Lexer::lex_token() { pos_ = offset_of(lex_next<true>(text_.data() + pos_)); }

uint32_t Lexer::scan_bare_word(uint32_t p) const {
  uint32_t end = p;
  for (;;) {
    uint32_t q = end;
    if (at(q) == ':' && at(q + 1) == ':')
      q += 2;
    else if (q != p)
      return end;
    if (q >= size_ || !is_name_start(text_[q])) return end;
    uint32_t r = q + 1;
    do { r = offset_of(word_end(text_.data() + r, end_)); } while (at(r) == '-' && ++r);
    while (text_[r - 1] == '-') --r;
    end = r;
  }
}

void Lexer::lex_word() {
  const uint32_t before = pos_;
  pos_ = scan_bare_word(before);
  std::string_view word = between(before, pos_);
  // The segments of a name start with a letter and contain no dash.
  bool name = true;
  bool segment_start = true;
  for (char c : word) {
    if (c == ':') {
      segment_start = true;
      continue;
    }
    if (c == '-' || (segment_start && !is_lower(c))) {
      name = false;
      break;
    }
    segment_start = false;
  }
  emit_text(name ? keyword_kind(word, tasks_) : Tok::Word, before, pos_ - before, word);
}

void Lexer::lex_class_ref() {
  const uint32_t before = pos_;
  const char* const begin = text_.data() + before;
  const char* end = begin;
  for (;;) {
    const char* segment = end[0] == ':' && end[1] == ':' ? end + 2 : end;
    if (!is_upper(*segment) || (segment == end && end != begin)) break;
    end = word_end(segment, end_);
  }
  pos_ = offset_of(end);
  if (end[0] == ':' && end[1] == ':') {
    if (*begin == ':') fail("Illegal fully qualified class reference", pos_ + 3);
    fail("Illegal class reference", pos_ + 1);
  }
  emit_text(Tok::ClassRef, before, pos_ - before, between(before, pos_));
}

void Lexer::check_numeric(std::string_view v, uint32_t offset) {
  auto all = [](std::string_view s, auto pred) {
    if (s.empty()) return false;
    for (char c : s)
      if (!pred(c)) return false;
    return true;
  };
  auto quoted = [&](const char* what) { return std::string(what) + std::string(v); };
  if (v.size() >= 2 && v[0] == '0' && (v[1] == 'x' || v[1] == 'X')) {
    if (!all(v.substr(2), is_hex)) fail(quoted("Not a valid hex number "), offset);
    return;
  }
  if (v.size() >= 2 && v[0] == '0' && v[1] != '.') {
    if (!all(v.substr(1), [](char c) { return c >= '0' && c <= '7'; })) fail(quoted("Not a valid octal number "), offset);
    return;
  }
  size_t d = 0;
  while (d < v.size() && is_digit(v[d])) ++d;
  if (d > 0 && d < v.size() && (v[d] == 'e' || v[d] == 'E' || v[d] == '.')) {
    size_t p = d;
    bool good = true;
    if (v[p] == '.') {
      size_t q = p + 1;
      while (q < v.size() && is_digit(v[q])) ++q;
      good = q > p + 1;
      p = q;
    }
    if (good && p < v.size() && (v[p] == 'e' || v[p] == 'E')) {
      ++p;
      if (p < v.size() && v[p] == '-') ++p;
      size_t q = p;
      while (q < v.size() && is_digit(v[q])) ++q;
      good = q > p;
      p = q;
    }
    if (!good || p != v.size()) fail(quoted("Not a valid decimal number "), offset);
    return;
  }
  if (!all(v, is_digit)) fail("Illegal number '" + std::string(v) + "'", offset);
}

void Lexer::lex_number() {
  const uint32_t before = pos_;
  auto boundary = [&](uint32_t p) {
    return p >= size_ || (!is_word(text_[p]) && (static_cast<uint8_t>(text_[p]) < 0x80 || unicode_blank(text_, p) != 0));
  };
  auto digits = [&](uint32_t p) {
    while (p < size_ && is_digit(text_[p])) ++p;
    return p;
  };
  uint32_t end = before;
  if (text_[before] == '0' && (at(before + 1) == 'x' || at(before + 1) == 'X') && is_hex(at(before + 2))) {
    uint32_t p = before + 2;
    while (p < size_ && is_hex(text_[p])) ++p;
    if (boundary(p)) end = p;
  }
  if (end == before) {
    // Digits, then a fraction, then an exponent. Drop an optional part that no word boundary follows.
    uint32_t whole = digits(before);
    uint32_t fraction = at(whole) == '.' && is_digit(at(whole + 1)) ? digits(whole + 1) : whole;
    auto exponent = [&](uint32_t p) {
      if (at(p) != 'e' && at(p) != 'E') return p;
      uint32_t q = p + 1;
      if (at(q) == '-') ++q;
      return is_digit(at(q)) ? digits(q) : p;
    };
    uint32_t with_exponent = exponent(fraction);
    if (with_exponent > fraction && boundary(with_exponent))
      end = with_exponent;
    else if (boundary(fraction))
      end = fraction;
    else if (uint32_t e = exponent(whole); e > whole && boundary(e))
      end = e;
    else if (boundary(whole))
      end = whole;
  }
  if (end > before) {
    std::string_view value = text_.substr(before, end - before);
    check_numeric(value, before);
    pos_ = end;
    emit_text(Tok::Number, before, end - before, value);
    return;
  }
  uint32_t after = before;
  while (after < size_ && is_word(text_[after])) ++after;
  uint32_t start = before;
  if (before > 1 && text_[before - 1] == '.') { // the rest of a bad decimal number: report the whole of it
    uint32_t p = before - 1;
    while (p > 0 && is_digit(text_[p - 1])) --p;
    if (p < before - 1) start = p;
  }
  pos_ = after;
  std::string_view bad = text_.substr(start, after - start);
  check_numeric(bad, start);
  fail("Illegal number '" + std::string(bad) + "'", start + 1);
}

void Lexer::lex_division() {
  emit(Tok::Div, pos_, 1);
  ++pos_;
}

void Lexer::lex_regex_or_division() {
  const uint32_t before = pos_;
  if (no_regex_end_ || !regexp_acceptable()) return lex_division();
  uint32_t p = before + 1;
  bool escaped = false;
  for (;; ++p) {
    if (p >= size_) {
      no_regex_end_ = true; // a later search would fail, too: without this flag, many slashes would take quadratic time
      return lex_division();
    }
    char c = text_[p];
    if (c == '/' && !escaped) break;
    escaped = c == '\\' && !escaped;
  }
  std::string_view raw = text_.substr(before + 1, p - before - 1);
  std::string_view source = raw;
  if (raw.find("\\/") != std::string_view::npos) {
    std::string s;
    for (size_t i = 0; i < raw.size(); ++i) {
      if (raw[i] == '\\' && i + 1 < raw.size() && raw[i + 1] == '/') continue;
      s += raw[i];
    }
    source = arena_.copy(s);
  }
  pos_ = p + 1;
  try {
    regexes_.get(source);
  } catch (const RegexError& e) { fail(e.message + ": /" + std::string(raw) + "/", before); }
  emit_text(Tok::Regex, before, pos_ - before, source);
}

} // namespace pupc::compiler
