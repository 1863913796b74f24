// Statements, control structures, blocks.
#include "compiler/ruby_source/ruby_parser.h"

#include <fmt/format.h>

#include <algorithm>

namespace pupc::ruby {

void Parser::parse() {
  scopes_.emplace_back();
  if (program_.self == Self::Scope) methods_ = 1; // the block of newfunction becomes a method
  program_.body = statements({});
  if (!done()) fail(fmt::format("unexpected '{}'", at() == output_end ? std::string("%>") : std::string(1, at())));
  // ERB ends its code with the output buffer as the value. A comment at the end of the template swallows that, and the value of the last
  // statement becomes the result.
  if (program_.self == Self::Template && ends_in_comment_ &&
      (program_.body->kids.empty() ||
       (program_.body->kids.back()->type != NodeType::Text && program_.body->kids.back()->type != NodeType::Output)))
    fail("a comment at the end of the template");
  program_.slots = static_cast<int32_t>(scopes_.back().names.size());
}

void Parser::skip_blanks_here() {
  while (!done()) {
    char c = at();
    if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
      ++pos_;
    } else if (c == '\\' && at(1) == '\n') {
      advance(2);
    } else if (c == '#') {
      pos_ = std::min(code_.find('\n', pos_), code_.size());
      ends_in_comment_ |= done();
    } else {
      return;
    }
  }
}

/// Skips the bodies of the heredocs that the previous line began.
void Parser::skip_heredocs() {
  line_ += static_cast<uint32_t>(
      std::count(whole_.begin() + static_cast<ptrdiff_t>(pos_), whole_.begin() + static_cast<ptrdiff_t>(heredoc_end_), '\n'));
  pos_ = heredoc_end_;
}

/// `value rescue other`.
Node* Parser::rescued(Node* value, Node* other) {
  Node* clause = make(NodeType::Rescue);
  clause->kids = {other};
  Node* node = make(NodeType::Begin);
  node->kids = {value, nullptr, nullptr, clause};
  return node;
}

void Parser::skip_newlines() {
  for (skip_blanks(); at() == '\n'; skip_blanks()) advance();
}

void Parser::skip_terminators() {
  for (skip_blanks(); at() == '\n' || at() == ';'; skip_blanks()) advance();
}

bool Parser::at_keyword(std::string_view word) const {
  if (at() != word[0] || !rest().starts_with(word)) return false;
  char after = at(word.size());
  return !is_name_part(after) && after != '?' && after != '!' && !(after == ':' && at(word.size() + 1) != ':');
}

bool Parser::accept_keyword(std::string_view word) {
  if (!at_keyword(word)) return false;
  advance(word.size());
  return true;
}

void Parser::expect_keyword(std::string_view word) {
  skip_terminators();
  if (!accept_keyword(word)) fail(fmt::format("'{}' is missing", word));
}

bool Parser::accept(std::string_view s) {
  if (!rest().starts_with(s)) return false;
  advance(s.size());
  return true;
}

void Parser::expect(std::string_view s) {
  if (!accept(s)) fail(fmt::format("'{}' is missing", s));
}

bool Parser::at_end_of(std::initializer_list<std::string_view> ends) const {
  for (std::string_view end : ends)
    if (is_name_start(end[0]) ? at_keyword(end) : rest().starts_with(end)) return true;
  return false;
}

std::string Parser::identifier() {
  size_t begin = pos_;
  while (is_name_part(at())) ++pos_;
  return std::string(code_.substr(begin, pos_ - begin));
}

bool Parser::find_local(std::string_view name, int32_t& up, int32_t& slot) const {
  for (size_t depth = 0; depth < scopes_.size(); ++depth) {
    const auto& names = scopes_[scopes_.size() - 1 - depth].names;
    auto it = std::find(names.begin(), names.end(), name);
    if (it == names.end()) continue;
    up = static_cast<int32_t>(depth);
    slot = static_cast<int32_t>(it - names.begin());
    return true;
  }
  return false;
}

void Parser::declare(std::string_view name, int32_t& up, int32_t& slot) {
  if (find_local(name, up, slot)) return;
  up = 0;
  slot = static_cast<int32_t>(scopes_.back().names.size());
  scopes_.back().names.emplace_back(name);
}

