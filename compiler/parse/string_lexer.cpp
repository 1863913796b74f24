// Quoted strings and interpolation. As in Puppet, the lexer reads a whole string at once. Inside ${…}, a word, number or keyword is a
// variable if it stands alone, or if it comes first and `.` or `[` follows.
#include "compiler/parse/char_classes.h"
#include "compiler/parse/lexer.h"

#include "catalog/value/unicode_case.h"

#include <cstring>
#include <fmt/format.h>

namespace pupc::compiler {

/// Whether a quote (or $) at the very start of a string's text belongs to the text. In Puppet's pattern it does if another one
/// follows, with at most pairs of backslashes between: ''' is a string that holds a quote.
bool Lexer::quote_is_text(uint32_t p, std::string_view terminators) const {
  if (p >= size_ || terminators.find(text_[p]) == std::string_view::npos) return false;
  ++p;
  while (p + 1 < size_ && text_[p] == '\\' && text_[p + 1] == '\\') p += 2;
  return p < size_ && terminators.find(text_[p]) != std::string_view::npos;
}

void Lexer::lex_single_quoted() {
  const uint32_t before = pos_;
  uint32_t p = before + 1;
  bool escapes = false;
  if (quote_is_text(p, "'")) ++p;
  while (p < size_ && text_[p] != '\'') {
    if (text_[p] == '\\') {
      escapes = true;
      ++p;
    }
    ++p;
  }
  if (p >= size_) {
    pos_ = before + 1;
    out_.truncated = true;
    fail("Unclosed quote after \"'\" followed by '" + followed_by() + "'", pos_);
  }
  std::string_view value = between(before + 1, p);
  pos_ = p + 1;
  if (depth_ > 0) matched_ = slurped(before + 1, p);
  if (escapes) {
    char* buffer = static_cast<char*>(arena_.allocate(value.size(), 1));
    size_t n = 0;
    for (size_t i = 0; i < value.size(); ++i) {
      if (value[i] == '\\' && i + 1 < value.size() && (value[i + 1] == '\\' || value[i + 1] == '\'')) ++i;
      buffer[n++] = value[i];
    }
    value = {buffer, n};
  }
  emit_text(Tok::String, before, pos_ - before, value, RawToken::single_quoted);
}

void Lexer::lex_double_quoted() {
  const uint32_t before = pos_;
  after_ = before_next();
  matched_ = between(pos_, pos_ + 1);
  ++pos_;
  lex_interpolated(true, before);
}

void Lexer::lex_unquoted(const EscapeSet& escapes, bool interpolate) {
  escapes_ = &escapes;
  interpolate_ = interpolate;
  lex_interpolated(false, 0);
}

// The text that Puppet's pattern matches together with a terminator: one character and pairs of backslashes before it.
std::string_view Lexer::slurped(uint32_t start, uint32_t terminator) const {
  uint32_t begin = terminator;
  while (begin >= start + 2 && text_[begin - 1] == '\\' && text_[begin - 2] == '\\') begin -= 2;
  if (begin > start) --begin;
  while (begin > start && (static_cast<unsigned char>(text_[begin]) & 0xC0) == 0x80) --begin;
  return between(begin, pos_);
}

/// Reads text up to the next terminator: the closing quote or the end of the text, `${`, or `$`. Returns false when a quoted string
/// has no end.
bool Lexer::slurp(bool quoted, std::string_view& text, std::string_view& terminator) {
  const uint32_t start = pos_;
  const bool backslash = quoted || (escapes_->any && escapes_->dollar); // whether a backslash escapes a $
  uint32_t p = start;
  bool escapes = false;
  if (quoted && (at(p) == '"' || at(p) == '$') && quote_is_text(p, "\"$")) ++p;
  for (;; ++p) {
    if (quoted && p < size_) p = offset_of(plain_text_end<'"'>(text_.data() + p, end_));
    if (p >= size_) {
      if (quoted) return false;
      p = size_;
      terminator = {};
      break;
    }
    char c = text_[p];
    if (c == '\\') {
      escapes = true;
      if (backslash) ++p;
    } else if (c == '"' && quoted) {
      terminator = text_.substr(p, 1);
      break;
    } else if (c == '$' && interpolate_) {
      terminator = text_.substr(p, p + 1 < size_ && text_[p + 1] == '{' ? 2 : 1);
      break;
    }
  }
  text = text_.substr(start, p - start);
  pos_ = p + static_cast<uint32_t>(terminator.size());
  if (depth_ > 0) matched_ = slurped(start, p);
  if (escapes) text = unescape(text, quoted);
  return true;
}

void Lexer::lex_interpolated(bool quoted, uint32_t before) {
  bool first = true;
  if (depth_ > 500) {
    out_.truncated = true;
    fail("Interpolations are nested too deeply", before);
  }
  for (;;) {
    std::string_view text, terminator;
    std::string joined; // used only when a $ that starts no variable splits the text
    bool have_joined = false;
    const std::string_view last = matched_;
    const uint32_t start = pos_;
    uint32_t text_end = start, name_end = start;
    VariableName variable;
    for (;;) {
      if (!slurp(quoted, text, terminator)) {
        out_.truncated = true;
        // After a $ that starts no variable, Puppet has lost its last match.
        std::string quote = last == "'" ? std::string("\"'\"") : fmt::format("'{}'", have_joined ? std::string_view() : last);
        fail("Unclosed quote after " + quote + " followed by '" + followed_by() + "'", pos_);
      }
      text_end = pos_;
      if (have_joined) joined += text;
      if (terminator != "$") break;
      name_end = offset_of(variable_end(text_.data() + pos_, end_, variable));
      if (name_end > pos_) break;
      if (!have_joined) {
        joined = text;
        have_joined = true;
      }
      joined += '$';
    }
    if (have_joined) text = arena_.copy(joined);
    const uint32_t token_start = first ? before : start;
    const Tok opening = first ? Tok::DqPre : Tok::DqMid;
    if (terminator == "${") {
      emit_text(opening, token_start, pos_ - token_start, text);
      if (!lex_lone_variable()) {
        uint32_t count = brace_count_++;
        ++depth_;
        lex_until(count, out_.tokens.size());
        --depth_;
      }
    } else if (terminator == "$") {
      // The $ is part of the variable.
      emit_text(opening, token_start, text_end - 1 - token_start, text);
      const std::string_view name = between(pos_, name_end);
      emit_text(Tok::Variable, text_end - 1, name_end - text_end + 1, name, variable.flags, variable.base);
      pos_ = name_end;
      matched_ = name;
    } else {
      emit_text(first ? Tok::String : Tok::DqPost, token_start, pos_ - token_start, text);
      return;
    }
    first = false;
  }
}

/// The commonest interpolation: a plain name and nothing else. False for all others, which lex_until lexes.
bool Lexer::lex_lone_variable() {
  const char* const begin = text_.data() + pos_;
  VariableName variable;
  const char* end = variable_end(begin, end_, variable);
  if ((variable.flags & RawToken::plain_variable) == 0 || *end != '}') return false;
  const std::string_view name(begin, static_cast<size_t>(end - begin));
  if (keyword_kind(name, tasks_) == Tok::Boolean) return false;
  emit_text(Tok::Variable, pos_, static_cast<uint32_t>(name.size()), name, variable.flags);
  pos_ = offset_of(end + 1);
  matched_ = name;
  after_ = Tok::RBrace;
  return true;
}

/// Lexes the tokens of ${…} up to its closing brace (for which it emits no token), or up to the end of the text.
void Lexer::lex_until(uint32_t brace_count, size_t first_token) {
  auto skip = [&] {
    uint32_t blanks = skip_blanks(pos_);
    matched_ = text_.substr(pos_, blanks - pos_);
    pos_ = blanks;
  };
  skip();
  auto to_variable = [this](RawToken& t) {
    if (t.kind == Tok::Boolean && out_.late.empty()) {
      // Puppet takes the value for a variable's name. It reports this only after parsing the whole text.
      Diagnostic d;
      d.code = ErrorCode::lexical_error;
      d.message = fmt::format("'{0}' in an interpolation cannot be a variable's name. Write ${{({0})}} for the value", t.value());
      d.loc = {&source_, t.offset, t.length};
      out_.late.push_back(std::move(d));
    }
    if (t.kind != Tok::Number && t.kind != Tok::Name && t.kind != Tok::Word && t.kind != Tok::Boolean && !is_keyword(t.kind)) return;
    t.kind = Tok::Variable;
  };
  while (pos_ < size_) {
    const size_t count = out_.tokens.size();
    const uint32_t before = pos_;
    const char c = text_[before];
    lex_token();
    if (out_.tokens.size() == count) {
      // For Puppet the blanks at the begin of a line are a match of their own.
      uint32_t blanks = pos_;
      while (blanks > before && text_[blanks - 1] == ' ') --blanks;
      if (blanks > before && text_[blanks - 1] == '\n') pos_ = blanks;
      skip();
      continue;
    }
    // Here Puppet sees only tokens that its lexer returned directly. Tokens of a string or heredoc went to a queue.
    const RawToken& last = out_.tokens.back();
    const bool queued = c == '@' && last.kind != Tok::At && last.kind != Tok::AtAt;
    // Puppet finds signs and the text of a template without its scanner; strings have noted their last match already.
    if (last.text != nullptr && last.kind != Tok::String && last.kind != Tok::DqPost && last.kind != Tok::RenderString)
      matched_ = between(before, pos_);
    if (queued)
      skip();
    else if (last.kind != Tok::DqPost)
      after_ = last.kind;
    if (last.kind == Tok::RBrace && brace_count_ == brace_count) {
      out_.tokens.pop_back();
      const size_t n = out_.tokens.size() - first_token;
      if (n == 1) {
        to_variable(out_.tokens.back());
      } else if (n > 1) {
        Tok second = out_.tokens[first_token + 1].kind;
        if (second == Tok::Dot || second == Tok::LBrack) to_variable(out_.tokens[first_token]);
      }
      return;
    }
  }
}

/// Replaces \uXXXX and \u{X…} repeatedly, because as in Puppet the result of one may complete another.
/// Returns the number of replacements, or UINT32_MAX for an invalid code point.
uint32_t Lexer::unicode_escapes(std::string& s) {
  uint32_t replaced = 0;
  for (bool again = true; again;) {
    again = false;
    std::string result;
    size_t run = 0; // backslashes directly before this place
    bool fresh = true;
    for (size_t i = 0; i < s.size();) {
      if (s[i] != '\\') {
        result += s[i++];
        run = 0;
        fresh = true;
        continue;
      }
      size_t len = 0;
      std::string_view hex;
      if (fresh && run % 2 == 0 && i + 1 < s.size() && s[i + 1] == 'u') {
        auto is_hex = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); };
        size_t p = i + 2, n = 0;
        if (p < s.size() && s[p] == '{') {
          ++p;
          while (p + n < s.size() && is_hex(s[p + n])) ++n;
          if (n >= 1 && n <= 6 && p + n < s.size() && s[p + n] == '}') {
            hex = std::string_view(s).substr(p, n);
            len = p + n + 1 - i;
          }
        } else {
          while (n < 4 && p + n < s.size() && is_hex(s[p + n])) ++n;
          if (n == 4) {
            hex = std::string_view(s).substr(p, 4);
            len = 6;
          }
        }
      }
      if (len == 0) {
        ++run;
        result += s[i++];
        continue;
      }
      uint32_t cp = static_cast<uint32_t>(std::stoul(std::string(hex), nullptr, 16));
      if (cp > 0x10FFFF || (cp >= 0xD800 && cp <= 0xDFFF)) return UINT32_MAX;
      append_utf8(result, cp);
      i += len;
      run = 0;
      fresh = false; // an adjacent escape must wait for the next round
      ++replaced;
      again = true;
    }
    s = std::move(result);
  }
  return replaced;
}

