// Classes, modules and what stands in them: names of methods, alias, super.
#include "compiler/ruby/syntax/ruby_parser.h"

#include <fmt/format.h>

namespace pupc::compiler::ruby {

/// Reads the name of a method, after `def` and in `alias`: also operators and `name=`.
std::string_view Parser::method_name() {
  const size_t begin = pos_;
  if (identifier().empty()) {
    if (only_reads()) return {};
    advance(operator_name_length(rest()));
    return code_.substr(begin, pos_ - begin);
  }
  if (is_name_suffix(rest())) ++pos_;
  // `def a=(x)` sets, `def a = x` is a method without end.
  if (!only_reads() && at() == '=' && at(1) != '=' && at(1) != '~' && at(1) != '>' && (at(1) == '(' || is_name_start(at(1)))) ++pos_;
  return code_.substr(begin, pos_ - begin);
}

/// Parses the body of a class or module and its `end`.
Node* Parser::body_of_class(Node* node) {
  DepthGuard guard(*this);
  std::vector<Variables> outer = std::exchange(scopes_, {});
  scopes_.emplace_back();
  const int outer_methods = std::exchange(methods_, 0);
  ++classes_;
  add(*node, guarded_body());
  expect_keyword(Word::End, "end");
  --classes_;
  methods_ = outer_methods;
  node->slots = static_cast<int32_t>(scopes_.back().names.size());
  scopes_ = std::move(outer);
  return node;
}

/// Parses after `class`.
Node* Parser::class_statement() {
  if (methods_ > 0 && program_.self != Self::Scope) fail("a class in a method");
  skip_blanks();
  if (accept("<<")) {
    skip_blanks();
    Node* node = make(NodeType::SingletonClass);
    node->kids = list({expression()});
    return body_of_class(node);
  }
  Node* node = make(NodeType::Class);
  const size_t begin = pos_;
  while (identifier().data() != nullptr && accept("::")) {}
  node->text = code_.substr(begin, pos_ - begin);
  if (node->text.empty() || node->text[0] < 'A' || node->text[0] > 'Z') fail("a class's name");
  skip_blanks();
  Node* parent = nullptr;
  if (accept('<')) {
    skip_blanks();
    parent = expression();
  }
  node->kids = list({parent});
  return body_of_class(node);
}

/// Parses after `module`.
Node* Parser::module_statement() {
  if (methods_ > 0 && program_.self != Self::Scope) fail("a module in a method");
  Node* node = make(NodeType::Class);
  node->flag = true;
  skip_blanks();
  const size_t begin = pos_;
  while (identifier().data() != nullptr && accept("::")) {}
  node->text = code_.substr(begin, pos_ - begin);
  if (node->text.empty() || node->text[0] < 'A' || node->text[0] > 'Z') fail("a module's name");
  node->kids = list({nullptr});
  return body_of_class(node);
}

/// Parses after `alias`.
Node* Parser::alias_statement() {
  Node* node = make(NodeType::Alias);
  for (int i = 0; i < 2; ++i) {
    skip_blanks();
    if (at() == ':') {
      add(*node, symbol());
      continue;
    }
    Node* name = make(NodeType::Symbol);
    name->text = method_name();
    if (name->text.empty()) fail("an alias");
    add(*node, name);
  }
  return node;
}

/// Parses after `super`.
Node* Parser::super_expression() {
  if (methods_ == 0) fail("'super'");
  Node* node = make(NodeType::Super);
  if (accept('(')) {
    arguments(*node, ')');
  } else if (is_blank(at()) && starts_command_argument()) {
    command_arguments(*node);
  } else {
    node->flag = true;
  }
  attach_block(*node);
  return node;
}

} // namespace pupc::compiler::ruby