Node* Parser::statements(std::initializer_list<std::string_view> ends) {
  DepthGuard guard(*this);
  bool outer_no_do = std::exchange(no_do_, false);
  Node* list = make(NodeType::Sequence);
  for (;;) {
    skip_terminators();
    if (done() || at_end_of(ends)) break;
    if (ends.size() == 0 && at() == output_end) break;
    list->kids.push_back(statement());
    skip_blanks();
    if (done() || at() == '\n' || at() == ';' || at_end_of(ends) || at() == output_end) continue;
    fail(fmt::format("unexpected '{}'", std::string(rest().substr(0, std::min<size_t>(12, rest().find('\n'))))));
  }
  no_do_ = outer_no_do;
  return list;
}

Node* Parser::statement() {
  DepthGuard guard(*this);
  Node* node = expression_statement();
  for (;;) {
    skip_blanks();
    if (!at_word()) return node;
    uint32_t line = line_;
    if (at_keyword("if") || at_keyword("unless")) {
      bool unless = at() == 'u';
      advance(unless ? 6 : 2);
      Node* condition = expression_statement();
      Node* result = make(NodeType::If);
      result->line = line;
      if (unless)
        result->kids = {condition, nullptr, node};
      else
        result->kids = {condition, node, nullptr};
      node = result;
    } else if (at_keyword("while") || at_keyword("until")) {
      if (node->type == NodeType::Begin) fail("begin … end while");
      bool until = at() == 'u';
      advance(5);
      Node* condition = expression_statement();
      Node* result = make(NodeType::While);
      result->flag = until;
      result->kids = {condition, node};
      node = result;
    } else if (at_keyword("rescue")) {
      advance(6);
      Node* other = expression_statement();
      node = rescued(node, other);
    } else {
      return node;
    }
  }
}

Node* Parser::expression_statement() {
  Node* left = not_expression();
  for (;;) {
    skip_blanks();
    if (!at_word()) return left;
    bool conjunction = at_keyword("and");
    if (!conjunction && !at_keyword("or")) return left;
    advance(conjunction ? 3 : 2);
    skip_newlines();
    Node* node = make(conjunction ? NodeType::And : NodeType::Or);
    Node* right = not_expression();
    node->kids = {left, right};
    left = node;
  }
}

Node* Parser::not_expression() {
  skip_blanks();
  if (accept_keyword("not")) {
    Node* node = make(NodeType::Not);
    node->kids = {not_expression()};
    return node;
  }
  if (Node* many = try_multiple_assignment()) return many;
  return expression();
}

/// Parses `a, b = …`, `(a, b), c = …` or `*a, b = …`. It recognises them by looking ahead for names, commas and the equals sign.
Node* Parser::try_multiple_assignment() {
  size_t i = pos_;
  bool comma = false;
  int parentheses = 0;
  for (; i < code_.size(); ++i) {
    char c = code_[i];
    if (is_name_part(c) || c == '@' || c == ' ' || c == '\t' || c == '*') continue;
    if (c == '(') {
      ++parentheses;
      continue;
    }
    if (c == ')') {
      --parentheses;
      continue;
    }
    if (c == ',') {
      comma = true;
      continue;
    }
    break;
  }
  if (!comma || parentheses != 0 || i >= code_.size() || code_[i] != '=' ||
      (i + 1 < code_.size() && (code_[i + 1] == '=' || code_[i + 1] == '~' || code_[i + 1] == '>')))
    return nullptr;
  if (!is_name_start(at()) && at() != '@' && at() != '(' && at() != '*') return nullptr;
  Node* node = make(NodeType::AssignMany);
  auto target = [&](auto&& self) -> Node* {
    skip_blanks();
    if (accept("*")) {
      Node* splat = make(NodeType::TargetSplat);
      skip_blanks();
      if (is_name_start(at()) || at() == '@') splat->kids = {self(self)};
      return splat;
    }
    if (accept("(")) {
      Node* many = make(NodeType::TargetMany);
      do many->kids.push_back(self(self));
      while (skip_blanks(), accept(","));
      expect(")");
      return many;
    }
    if (accept("@")) {
      Node* instance = make(NodeType::TargetInstance);
      instance->text = identifier();
      return instance;
    }
    Node* local = make(NodeType::TargetLocal);
    std::string name = identifier();
    if (name.empty()) fail("a target of an assignment");
    declare(name, local->a, local->b);
    return local;
  };
  for (;;) {
    skip_blanks();
    if (at() == '=') break; // a, = list
    node->kids.push_back(target(target));
    skip_blanks();
    if (!accept(",")) break;
  }
  expect("=");
  skip_newlines();
  Node* value = nullptr;
  std::vector<Node*> values;
  bool splat = false;
  do {
    skip_newlines();
    if (at() == '*') {
      advance();
      Node* s = make(NodeType::Splat);
      s->kids = {ternary()};
      values.push_back(s);
      splat = true;
    } else {
      values.push_back(values.empty() ? expression() : ternary());
    }
    skip_blanks();
  } while (accept(","));
  if (values.size() == 1 && !splat) {
    value = values[0];
  } else {
    value = make(NodeType::Array);
    value->kids = std::move(values);
  }
  node->block = value;
  return node;
}

