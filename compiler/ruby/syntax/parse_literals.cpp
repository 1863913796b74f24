// Literals: numbers, strings, symbols, regular expressions, hashes.
#include "compiler/ruby/syntax/ruby_parser.h"

#include "catalog/value/unicode_case.h"

#include <fmt/format.h>

#include <charconv>

namespace pupc::compiler::ruby {

Number* Parser::number() {
  std::string digits;
  int base = 10;
  bool real = false;
  if (at() == '0' &&
      (at(1) == 'x' || at(1) == 'X' || at(1) == 'b' || at(1) == 'B' || at(1) == 'o' || at(1) == 'O' || (at(1) >= '0' && at(1) <= '9'))) {
    char kind = static_cast<char>(at(1) | 0x20);
    base = kind == 'x' ? 16 : kind == 'b' ? 2 : 8;
    advance(at(1) >= '0' && at(1) <= '9' ? 1 : 2);
    while (is_name_part(at())) {
      if (at() != '_') digits += at();
      advance();
    }
  } else {
    auto take = [&] {
      while ((at() >= '0' && at() <= '9') || (at() == '_' && at(1) >= '0' && at(1) <= '9')) {
        if (at() != '_') digits += at();
        advance();
      }
    };
    take();
    if (at() == '.' && at(1) >= '0' && at(1) <= '9') {
      real = true;
      digits += '.';
      advance();
      take();
    }
    if ((at() == 'e' || at() == 'E') &&
        ((at(1) >= '0' && at(1) <= '9') || ((at(1) == '-' || at(1) == '+') && at(2) >= '0' && at(2) <= '9'))) {
      real = true;
      digits += 'e';
      advance();
      if (at() == '-') digits += '-';
      if (at() == '-' || at() == '+') advance();
      take();
    }
    if (is_name_start(at())) fail("a number");
  }
  auto* node = make<Number>(real ? NodeType::Float : NodeType::Integer);
  const char* end = digits.data() + digits.size();
  auto result = real ? std::from_chars(digits.data(), end, node->real) : std::from_chars(digits.data(), end, node->integer, base);
  if (result.ec != std::errc() || result.ptr != end) fail("a number");
  return node;
}

/// Adds a piece of literal text.
void Parser::add_part(NodeList& parts, std::string_view text) {
  if (!text.empty()) add(parts, make_text(NodeType::String, text));
}

Node* Parser::interpolation() {
  auto outer = std::exchange(tokens_, {}); // a string is one token
  Node* node = statements({0, '}'});
  skip_terminators();
  expect('}');
  tokens_ = outer;
  return node;
}

void Parser::escape(std::string& out) {
  char c = at();
  advance();
  auto octal = [](char ch) { return ch >= '0' && ch <= '7'; };
  switch (c) {
  case 'n': out += '\n'; return;
  case 't': out += '\t'; return;
  case 's': out += ' '; return;
  case 'r': out += '\r'; return;
  case 'e': out += '\x1b'; return;
  case 'a': out += '\a'; return;
  case 'b': out += '\b'; return;
  case 'f': out += '\f'; return;
  case 'v': out += '\v'; return;
  case '\n': return;
  case 'u': {
    bool braces = accept("{");
    std::string hex;
    while (hex.size() < (braces ? 6u : 4u) && std::isxdigit(static_cast<unsigned char>(at()))) {
      hex += at();
      advance();
    }
    if (braces ? hex.empty() || !accept("}") : hex.size() != 4) fail("a \\u escape");
    uint32_t code = 0;
    std::from_chars(hex.data(), hex.data() + hex.size(), code, 16);
    if (code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) fail("a \\u escape");
    append_utf8(out, code);
    return;
  }
  case 'x': {
    int code = 0;
    int n = 0;
    for (; n < 2 && std::isxdigit(static_cast<unsigned char>(at())); ++n) {
      char d = static_cast<char>(at() | 0x20);
      code = code * 16 + (d <= '9' ? d - '0' : d - 'a' + 10);
      advance();
    }
    if (n == 0 || code >= 0x80) fail("a \\x escape");
    out += static_cast<char>(code);
    return;
  }
  case 'c':
  case 'C':
  case 'M': fail("a control escape");
  default:
    if (octal(c)) {
      int code = c - '0';
      for (int n = 1; n < 3 && octal(at()); ++n) {
        code = code * 8 + (at() - '0');
        advance();
      }
      if (code >= 0x80) fail("an octal escape");
      out += static_cast<char>(code);
      return;
    }
    out += c;
  }
}

/// Reads the inside of a string or regular expression and its closing delimiter. `open`: the bracket that nests, or NUL.
/// `interpolated`: #{} has its meaning. `backslash` reads what a backslash, which is next, stands for. `what` is for errors.
template <class T, class F>
void Parser::literal(T& node, char open, char close, bool interpolated, std::string_view what, const F& backslash) {
  std::string pending; // the text before `begin` that is no part of the code as it stands
  size_t begin = pos_;
  auto take = [&] {
    const std::string_view run = code_.substr(begin, pos_ - begin);
    if (pending.empty()) return run;
    pending += run;
    const std::string_view text = program_.arena.copy(pending);
    pending.clear();
    return text;
  };
  int nesting = 0;
  for (;;) {
    size_t plain_end = pos_;
    while (plain_end < code_.size() && !is_char(code_[plain_end], char_literal) && code_[plain_end] != close && code_[plain_end] != open)
      ++plain_end;
    pos_ = plain_end;
    if (done()) fail(fmt::format("{} without end", what));
    const char c = code_[pos_];
    if (c == text_mark || c == output_mark || c == output_end) fail(fmt::format("text in {}", what));
    if (c == close && nesting == 0) break;
    if (c == '\\') {
      pending += code_.substr(begin, pos_ - begin);
      backslash(pending);
      begin = pos_;
      continue;
    }
    if (interpolated && c == '#' && at(1) == '{') {
      add_part(node.parts, take());
      advance(2);
      add(node.parts, interpolation());
      begin = pos_;
      continue;
    }
    if (interpolated && c == '#' && (at(1) == '@' || at(1) == '$')) fail(fmt::format("#@ in {}", what));
    if (open != '\0' && c == open) ++nesting;
    if (open != '\0' && c == close) --nesting;
    ++pos_;
    if (c != '\n') continue;
    const size_t next_line = pos_;
    begin_line();
    if (pos_ != next_line) { // the body of a heredoc stands between the lines
      pending += code_.substr(begin, next_line - begin);
      begin = pos_;
    }
  }
  const std::string_view text = take();
  advance();
  if (node.parts.empty())
    node.text = text;
  else
    add_part(node.parts, text);
}

TextLiteral* Parser::double_quoted(char open, char close, NodeType type) {
  auto* node = make<TextLiteral>(type);
  literal(*node, open, close, true, "a string", [&](std::string& text) {
    advance();
    escape(text);
  });
  return node;
}

TextLiteral* Parser::single_quoted(char open, char close, NodeType type) {
  auto* node = make<TextLiteral>(type);
  literal(*node, open, close, false, "a string", [&](std::string& text) {
    const bool escaped = at(1) == '\\' || at(1) == close || (open != '\0' && at(1) == open);
    text += at(escaped ? 1 : 0);
    advance(escaped ? 2 : 1);
  });
  return node;
}

/// Joins adjacent string literals into one, as Ruby does.
Node* Parser::joined_with_next(TextLiteral* left) {
  for (skip_blanks(); at() == '"' || at() == '\''; skip_blanks()) {
    char quote = at();
    advance();
    TextLiteral* right = quote == '"' ? double_quoted('\0', '"', NodeType::String) : single_quoted('\0', '\'', NodeType::String);
    auto* both = make<TextLiteral>();
    for (TextLiteral* part : {left, right}) {
      if (part->parts.empty())
        add(both->parts, part);
      else
        both->parts.add(program_.arena, part->parts);
    }
    left = both;
  }
  return left;
}

/// Reads <<~ID or <<-ID, with or without quotes around the identifier. The body is the lines after the current one, up to the identifier.
Node* Parser::heredoc() {
  if (program_.self == Self::Template) fail("a heredoc");
  auto opening = heredoc_opening(rest());
  if (!opening || opening->quote == '`' || (opening->quote != 0 && name_length(opening->id) != opening->id.size())) fail("a heredoc");
  advance(opening->length);
  size_t line_end = whole_.find('\n', pos_);
  if (line_end == std::string_view::npos) fail("a heredoc without end");
  // The body begins after the bodies of this line's other heredocs.
  auto place = heredoc_body(whole_, heredoc_begin_ == line_end + 1 ? heredoc_end_ : line_end + 1, *opening);
  if (!place) fail("a heredoc without end");
  heredoc_begin_ = line_end + 1;
  heredoc_end_ = place->next;
  std::string_view source = whole_.substr(place->begin, place->end - place->begin);
  bool squiggly = opening->style == '~';
  if (source.find('\r') != std::string_view::npos ||
      whole_.substr(place->end, place->next - place->end).find('\r') != std::string_view::npos)
    fail("a heredoc without end");
  if (squiggly && source.find('\t') != std::string_view::npos) fail("a heredoc with tabs");
  std::vector<std::string_view> lines;
  for (size_t i = 0; i < source.size();) {
    size_t end = source.find('\n', i);
    lines.push_back(source.substr(i, end - i));
    i = end + 1;
  }
  size_t margin = SIZE_MAX;
  for (std::string_view line : lines)
    if (size_t first = line.find_first_not_of(' '); first != std::string_view::npos) margin = std::min(margin, first);
  std::string body;
  for (std::string_view line : lines) body.append(line.substr(squiggly ? std::min(margin, line.size()) : 0)).append("\n");
  if (opening->quote == '\'') return make_text(NodeType::String, program_.arena.copy(body));
  return interpolated(std::move(body), line_ + 1, NodeType::String);
}

/// A text that does not stand in the code as it is: a heredoc without its margin, a word of %W.
Node* Parser::interpolated(std::string text, uint32_t line, NodeType type) {
  if (text.find('\0') != std::string::npos) fail("a zero byte");
  text += '\0';
  Parser inner(program_.arena.copy(text), program_);
  inner.regexes_ = regexes_;
  inner.is_variable_ = is_variable_;
  inner.line_ = line;
  inner.methods_ = methods_;
  inner.scopes_ = scopes_;
  Node* node = inner.double_quoted('\0', '\0', type);
  if (inner.scopes_.back().names.size() != scopes_.back().names.size()) fail("a variable that begins in a text");
  return node;
}

Node* Parser::percent_literal() {
  auto opening = percent_opening(rest());
  if (!opening) fail("a % literal");
  char open = opening->open, close = opening->close, nested = open == close ? '\0' : open;
  advance(opening->length);
  switch (opening->type) {
  case 'w': return word_list(nested, close, false);
  case 'i': return word_list(nested, close, true);
  case 'W':
  case 'I': return only_reads() ? word_list(nested, close, opening->type == 'I') : interpolated_words(close, opening->type == 'I');
  case 'q': return single_quoted(nested, close, NodeType::String);
  case 'Q': return double_quoted(nested, close, NodeType::String);
  case 'r': return regex(nested, close);
  case 'x': return command(nested, close);
  default: fail("a % literal");
  }
}

/// A command of the shell: a call that only Ruby knows, where the code comes to it.
Node* Parser::command(char open, char close) {
  auto* call = make<Call>();
  call->name = "`";
  add(call->arguments, double_quoted(open, close, NodeType::String));
  return call;
}

/// The words of %W and %I: each may have #{...} with blanks in it.
Node* Parser::interpolated_words(char close, bool symbols) {
  auto* node = make<ListLiteral>();
  for (;;) {
    while (is_char(at(), char_blank | char_newline)) advance();
    if (done()) fail("a % literal without end");
    if (accept(close)) return node;
    const uint32_t line = line_;
    std::string text;
    for (int braces = 0; braces > 0 || (at() != close && !is_char(at(), char_blank | char_newline)); advance()) {
      if (done() || at() == '\\' || at() == text_mark ||
          (braces == 0 && (at() == '(' || at() == '[' || at() == '{' || at() == '<') && !text.ends_with('#')))
        fail("a % literal");
      braces += at() == '{';
      braces -= at() == '}';
      text += at();
    }
    add(node->items, interpolated(std::move(text), line, symbols ? NodeType::Symbol : NodeType::String));
  }
}

Node* Parser::word_list(char open, char close, bool symbols) {
  auto* node = make<ListLiteral>();
  auto blank = [](char c) { return is_char(c, char_blank | char_newline); };
  int nesting = 0;
  for (;;) {
    while (blank(at())) advance();
    if (done()) fail("a % literal without end");
    if (at() == close && nesting == 0) break;
    TextLiteral* word = make_text(symbols ? NodeType::Symbol : NodeType::String, {});
    std::string text; // a backslash in it is not a part of the word
    while (!done() && !blank(at()) && (at() != close || nesting > 0)) {
      if (at() == text_mark || (!only_reads() && at() == '\\') || (at() == '#' && at(1) == '{' && only_reads())) fail("a % literal");
      if (at() == '\\') {
        advance();
      } else if (open != '\0') {
        nesting += at() == open;
        nesting -= at() == close;
      }
      text += at();
      advance();
    }
    word->text = program_.arena.copy(text);
    add(node->items, word);
  }
  advance();
  return node;
}

TextLiteral* Parser::symbol() {
  advance();
  if (at() == ':') fail("'::'");
  if (accept('"')) return double_quoted('\0', '"', NodeType::Symbol);
  if (accept('\'')) return single_quoted('\0', '\'', NodeType::Symbol);
  size_t length = symbol_length(rest());
  char first = at(), second = at(1);
  bool variable = first == '$' || (first == '@' && !is_name_start(second));
  bool setter = length > 1 && is_name_start(first) && at(length - 1) == '=';
  if (length == 0 || first == '`' || (variable && !only_reads())) fail("a symbol");
  if (setter && !only_reads() && (at(length) == '>' || at(length) == '=' || at(length) == '~')) --length; // { :a=>1 }
  TextLiteral* node = make_text(NodeType::Symbol, rest().substr(0, length));
  advance(length);
  return node;
}

Node* Parser::regex(char open, char close) {
  auto* node = make<RegexLiteral>();
  literal(*node, open, close, true, "a regular expression", [&](std::string& text) {
    const bool delimiter = at(1) == close && open == '\0';
    if (!delimiter || close != '/') text += '\\'; // Ruby keeps a / without its backslash
    advance();
    text += at();
    advance();
  });
  for (; is_name_start(at()); advance()) {
    if (at() == 'i')
      node->options |= 1;
    else if (at() == 'x')
      node->options |= 2;
    else if (at() == 'm')
      node->options |= 4;
    else if (!only_reads())
      fail("a regular expression's option");
  }
  if (!node->parts.empty() || regexes_ == nullptr) return node;
  try {
    node->regex = regexes_->get(node->text, (node->options & 1) != 0, (node->options & 2) != 0, (node->options & 4) != 0);
  } catch (const RegexError& error) { fail(fmt::format("a regular expression: {}", error.message)); }
  return node;
}

/// A key of a hash with its value, where the key is no plain name.
HashLiteral::Pair Parser::pair() {
  size_t i = pos_;
  while (i < code_.size() && is_name_part(code_[i])) ++i;
  Node* key = nullptr;
  if (i > pos_ && is_name_start(at()) && i + 2 < code_.size() && (code_[i] == '?' || code_[i] == '!') && code_[i + 1] == ':' &&
      code_[i + 2] != ':') {
    key = make_text(NodeType::Symbol, code_.substr(pos_, i + 1 - pos_));
    advance(i + 2 - pos_);
  } else {
    key = ternary_element();
    if (key->type == NodeType::String && at() == ':' && at(1) != ':') {
      key->type = NodeType::Symbol;
      advance();
    } else {
      skip_newlines();
      expect("=>");
    }
  }
  skip_newlines();
  return {key, ternary_element()};
}

Node* Parser::hash_literal() {
  DepthGuard guard(*this);
  bool outer = std::exchange(no_do_, false);
  auto* node = make<HashLiteral>();
  skip_newlines();
  while (at() != '}') {
    if (done()) fail("'}' is missing");
    if (accept("**"))
      add(node->pairs, {ternary_element(), nullptr});
    else if (TextLiteral* const named = label())
      add(node->pairs, {named, value_of_label(*named)});
    else
      add(node->pairs, pair());
    skip_newlines();
    if (!accept(',')) break;
    skip_newlines();
  }
  skip_newlines();
  expect('}');
  no_do_ = outer;
  return node;
}

} // namespace pupc::compiler::ruby