std::string_view Lexer::unescape(std::string_view raw, bool quoted) {
  static constexpr EscapeSet none;
  const EscapeSet& set = quoted ? none : *escapes_;
  if (!quoted && !set.any) return raw;
  std::string s(raw);
  if ((quoted || set.u) && s.find("\\u") != std::string::npos && unicode_escapes(s) == UINT32_MAX)
    fail("Unicode escape '\\u' was not followed by 4 hex digits or 1-6 hex digits in {} or was > 10ffff", pos_);
  std::string result;
  result.reserve(s.size());
  for (size_t i = 0; i < s.size(); ++i) {
    if (s[i] != '\\' || i + 1 >= s.size()) {
      result += s[i];
      continue;
    }
    char c = s[i + 1];
    if (c == '\n' || (c == '\r' && i + 2 < s.size() && s[i + 2] == '\n')) {
      size_t width = c == '\n' ? 1 : 2;
      if (!quoted && !set.line_end) result.append(s, i, width + 1);
      i += width;
      continue;
    }
    if (c == '\r') { // a backslash before a lone carriage return is no escape
      result += '\\';
      continue;
    }
    ++i;
    switch (c) {
    case '\\': result += '\\'; continue;
    case '$':
      if (quoted || set.dollar) {
        result += '$';
        continue;
      }
      break;
    case '\'':
    case '"':
      if (quoted) {
        result += c;
        continue;
      }
      break;
    case 'r':
      if (quoted || set.r) {
        result += '\r';
        continue;
      }
      break;
    case 'n':
      if (quoted || set.n) {
        result += '\n';
        continue;
      }
      break;
    case 't':
      if (quoted || set.t) {
        result += '\t';
        continue;
      }
      break;
    case 's':
      if (quoted || set.s) {
        result += ' ';
        continue;
      }
      break;
    case 'u':
      if (quoted || set.u) {
        warn("Unicode escape '\\u' was not followed by 4 hex digits or 1-6 hex digits in {} or was > 10ffff", pos_);
        result += "\\u";
        continue;
      }
      break;
    default: break;
    }
    size_t width = 1;
    while (i + width < s.size() && (static_cast<uint8_t>(s[i + width]) & 0xC0) == 0x80) ++width;
    if (quoted) warn("Unrecognized escape sequence '\\" + s.substr(i, width) + "'", pos_);
    result += '\\';
    result.append(s, i, width);
    i += width - 1;
  }
  return arena_.copy(result);
}

} // namespace pupc::compiler