// ---------------------------------------------------------------------------------------------------------------------
// control structures: each function starts just after the keyword

Node* Parser::if_statement(bool unless) {
  Node* node = make(NodeType::If);
  Node* condition = expression_statement();
  skip_blanks();
  accept_keyword("then");
  Node* body = statements({"elsif", "else", "end"});
  Node* other = nullptr;
  if (unless) {
    if (accept_keyword("else")) other = statements({"end"});
    expect_keyword("end");
    node->kids = {condition, other, body};
    return node;
  }
  other = if_tail();
  node->kids = {condition, body, other};
  return node;
}

Node* Parser::if_tail() {
  DepthGuard guard(*this);
  if (accept_keyword("elsif")) {
    Node* node = make(NodeType::If);
    Node* condition = expression_statement();
    skip_blanks();
    accept_keyword("then");
    Node* body = statements({"elsif", "else", "end"});
    Node* other = if_tail();
    node->kids = {condition, body, other};
    return node;
  }
  Node* other = nullptr;
  if (accept_keyword("else")) other = statements({"end"});
  expect_keyword("end");
  return other;
}

Node* Parser::case_statement() {
  Node* node = make(NodeType::Case);
  skip_blanks();
  node->kids.push_back(at() == '\n' || at() == ';' || at_keyword("when") ? nullptr : expression_statement());
  skip_terminators();
  if (!at_keyword("when")) fail("text or code between case and when");
  while (accept_keyword("when")) {
    Node* when = make(NodeType::When);
    do {
      skip_newlines();
      if (accept("*")) {
        Node* splat = make(NodeType::Splat);
        splat->kids = {ternary()};
        when->kids.push_back(splat);
      } else {
        when->kids.push_back(ternary());
      }
      skip_blanks();
    } while (accept(","));
    accept_keyword("then");
    when->kids.push_back(statements({"when", "else", "end"}));
    node->kids.push_back(when);
  }
  Node* other = nullptr;
  if (accept_keyword("else")) other = statements({"end"});
  expect_keyword("end");
  node->kids.push_back(other);
  return node;
}

Node* Parser::while_statement(bool until) {
  Node* node = make(NodeType::While);
  node->flag = until;
  bool outer = std::exchange(no_do_, true);
  Node* condition = expression_statement();
  no_do_ = outer;
  skip_blanks();
  accept_keyword("do");
  Node* body = statements({"end"});
  expect_keyword("end");
  node->kids = {condition, body};
  return node;
}

Node* Parser::for_statement() {
  Node* node = make(NodeType::For);
  Node* many = make(NodeType::TargetMany);
  do {
    skip_blanks();
    Node* target = make(NodeType::TargetLocal);
    std::string name = identifier();
    if (name.empty()) fail("a for loop's variable");
    declare(name, target->a, target->b);
    many->kids.push_back(target);
    skip_blanks();
  } while (accept(","));
  if (!accept_keyword("in")) fail("a for loop");
  bool outer = std::exchange(no_do_, true);
  Node* list = expression_statement();
  no_do_ = outer;
  skip_blanks();
  accept_keyword("do");
  Node* body = statements({"end"});
  expect_keyword("end");
  node->kids = {many->kids.size() == 1 ? many->kids[0] : many, list, body};
  return node;
}

