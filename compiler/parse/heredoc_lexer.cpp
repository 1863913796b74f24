// Heredocs: @(tag:syntax/escapes), the text on the following lines, the margin and the end tag. As in Puppet, the lexer reads the
// whole heredoc at its @(…). The next newline then jumps over the text. Several heredocs on one line have their texts in sequence.
#include "catalog/base/text.h"
#include "compiler/parse/lexer.h"

#include <algorithm>
#include <cctype>

namespace pupc::compiler {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t'; }

struct HeredocHead {
  std::string_view tag, syntax, escapes;
  bool has_escapes = false;
};

/// Splits `@(tag:syntax/escapes)`. Returns false when the text does not have this form.
bool parse_head(std::string_view s, HeredocHead& head) {
  head = {};
  size_t p = 2, end = s.size() - 1; // s ends with its only ')'
  size_t start = p;
  while (p < end && s[p] != ':' && s[p] != '/' && s[p] != '\r' && s[p] != '\n') ++p;
  head.tag = s.substr(start, p - start);
  if (head.tag.empty()) return false;
  auto blanks = [&] {
    while (p < end && is_blank(s[p])) ++p;
  };
  if (p < end && s[p] == ':') {
    ++p;
    blanks();
    start = p;
    if (p >= end || s[p] < 'a' || s[p] > 'z') return false;
    while (p < end && (std::isalnum(static_cast<unsigned char>(s[p])) || s[p] == '_' || s[p] == '+')) ++p;
    head.syntax = s.substr(start, p - start);
    if (head.syntax.size() < 2) return false;
    blanks();
  }
  if (p < end && s[p] == '/') {
    ++p;
    start = p;
    while (p < end && (std::isalnum(static_cast<unsigned char>(s[p])) || s[p] == '_' || s[p] == '$')) ++p;
    head.escapes = s.substr(start, p - start);
    head.has_escapes = true;
    blanks();
  }
  return p == end;
}

struct EndLine {
  std::string_view leading;
  bool margin = false;
  bool remove_break = false;
};

/// Whether a line (with its line end) ends a heredoc. Like Puppet's pattern, this does not have to match at the start of the line.
bool match_end_line(std::string_view line, std::string_view tag, EndLine& result) {
  size_t end = line.size();
  if (end > 0 && line[end - 1] == '\n') --end;
  if (end > 0 && line[end - 1] == '\r') --end;
  while (end > 0 && is_blank(line[end - 1])) --end;
  if (end < tag.size() || line.substr(end - tag.size(), tag.size()) != tag) return false;
  size_t p = end - tag.size();
  auto skip_back = [&](size_t q) {
    while (q > 0 && is_blank(line[q - 1])) --q;
    return q;
  };
  size_t q = skip_back(p);
  if (q > 0 && line[q - 1] == '-') {
    result.remove_break = true;
    p = q - 1;
    q = skip_back(p);
  }
  if (q > 0 && line[q - 1] == '|') {
    result.margin = true;
    p = q - 1;
    q = skip_back(p);
  }
  result.leading = line.substr(q, p - q);
  return true;
}

/// The escapes that the letters behind the slash switch on. `fail_here` raises an error with a message.
template <class Fail> EscapeSet escapes_of(const HeredocHead& head, Fail&& fail_here) {
  EscapeSet escapes;
  if (!head.has_escapes) return escapes;
  const std::string_view letters = head.escapes.empty() ? std::string_view("trnsuL$") : head.escapes;
  escapes.any = true;
  for (size_t i = 0; i < letters.size(); ++i) {
    if (letters.find(letters[i]) == i) continue;
    std::string all;
    for (char c : letters) all += (all.empty() ? "" : ", ") + std::string(1, c);
    fail_here("An escape char for @() may only appear once. Got '" + all + "'");
  }
  for (char c : letters) {
    switch (c) {
    case 't': escapes.t = true; break;
    case 'r': escapes.r = true; break;
    case 'n': escapes.n = true; break;
    case 's': escapes.s = true; break;
    case 'u': escapes.u = true; break;
    case '$': escapes.dollar = true; break;
    case 'L': escapes.line_end = true; break;
    default: fail_here(std::string("Invalid heredoc escape char. Only t, r, n, s,  u, L, $ allowed. Got '") + c + "'");
    }
  }
  return escapes;
}

/// The text without the margin in front of its lines. `map` learns what was taken from where.
std::string without_margin(std::string_view body, std::string_view margin, TextMap& map) {
  std::string out;
  out.reserve(body.size());
  uint32_t removed = 0;
  for (size_t i = 0; i < body.size();) {
    const size_t nl = body.find('\n', i);
    const size_t line_end = nl == std::string_view::npos ? body.size() : nl + 1;
    std::string_view line = body.substr(i, line_end - i);
    // A line with text in the margin remains unchanged.
    if (line.starts_with(margin)) {
      line.remove_prefix(margin.size());
      removed += static_cast<uint32_t>(margin.size());
    }
    map.line_starts.push_back(static_cast<uint32_t>(out.size()));
    map.margin_before.push_back(removed);
    out += line;
    i = line_end;
  }
  return out;
}

} // namespace

