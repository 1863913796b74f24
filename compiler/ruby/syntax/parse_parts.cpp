// Parts of a file whose tokens are known: the tokens show where what the parser does not know ends.
#include "compiler/ruby/syntax/ruby_parser.h"

#include <algorithm>

namespace pupc::compiler::ruby {

/// The first token that begins at the offset or behind it.
uint32_t Parser::token_at(size_t offset) const {
  const char* at = whole_.data() + offset;
  auto found = std::partition_point(tokens_.begin(), tokens_.end(), [&](const RubyToken& t) { return t.text.data() < at; });
  return static_cast<uint32_t>(found - tokens_.begin());
}

void Parser::begin_part(uint32_t begin, uint32_t end) {
  scopes_.assign(1, {});
  program_.self = Self::Function;
  code_ = whole_.substr(0, offset_of(end - 1) + tokens_[end - 1].text.size());
  pos_ = offset_of(begin);
  line_ = tokens_[begin].line;
  heredoc_begin_ = word_at_ = no_dot_after_ = SIZE_MAX;
}

Node* Parser::read_expression(uint32_t begin, uint32_t end) {
  if (begin >= end) return make(NodeType::Nil);
  begin_part(begin, end);
  try {
    skip_terminators();
    if (done()) return make(NodeType::Nil);
    Node* node = expression_statement();
    skip_terminators();
    if (done()) return node;
  } catch (const Unparsable&) {} // beyond the subset, which the result says
  return make(NodeType::Unread);
}

Call* Parser::read_arguments(uint32_t begin, uint32_t end) {
  auto* call = make<Call>();
  if (begin >= end) return call;
  begin_part(begin, end);
  try {
    arguments(*call, '\0');
    if (done()) return call;
  } catch (const Unparsable&) {}
  add(call->arguments, make(NodeType::Unread));
  return call;
}

void Parser::skip_past(uint32_t token) {
  pos_ = std::min(offset_of(token) + tokens_[token].text.size(), code_.size());
  line_ = tokens_[token].line;
}

/// Skips a statement with an end of its own (`if`, `begin` …); null when there is none here.
Node* Parser::skip_keyword() {
  uint32_t i = token_at(pos_);
  if (i >= tokens_.size() || offset_of(i) != pos_ || tokens_[i].kind != RubyTokenKind::Keyword) return nullptr;
  if (tokens_[i].match == RubyToken::no_match || tokens_[i].match <= i || tokens_[i].match >= tokens_.size()) return nullptr;
  skip_past(tokens_[i].match);
  return make(NodeType::Unread);
}

/// A block of which only the beginning is known.
Block* Parser::unread_block(size_t opener) {
  uint32_t i = token_at(opener);
  if (i >= tokens_.size() || offset_of(i) != opener || tokens_[i].match == RubyToken::no_match) fail("a block");
  auto* block = make<Block>();
  block->token = i;
  skip_past(tokens_[i].match);
  return block;
}

Node* Parser::unread_lambda(size_t arrow) {
  uint32_t begin = token_at(arrow), i = begin + 1;
  if (i < tokens_.size() && is_op(tokens_[i], "(") && tokens_[i].match != RubyToken::no_match) i = tokens_[i].match + 1;
  while (i < tokens_.size() && !is_op(tokens_[i], "{") && !is_keyword(tokens_[i], "do")) ++i;
  if (i >= tokens_.size() || tokens_[i].match == RubyToken::no_match || offset_of(i) >= code_.size()) fail("a lambda");
  Node* lambda = make<Lambda>(nullptr, begin);
  skip_past(tokens_[i].match);
  return lambda;
}

/// Whether an element of a list in brackets ends here. A string may be a label: "name": value.
bool Parser::at_element_end(const Node& element) {
  size_t saved_pos = pos_;
  uint32_t saved_line = line_;
  skip_newlines();
  char c = at();
  bool ends = done() || c == ',' || c == ')' || c == ']' || c == '}' || (c == ':' && at(1) != ':' && element.type == NodeType::String) ||
              rest().starts_with("=>");
  pos_ = saved_pos;
  line_ = saved_line;
  return ends;
}

/// Skips the element of a list that begins at an offset.
Node* Parser::skip_element(size_t begin, uint32_t line, bool ends_at_newline) {
  pos_ = begin;
  line_ = line;
  Node* node = make(NodeType::Unread);
  uint32_t i = token_at(begin);
  while (i < tokens_.size() && offset_of(i) < code_.size()) {
    const RubyToken& t = tokens_[i];
    if (is_op(t, ",") || is_op(t, "=>") || is_op(t, ")") || is_op(t, "]") || is_op(t, "}")) break;
    if (ends_at_newline && t.kind == RubyTokenKind::Newline) break;
    bool opens = t.match != RubyToken::no_match && t.match > i && t.match < tokens_.size();
    i = (opens ? t.match : i) + 1;
  }
  pos_ = i < tokens_.size() ? std::min(offset_of(i), code_.size()) : code_.size();
  if (i < tokens_.size()) line_ = tokens_[i].line;
  return node;
}

} // namespace pupc::compiler::ruby