Node* Parser::begin_statement() {
  Node* node = guarded_body("end");
  expect_keyword("end");
  if (node->type == NodeType::Begin) return node;
  Node* begin = make(NodeType::Begin);
  begin->kids = {node, nullptr, nullptr};
  return begin;
}

/// Parses a body with its rescue, else and ensure clauses, up to the closing keyword. Returns a Sequence, or a Begin if there are clauses.
Node* Parser::guarded_body(std::string_view closing) {
  Node* body = statements({"rescue", "else", "ensure", closing});
  if (!at_keyword("rescue") && !at_keyword("ensure")) return body;
  Node* node = make(NodeType::Begin);
  node->kids = {body, nullptr, nullptr};
  while (accept_keyword("rescue")) {
    Node* clause = make(NodeType::Rescue);
    skip_blanks();
    while (at() != '\n' && at() != ';' && !at_keyword("then") && !rest().starts_with("=>")) {
      if (at() == '*') fail("rescue of a list");
      clause->kids.push_back(ternary());
      skip_blanks();
      if (!accept(",")) break;
      skip_newlines();
    }
    if (accept("=>")) {
      skip_blanks();
      std::string name = identifier();
      if (name.empty()) fail("rescue => something else than a variable");
      Node* target = make(NodeType::TargetLocal);
      declare(name, target->a, target->b);
      clause->block = target;
      skip_blanks();
    }
    accept_keyword("then");
    clause->kids.push_back(statements({"rescue", "else", "ensure", closing}));
    node->kids.push_back(clause);
  }
  if (accept_keyword("else")) node->kids[1] = statements({"ensure", closing});
  if (accept_keyword("ensure")) node->kids[2] = statements({closing});
  return node;
}

// ---------------------------------------------------------------------------------------------------------------------
// blocks

Node* Parser::block_in(std::string_view closing) {
  DepthGuard guard(*this);
  if (has_tokens()) return unread_block(pos_ - (closing == "end" ? 2 : 1));
  Node* block = make(NodeType::Block);
  scopes_.emplace_back();
  bool outer_no_do = std::exchange(no_do_, false);
  skip_newlines();
  if (at() == '|') block_parameters(*block);
  Node* body = closing == "end" ? guarded_body(closing) : statements({closing});
  expect(closing);
  no_do_ = outer_no_do;
  block->kids.push_back(body);
  block->slots = static_cast<int32_t>(scopes_.back().names.size());
  scopes_.pop_back();
  return block;
}

void Parser::block_parameters(Node& block) {
  expect("|");
  skip_newlines();
  while (at() != '|') {
    if (at() == ';') { // |a; b|: b is the block's own
      advance();
      do {
        skip_newlines();
        own_variable(identifier());
        skip_newlines();
      } while (accept(","));
      continue;
    }
    block.kids.push_back(parameter('|'));
    skip_newlines();
    if (accept(",")) {
      skip_newlines();
      if (at() == '|') block.flag = true; // |a,| takes the first of a list
    } else if (at() != '|' && at() != ';') {
      fail("a block's parameter");
    }
  }
  expect("|");
  block.a = static_cast<int32_t>(block.kids.size()); // number of parameters
}

/// Declares a new variable of the innermost block or method. It hides an outer variable of the same name.
Node* Parser::own_variable(std::string name) {
  if (name.empty()) fail("a parameter");
  Node* local = make(NodeType::TargetLocal);
  local->a = 0;
  local->b = static_cast<int32_t>(scopes_.back().names.size());
  local->text = name;
  scopes_.back().names.push_back(std::move(name));
  return local;
}

