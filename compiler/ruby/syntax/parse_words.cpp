// What begins with a word: statements and values that a keyword begins, variables, constants, calls without a receiver.
#include "compiler/ruby/syntax/ruby_parser.h"

#include <fmt/format.h>

#include <algorithm>

namespace pupc::compiler::ruby {
namespace {

constexpr Words unsupported = words_of(Word::Super, Word::Redo, Word::Retry, Word::BeginBlock, Word::EndBlock, Word::Alias, Word::Class,
                                       Word::Module, Word::Undef, Word::File, Word::Line, Word::Method, Word::Encoding);

} // namespace

/// Parses what begins with a keyword. Null when the word that is next is none here, as in `if?`.
Node* Parser::keyword_expression() {
  if (has_tokens())
    if (Node* skipped = skip_keyword()) return skipped;
  const Word keyword = word();
  if (keyword == Word::None || keyword == Word::Not) return nullptr;
  const std::string_view spelling = code_.substr(pos_, word_end_ - pos_);
  skip_word();
  switch (keyword) {
  case Word::Nil: return make(NodeType::Nil);
  case Word::True: return make(NodeType::True);
  case Word::False: return make(NodeType::False);
  case Word::If: return if_statement(false);
  case Word::Unless: return if_statement(true);
  case Word::Case: return case_statement();
  case Word::While: return while_statement(false);
  case Word::Until: return while_statement(true);
  case Word::For: return for_statement();
  case Word::Begin: return begin_statement();
  case Word::Self:
    if (program_.self == Self::Template && classes_ == 0 && methods_ == 0 && only_reads()) fail("'self'");
    return make(NodeType::Self);
  case Word::Class:
    if (only_reads()) break;
    return class_statement();
  case Word::Alias:
    if (only_reads()) break;
    return alias_statement();
  case Word::Super:
    if (only_reads()) break;
    return super_expression();
  case Word::Retry:
    if (only_reads()) break;
    return make(NodeType::Retry);
  case Word::Method:
    if (only_reads()) break;
    return make(methods_ == 0 ? NodeType::Nil : NodeType::CurrentMethod);
  case Word::Module: {
    if (only_reads()) break;
    skip_blanks();
    if (program_.self != Self::Scope || scopes_.size() != 1 || !rest().starts_with("Puppet::Parser::Functions")) return module_statement();
    for (std::string_view part : {"Puppet", "::", "Parser", "::", "Functions"}) expect(part);
    Node* body = statements({words_of(Word::End)});
    expect_keyword(Word::End, "end");
    return body;
  }
  case Word::Def: return def_statement();
  case Word::Yield: {
    if (methods_ == 0) fail("'yield'");
    auto* node = make<Yield>();
    if (accept('('))
      arguments(*node, ')');
    else if ((is_blank(at()) || touches_argument({})) && starts_command_argument())
      command_arguments(*node);
    if (node->block != nullptr) fail("'yield' with a block");
    return node;
  }
  case Word::Break:
  case Word::Next:
  case Word::Return: return leave(keyword);
  case Word::File: {
    auto* node = make<Call>();
    node->name = "__FILE__";
    return node;
  }
  default: break;
  }
  fail(fmt::format(fmt::runtime(has_word(unsupported, keyword) ? "'{}'" : "unexpected '{}'"), spelling));
}

/// Parses what `break`, `next` and `return` give, after the word.
Node* Parser::leave(Word word_before) {
  const bool returns = word_before == Word::Return;
  if (returns && methods_ == 0) fail("'return'");
  auto* node = make<Leave>(word_before == Word::Break ? NodeType::Break : returns ? NodeType::Return : NodeType::Next);
  skip_blanks();
  const bool value = !done() && at() != '\n' && at() != ';' && at() != '}' && at() != ')' && at() != output_end &&
                     !has_word(no_value, word());
  if (value && at() == '*' && !only_reads()) { // return *list
    advance();
    Node* splat = prefix(NodeType::Splat, &Parser::ternary);
    auto* given = make<ListLiteral>();
    add(given->items, splat);
    node->value = given;
  } else if (value) {
    node->value = expression();
  }
  skip_blanks();
  if ((returns || !only_reads()) && value && at() == ',' && arguments_ == 0) { // return a, b
    auto* values = make<ListLiteral>();
    add(values->items, node->value);
    while (skip_blanks(), accept(',')) {
      skip_newlines();
      add(values->items, ternary());
    }
    node->value = values;
  }
  return node;
}

Node* Parser::identifier_expression() {
  word();
  if (word_is_keyword_)
    if (Node* node = keyword_expression()) return node;
  const std::string_view name = identifier();
  const char next = at();
  if (next != '(' && (name[0] < 'A' || name[0] > 'Z') && !is_name_suffix(rest())) { // perhaps a variable
    if (Node* variable = variable_of(name)) return variable;
  }
  if (next != '(' && name[0] >= 'A' && name[0] <= 'Z' && !takes_argument_behind(name)) return make<Constant>(name);
  if (name == "binding" && !only_reads() && (next != '(' || at(1) == ')') && next != '?') {
    if (accept('(')) expect(')');
    return binding();
  }
  return call_rest(nullptr, name, false);
}

/// Whether a constant's name is that of a method, whose argument stands behind a blank: `Integer key`.
bool Parser::takes_argument_behind(std::string_view name) const {
  static constexpr std::string_view conversions[] = {"Array", "Complex", "Float", "Hash", "Integer", "Rational", "String"};
  if (!is_blank(at()) || std::ranges::find(conversions, name) == std::end(conversions)) return false;
  size_t i = pos_;
  while (i < code_.size() && is_blank(code_[i])) ++i;
  const char first = i < code_.size() ? code_[i] : '\0';
  return (is_name_start(first) || first == '"' || first == '\'' || first == '@') && starts_command_argument();
}

/// The local variable of a name; null where there is none.
Node* Parser::variable_of(std::string_view name) {
  int32_t up = 0;
  int32_t slot = 0;
  const bool numbered = name.size() == 2 && name[0] == '_' && name[1] >= '1' && name[1] <= '9';
  if (numbered && !scopes_.empty() && scopes_.back().of_block) declare(name, up, slot);
  if (find_local(name, up, slot)) return make<LocalVariable>(up, slot);
  if (is_variable_ != nullptr && (*is_variable_)(name)) return make<LocalVariable>(-1, 0, name);
  return nullptr;
}

/// What a name alone stands for: a variable, a constant or a call.
Node* Parser::named_value(std::string_view name) {
  if (name[0] >= 'A' && name[0] <= 'Z') return make<Constant>(name);
  if (Node* variable = variable_of(name)) return variable;
  auto* call = make<Call>();
  call->name = name;
  return call;
}

/// `binding`, with the variables that are known there.
Node* Parser::binding() {
  auto* node = make<Binding>();
  for (size_t up = 0; up < scopes_.size(); ++up)
    for (std::string_view name : scopes_[scopes_.size() - 1 - up].names) {
      auto* variable = make<LocalVariable>(NodeType::TargetLocal, 0, 0, name);
      find_local(name, variable->up, variable->slot);
      if (variable->up == static_cast<int32_t>(up)) node->variables.add(program_.arena, variable); // else an inner one hides it
    }
  return node;
}

} // namespace pupc::compiler::ruby
