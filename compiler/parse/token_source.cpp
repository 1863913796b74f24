// The lexer's main part: everything except strings, heredocs and templates.
#include "compiler/parse/lexer.h"

#include <array>
#include <cstring>

namespace pupc {
namespace {

enum CharClass : uint8_t { word_bit = 1, digit_bit = 2, lower_bit = 4, upper_bit = 8, hex_bit = 16 };

constexpr std::array<uint8_t, 256> make_classes() {
  std::array<uint8_t, 256> t{};
  for (int c = '0'; c <= '9'; ++c) t[c] = word_bit | digit_bit | hex_bit;
  for (int c = 'a'; c <= 'z'; ++c) t[c] = word_bit | lower_bit;
  for (int c = 'A'; c <= 'Z'; ++c) t[c] = word_bit | upper_bit;
  for (int c = 'a'; c <= 'f'; ++c) t[c] |= hex_bit;
  for (int c = 'A'; c <= 'F'; ++c) t[c] |= hex_bit;
  t['_'] = word_bit;
  return t;
}
constexpr auto classes = make_classes();

// Inlined by order: gcc thinks them too many, and a call costs more than the test.
[[gnu::always_inline]] inline bool is_word(char c) { return classes[static_cast<uint8_t>(c)] & word_bit; }
bool is_digit(char c) { return classes[static_cast<uint8_t>(c)] & digit_bit; }
[[gnu::always_inline]] inline bool is_lower(char c) { return classes[static_cast<uint8_t>(c)] & lower_bit; }
bool is_upper(char c) { return classes[static_cast<uint8_t>(c)] & upper_bit; }
bool is_hex(char c) { return classes[static_cast<uint8_t>(c)] & hex_bit; }
bool is_name_start(char c) { return is_lower(c) || c == '_'; }

/// The end of the letters, digits and underscores that begin at p. Takes four at a time: names are half of a manifest's code.
[[gnu::always_inline]] inline const char* word_end(const char* p, const char* end) {
  for (; end - p >= 4; p += 4) {
    if (!is_word(p[0])) return p;
    if (!is_word(p[1])) return p + 1;
    if (!is_word(p[2])) return p + 2;
    if (!is_word(p[3])) return p + 3;
  }
  while (p < end && is_word(*p)) ++p;
  return p;
}

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
    : text_(text), size_(static_cast<uint32_t>(text.size())), source_(source), arena_(arena), regexes_(regexes), out_(out), tasks_(tasks),
      map_(map) {}

uint32_t Lexer::to_source(uint32_t offset) const {
  for (const TextMap* m = map_; m != nullptr; m = m->outer) offset = m->to_outer(offset);
  return offset;
}

void Lexer::place_in_source(uint32_t& offset, uint32_t& length) const {
  const uint32_t end = to_source(offset + length);
  offset = to_source(offset);
  length = end > offset ? end - offset : length;
}

void Lexer::punctuation(Tok kind, uint32_t length) {
  emit(kind, pos_, length);
  pos_ += length;
}

void Lexer::fail(std::string message, uint32_t offset) {
  Diagnostic d;
  d.code = ErrorCode::lexical_error;
  d.message = std::move(message);
  d.loc = {&source_, to_source(offset), 0};
  RawToken& t = out_.tokens.emplace_back();
  t.kind = Tok::Error;
  t.offset = d.loc.offset;
  t.aux = static_cast<uint16_t>(out_.errors.size());
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

/// Indentation is a fifth of a manifest.
uint32_t Lexer::skip_spaces(uint32_t p) const {
  constexpr std::string_view eight = "        ";
  while (p + 8 <= size_ && std::memcmp(text_.data() + p, eight.data(), 8) == 0) p += 8;
  while (p < size_ && text_[p] == ' ') ++p;
  return p;
}

/// Whether only white space stands between the start of the line and p. Line ends inside a string or comment do not start a line.
bool Lexer::first_on_line(uint32_t p) {
  if (line_text_ == UINT32_MAX) line_text_ = skip_blanks(line_start_);
  return p <= line_text_;
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
  while (pos_ < size_) {
    // Blanks and ends of lines are half of what there is.
    if (text_[pos_] == ' ') {
      const uint32_t start = pos_;
      pos_ = skip_spaces(start + 1);
      if (pos_ == size_ || text_[pos_] < '!') pos_ = skip_blanks(pos_); // a tab, or a character beyond ASCII
      matched_ = between(start, pos_);
      if (pos_ == size_) return;
    }
    if (text_[pos_] == '\n' && newline_jump_ == 0) {
      line_start_ = ++pos_;
      line_text_ = UINT32_MAX;
      continue;
    }
    size_t first = out_.tokens.size();
    uint32_t before = pos_;
    try {
      lex_token();
    } catch (const LexFailure&) {
      // Put an error inside a string or heredoc before its first token, because Puppet lexes the whole string at once.
      RawToken error = out_.tokens.back();
      out_.tokens.resize(first);
      out_.tokens.push_back(error);
      // Later errors are only extra help for the user. Continue where that is safe: not in a text whose end was not found.
      if (out_.truncated || out_.errors.size() >= 50) {
        out_.truncated = true;
        return;
      }
      if (pos_ <= before) pos_ = before + 1;
      while (pos_ < size_ && is_word(text_[pos_])) ++pos_;
      after_ = Tok::Name;
      continue;
    }
    if (out_.tokens.size() > first) after_ = out_.tokens.back().kind;
  }
}

bool Lexer::regexp_acceptable() const {
  switch (after_) {
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

/// The rest of the line, which is a comment.
void Lexer::skip_line_comment() {
  const uint32_t before = pos_;
  const char* nl = static_cast<const char*>(std::memchr(text_.data() + pos_, '\n', size_ - pos_));
  pos_ = nl == nullptr ? size_ : static_cast<uint32_t>(nl - text_.data());
  matched_ = between(before, pos_);
}

void Lexer::skip_block_comment() {
  const uint32_t before = pos_;
  const size_t end = text_.find("*/", pos_ + 2);
  if (end == std::string_view::npos) {
    out_.truncated = true;
    fail("Unclosed multiline comment", before);
  }
  pos_ = static_cast<uint32_t>(end + 2);
  matched_ = text_.substr(before, pos_ - before);
}

/// Whether a blank, or nothing at all, stands before an offset.
bool Lexer::blank_before(uint32_t offset) const {
  if (offset == 0) return true;
  const char last = text_[offset - 1];
  if (static_cast<uint8_t>(last) < 0x80) return last == ' ' || last == '\n' || last == '\t' || last == '\r';
  for (uint32_t back = 2; back <= 3 && back <= offset; ++back)
    if (unicode_blank(text_, offset - back) == back) return true;
  return false;
}

/// What begins with none of the language's signs: numbers, words, blanks of Unicode, and characters that no token has.
void Lexer::lex_word_or_other(char c) {
  const uint32_t before = pos_;
  if (is_digit(c)) return lex_number();
  if (is_name_start(c)) return lex_word();
  if (is_upper(c)) return lex_class_ref(before, false);
  if (const uint32_t blanks = skip_blanks(pos_); blanks > pos_) {
    pos_ = blanks;
    matched_ = text_.substr(before, pos_ - before);
    return;
  }
  do { ++pos_; } while (pos_ < size_ && (static_cast<uint8_t>(text_[pos_]) & 0xC0) == 0x80);
  emit(Tok::Other, before, pos_ - before);
}

void Lexer::lex_token() {
  const uint32_t before = pos_;
  const char c = text_[pos_];
  const char c1 = at(pos_ + 1);
  switch (c) {
  case ' ':
  case '\t':
  case '\r':
    pos_ = skip_blanks(pos_);
    matched_ = text_.substr(before, pos_ - before);
    return;
  case '\n':
    if (newline_jump_ != 0) {
      pos_ = newline_jump_;
      newline_jump_ = 0;
    } else {
      ++pos_;
    }
    line_start_ = pos_;
    line_text_ = UINT32_MAX;
    return;
  case '#': return skip_line_comment();
  case '.': return punctuation(Tok::Dot, 1);
  case ',': return punctuation(Tok::Comma, 1);
  case '[': return punctuation(blank_before(before) ? Tok::ListStart : Tok::LBrack, 1);
  case ']': return punctuation(Tok::RBrack, 1);
  case '(': return punctuation(first_on_line(before) ? Tok::WsLParen : Tok::LParen, 1);
  case ')': return punctuation(Tok::RParen, 1);
  case ';': return punctuation(Tok::Semicolon, 1);
  case '?': return punctuation(Tok::Question, 1);
  case '*': return punctuation(Tok::Times, 1);
  case '%':
    if (c1 == '>' && epp_ != EppMode::None) {
      pos_ += 2;
      if (epp_ == EppMode::Expr) emit(Tok::EppEnd, before, 2);
      epp_ = EppMode::Text;
      return interpolate_epp(false);
    }
    return punctuation(Tok::Modulo, 1);
  case '{': ++brace_count_; return punctuation(after_ == Tok::Question ? Tok::SelBrace : Tok::LBrace, 1);
  case '}': --brace_count_; return punctuation(Tok::RBrace, 1);
  case '@':
    if (c1 == '@') return punctuation(Tok::AtAt, 2);
    if (c1 == '(') return lex_heredoc();
    return punctuation(Tok::At, 1);
  case '|':
    if (c1 == '>') return at(pos_ + 2) == '>' ? punctuation(Tok::RRCollect, 3) : punctuation(Tok::RCollect, 2);
    return punctuation(Tok::Pipe, 1);
  case '=':
    if (c1 == '=') return punctuation(Tok::IsEqual, 2);
    if (c1 == '>') return punctuation(Tok::FatArrow, 2);
    if (c1 == '~') return punctuation(Tok::Match, 2);
    return punctuation(Tok::Equals, 1);
  case '+':
    if (c1 == '=') return punctuation(Tok::Appends, 2);
    if (c1 == '>') return punctuation(Tok::PlusArrow, 2);
    return punctuation(Tok::Plus, 1);
  case '-':
    if (epp_ != EppMode::None && c1 == '%' && at(pos_ + 2) == '>') {
      pos_ += 3;
      if (epp_ == EppMode::Expr) emit(Tok::EppEndTrim, before, 3);
      return interpolate_epp(true);
    }
    if (c1 == '>') return punctuation(Tok::InEdge, 2);
    if (c1 == '=') return punctuation(Tok::Deletes, 2);
    return punctuation(Tok::Minus, 1);
  case '!':
    if (c1 == '=') return punctuation(Tok::NotEqual, 2);
    if (c1 == '~') return punctuation(Tok::NoMatch, 2);
    return punctuation(Tok::Not, 1);
  case '~': return c1 == '>' ? punctuation(Tok::InEdgeSub, 2) : punctuation(Tok::Tilde, 1);
  case '/': return c1 == '*' ? skip_block_comment() : lex_regex_or_division();
  case '<':
    if (c1 == '<') return at(pos_ + 2) == '|' ? punctuation(Tok::LLCollect, 3) : punctuation(Tok::LShift, 2);
    if (c1 == '=') return punctuation(Tok::LessEqual, 2);
    if (c1 == '|') return punctuation(Tok::LCollect, 2);
    if (c1 == '-') return punctuation(Tok::OutEdge, 2);
    if (c1 == '~') return punctuation(Tok::OutEdgeSub, 2);
    return punctuation(Tok::Less, 1);
  case '>':
    if (c1 == '>') return punctuation(Tok::RShift, 2);
    if (c1 == '=') return punctuation(Tok::GreaterEqual, 2);
    return punctuation(Tok::Greater, 1);
  case ':':
    if (c1 != ':') return punctuation(Tok::Colon, 1);
    if (is_upper(at(pos_ + 2))) return lex_class_ref(before, true);
    if (is_name_start(at(pos_ + 2))) return lex_word();
    fail("Illegal fully qualified name", before + 2);
  case '$': return lex_variable();
  case '"': return lex_double_quoted();
  case '\'': return lex_single_quoted();
  default: return lex_word_or_other(c);
  }
}

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
    while (r < size_ && (is_word(text_[r]) || text_[r] == '-')) ++r;
    while (text_[r - 1] == '-') --r;
    end = r;
  }
}

void Lexer::lex_word() {
  const uint32_t before = pos_;
  // Most words are a name or keyword of one segment.
  if (is_lower(text_[before])) {
    const char *begin = text_.data() + before, *limit = text_.data() + size_;
    const char* end = word_end(begin + 1, limit);
    if (end == limit || (*end != ':' && *end != '-')) {
      pos_ = static_cast<uint32_t>(end - text_.data());
      matched_ = between(before, pos_);
      return emit_text(keyword_kind(matched_, tasks_), before, pos_ - before, matched_);
    }
  }
  pos_ = scan_bare_word(before);
  std::string_view word = between(before, pos_);
  matched_ = word;
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
  Tok kind = name ? keyword_kind(word, tasks_) : Tok::Word;
  emit_text(kind, before, pos_ - before, word);
}

uint32_t Lexer::scan_class_ref(uint32_t p) const {
  uint32_t end = p;
  for (;;) {
    uint32_t q = end;
    if (at(q) == ':' && at(q + 1) == ':') q += 2;
    if (q >= size_ || !is_upper(text_[q])) return end;
    while (q < size_ && is_word(text_[q])) ++q;
    end = q;
  }
}

void Lexer::lex_class_ref(uint32_t before, bool qualified) {
  pos_ = scan_class_ref(before);
  matched_ = text_.substr(before, pos_ - before);
  if (at(pos_) == ':' && at(pos_ + 1) == ':') {
    if (qualified) fail("Illegal fully qualified class reference", pos_ + 3);
    fail("Illegal class reference", pos_ + 1);
  }
  emit_text(Tok::ClassRef, before, pos_ - before, matched_);
}

uint32_t Lexer::scan_variable_name(uint32_t p) const {
  uint32_t q = p;
  if (at(q) == ':' && at(q + 1) == ':') q += 2;
  if (q >= size_ || !is_word(text_[q])) return p;
  for (;;) {
    q = static_cast<uint32_t>(word_end(text_.data() + q, text_.data() + size_) - text_.data());
    if (at(q) == ':' && at(q + 1) == ':' && q + 2 < size_ && is_word(text_[q + 2]))
      q += 2;
    else
      return q;
  }
}

void Lexer::lex_variable() {
  const uint32_t before = pos_;
  pos_ = scan_variable_name(before + 1);
  // A lone $ becomes a variable without a name, because the checker's message is better than a syntax error.
  emit_text(Tok::Variable, before, pos_ - before, between(before + 1, pos_));
  matched_ = between(before, pos_);
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
    matched_ = value;
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

void Lexer::lex_regex_or_division() {
  const uint32_t before = pos_;
  if (no_regex_end_ || !regexp_acceptable()) return punctuation(Tok::Div, 1);
  uint32_t p = before + 1;
  bool escaped = false;
  for (;; ++p) {
    if (p >= size_) {
      no_regex_end_ = true; // a later search would fail, too: without this flag, many slashes would take quadratic time
      return punctuation(Tok::Div, 1);
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
  matched_ = text_.substr(before, pos_ - before);
  try {
    regexes_.get(source);
  } catch (const RegexError& e) { fail(e.message + ": /" + std::string(raw) + "/", before); }
  emit_text(Tok::Regex, before, pos_ - before, source);
}

} // namespace pupc
