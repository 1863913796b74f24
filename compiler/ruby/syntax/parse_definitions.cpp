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

/// Reads the name of a constant, which may have :: in it.
std::string_view Parser::constant_path() {
  const size_t begin = pos_;
  while (identifier().data() != nullptr && accept("::")) {}
  return code_.substr(begin, pos_ - begin);
}

/// Parses the body of a class or module and its `end`.
template <class T> Node* Parser::body_of_class(T* node) {
  DepthGuard guard(*this);
  std::vector<Variables> outer = std::exchange(scopes_, {});
  scopes_.emplace_back();
  const int outer_methods = std::exchange(methods_, 0);
  ++classes_;
  node->body = guarded_body();
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
    auto* node = make<SingletonClass>();
    node->object = expression();
    return body_of_class(node);
  }
  auto* node = make<Class>();
  node->name = constant_path();
  if (node->name.empty() || node->name[0] < 'A' || node->name[0] > 'Z') fail("a class's name");
  skip_blanks();
  if (accept('<')) {
    skip_blanks();
    node->parent = expression();
  }
  return body_of_class(node);
}

/// Parses after `module`.
Node* Parser::module_statement() {
  if (methods_ > 0 && program_.self != Self::Scope) fail("a module in a method");
  auto* node = make<Class>();
  node->module = true;
  skip_blanks();
  node->name = constant_path();
  if (node->name.empty() || node->name[0] < 'A' || node->name[0] > 'Z') fail("a module's name");
  return body_of_class(node);
}

/// Parses after `alias`.
Node* Parser::alias_statement() {
  auto* node = make<Alias>(nullptr, nullptr);
  for (TextLiteral** name : {&node->name, &node->old}) {
    skip_blanks();
    *name = at() == ':' ? symbol() : make_text(NodeType::Symbol, method_name());
    if ((*name)->text.empty() && (*name)->parts.empty()) fail("an alias");
  }
  return node;
}

/// Parses after `super`.
Node* Parser::super_expression() {
  if (methods_ == 0) fail("'super'");
  auto* node = make<Super>();
  if (accept('(')) {
    arguments(*node, ')');
  } else if (is_blank(at()) && starts_command_argument()) {
    command_arguments(*node);
  } else {
    node->implicit = true;
  }
  attach_block(*node);
  return node;
}

} // namespace pupc::compiler::ruby