Node* Parser::parameter(char closing) {
  DepthGuard guard(*this);
  auto named = [&](NodeType type) {
    Node* node = make(type);
    skip_blanks();
    if (is_name_start(at())) node->kids = {own_variable(identifier())};
    return node;
  };
  if (accept("**")) return named(NodeType::TargetKeywords);
  if (accept("*")) return named(NodeType::TargetSplat);
  if (accept("&")) return named(NodeType::TargetBlock);
  if (accept("(")) {
    Node* many = make(NodeType::TargetMany);
    do {
      skip_newlines();
      many->kids.push_back(parameter(')'));
      skip_newlines();
    } while (accept(","));
    expect(")");
    return many;
  }
  std::string name = identifier();
  if (at() == ':' && at(1) != ':') {
    advance();
    Node* keyword = make(NodeType::TargetKeyword);
    keyword->text = name;
    Node* target = own_variable(std::move(name));
    skip_blanks();
    bool required = at() == ',' || at() == closing || at() == '\n' || done();
    keyword->kids = {target, required ? nullptr : default_value(closing)};
    return keyword;
  }
  Node* local = own_variable(std::move(name));
  skip_blanks();
  if (at() != '=') return local;
  advance();
  skip_newlines();
  Node* node = make(NodeType::TargetDefault);
  node->kids = {local, default_value(closing)};
  return node;
}

/// Parses the default value of a parameter. Among a block's parameters `|` ends the value, so there only operators from level 6 (`<<`,
/// `>>`) on may stand outside of brackets and parentheses.
Node* Parser::default_value(char closing) { return closing == '|' ? binary(6) : ternary(); }

/// Parses a method definition, after `def`.
Node* Parser::def_statement() {
  DepthGuard guard(*this);
  skip_blanks();
  Node* node = make(NodeType::Def);
  node->text = identifier();
  if (node->text.empty() || at_keyword("self") || node->text == "self") fail("a method's name");
  if (is_name_suffix(rest())) {
    node->text += at();
    advance();
  }
  if (at() == '=' || at() == '.') fail("a method's name");
  std::vector<Variables> outer = std::exchange(scopes_, {}); // a method does not see the variables around it
  scopes_.emplace_back();
  ++methods_;
  bool parentheses = accept("(");
  if (!parentheses) skip_blanks();
  if (parentheses) skip_newlines();
  while (parentheses ? at() != ')' : at() != '\n' && at() != ';') {
    if (done()) fail("a method's parameters");
    node->kids.push_back(parameter(parentheses ? ')' : '\n'));
    parentheses ? skip_newlines() : skip_blanks();
    if (!accept(",")) break;
    skip_newlines();
  }
  if (parentheses) expect(")");
  skip_blanks();
  node->a = static_cast<int32_t>(node->kids.size());
  if (accept("=")) { // a method without end; a modifier behind it is not its own, so leave that to Ruby
    skip_newlines();
    node->kids.push_back(ternary());
    skip_blanks();
    if (!done() && at() != '\n' && at() != ';' && at() != '#') fail("a method without end");
  } else {
    node->kids.push_back(guarded_body("end"));
    expect_keyword("end");
  }
  node->slots = static_cast<int32_t>(scopes_.back().names.size());
  scopes_ = std::move(outer);
  --methods_;
  program_.methods.insert(node->text);
  return node;
}

/// Parses a lambda, after `->`.
Node* Parser::lambda_literal() {
  DepthGuard guard(*this);
  if (has_tokens()) return unread_lambda(pos_ - 2);
  Node* node = make(NodeType::Lambda);
  Node* block = make(NodeType::Block);
  scopes_.emplace_back();
  skip_blanks();
  bool parentheses = accept("(");
  if (parentheses) skip_newlines();
  while (parentheses ? at() != ')' : at() != '{' && !at_keyword("do")) {
    if (done() || at() == '\n') fail("a lambda's parameters");
    block->kids.push_back(parameter(parentheses ? ')' : '{'));
    parentheses ? skip_newlines() : skip_blanks();
    if (!accept(",")) break;
    skip_newlines();
  }
  if (parentheses) expect(")");
  skip_blanks();
  block->a = static_cast<int32_t>(block->kids.size());
  bool braces = accept("{");
  if (!braces && !accept_keyword("do")) fail("a lambda");
  bool outer_no_do = std::exchange(no_do_, false);
  Node* body = braces ? statements({"}"}) : guarded_body("end");
  expect(braces ? "}" : "end");
  no_do_ = outer_no_do;
  block->kids.push_back(body);
  block->slots = static_cast<int32_t>(scopes_.back().names.size());
  scopes_.pop_back();
  node->block = block;
  return node;
}

} // namespace pupc::ruby