uint32_t TextMap::to_outer(uint32_t offset) const {
  // Like Puppet, map offset 0 to the start of the first line, before its margin.
  if (offset == 0) return start;
  auto it = std::upper_bound(line_starts.begin(), line_starts.end(), offset);
  size_t line = static_cast<size_t>(it - line_starts.begin());
  return start + offset + (line == 0 || margin_before.empty() ? 0 : margin_before[line - 1]);
}

void Lexer::lex_heredoc() {
  const uint32_t before = pos_;
  size_t close = text_.find(')', before);
  if (close == std::string_view::npos) {
    out_.truncated = true;
    fail("Unclosed parenthesis after '@(' followed by '" + followed_by() + "'", before);
  }
  pos_ = static_cast<uint32_t>(close + 1);
  const uint32_t after_head = pos_;
  HeredocHead head;
  // Without a valid head nobody knows where the text ends, so lexing stops after any error here.
  auto fail_here = [&](std::string message) {
    out_.truncated = true;
    fail(std::move(message), after_head);
  };
  // Puppet's pattern may match later in the text: @(a:@(B) is the heredoc @(B).
  bool valid = false;
  for (size_t i = before; !valid && i != std::string_view::npos && i < close; i = text_.find("@(", i + 1))
    valid = parse_head(text_.substr(i, pos_ - i), head);
  if (!valid) fail_here("Invalid syntax in heredoc expected @(endtag[:syntax][/escapes])");
  std::string_view tag = trimmed(head.tag, ruby_blanks);
  bool interpolate = false;
  if (tag.size() >= 2 && tag.front() == '"' && tag.back() == '"') {
    interpolate = true;
    tag = trimmed(tag.substr(1, tag.size() - 2), ruby_blanks);
  }
  if (tag.empty()) fail_here("Heredoc with an empty endtag");

  const EscapeSet escapes = escapes_of(head, fail_here);
  emit_text(Tok::Heredoc, before, after_head - before, head.syntax);

  uint32_t start = newline_jump_;
  if (start == 0) {
    size_t nl = text_.find('\n', after_head);
    if (nl == std::string_view::npos) fail_here("Heredoc without any following lines of text");
    start = static_cast<uint32_t>(nl + 1);
  }
  // Find the end line.
  EndLine end_line;
  uint32_t p = start, text_end = start, next = 0;
  bool found = false;
  while (p < size_ && !found) {
    size_t nl = text_.find('\n', p);
    next = nl == std::string_view::npos ? size_ : static_cast<uint32_t>(nl + 1);
    text_end = p;
    found = match_end_line(text_.substr(p, next - p), tag, end_line);
    p = next;
  }
  if (!found) {
    out_.truncated = true;
    fail("Heredoc without end-tagged line", start);
  }
  newline_jump_ = next;
  if (map_ == nullptr) out_.heredocs.push_back({before, start, next});

  TextMap map;
  map.outer = map_;
  map.start = start;
  std::string_view body = text_.substr(start, text_end - start);
  if (end_line.margin && !end_line.leading.empty()) body = arena_.copy(without_margin(body, end_line.leading, map));
  if (end_line.remove_break && body.ends_with('\n')) {
    body.remove_suffix(1);
    if (body.ends_with('\r')) body.remove_suffix(1);
  }
  if (interpolate) { // the lexer of code wants a zero byte at the end
    char* copy = arena_.make_array<char>(body.size() + 1);
    std::copy(body.begin(), body.end(), copy);
    copy[body.size()] = '\0';
    body = {copy, body.size()};
  }
  Lexer inner(body, source_, arena_, regexes_, out_, tasks_, &map);
  inner.depth_ = depth_ + 1;
  inner.lex_unquoted(escapes, interpolate);
  pos_ = after_head;
}

} // namespace pupc::compiler
