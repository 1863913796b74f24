// Operators, assignments, calls, primaries.
#include "compiler/ruby_source/ruby_parser.h"

#include <fmt/format.h>

#include <cstdlib>

namespace pupc::ruby {
namespace {

constexpr std::string_view keywords[] = {"if",     "unless", "while", "until", "and",   "or",   "do",    "then",
                                         "rescue", "in",     "end",   "else",  "elsif", "when", "ensure"};

constexpr std::string_view unsupported_keywords[] = {"super",  "redo",  "retry",    "BEGIN",    "END",        "alias",       "class",
                                                     "module", "undef", "__FILE__", "__LINE__", "__method__", "__ENCODING__"};

/// Binary operators by level, the loosest first. Within a level a longer operator precedes its own prefix, so that it matches first.
struct Level {
  std::string_view operators[7];
};
constexpr Level levels[] = {
    {{"||"}},
    {{"&&"}},
    {{"<=>", "===", "==", "=~", "!=", "!~"}},
    {{"<=", ">=", "<", ">"}},
    {{"|", "^"}},
    {{"&"}},
    {{"<<", ">>"}},
    {{"+", "-"}},
    {{"*", "/", "%"}},
};
constexpr int level_count = static_cast<int>(std::size(levels));

bool begins_operator(char c) {
  switch (c) {
  case '|':
  case '&':
  case '<':
  case '=':
  case '!':
  case '>':
  case '^':
  case '+':
  case '-':
  case '*':
  case '/':
  case '%': return true;
  default: return false;
  }
}

} // namespace

std::string_view Parser::peek_operator(int level) {
  skip_blanks();
  if (!begins_operator(at())) return {};
  for (std::string_view op : levels[level].operators) {
    if (op.empty()) break;
    if (!rest().starts_with(op)) continue;
    char next = at(op.size());
    if (op == "==" || op == "!=" || op == "<=" || op == ">=" || op == "===" || op == "<=>" || op == "=~" || op == "!~") {
      if ((op == "==" && next == '=') || (op == "<=" && next == '>')) continue;
      return op;
    }
    if (next == '=') continue;                                                                                     // += and friends
    if (op.size() == 1 && next == op[0] && op[0] != '-' && op[0] != '+' && op[0] != '/' && op[0] != '%') continue; // && || << >> **
    if (op == "&" && next == '.') continue;
    if (op == "<<" && next == '~' && program_.self == Self::Template) fail("a heredoc");
    return op;
  }
  return {};
}

std::string_view Parser::peek_assignment_operator() {
  skip_blanks();
  static constexpr std::string_view operators[] = {"||=", "&&=", "<<=", ">>=", "**=", "+=", "-=", "*=", "/=", "%=", "|=", "&=", "^="};
  static constexpr std::string_view beginnings = "|&<>*+-/%^";
  if (beginnings.find(at()) != std::string_view::npos)
    for (std::string_view op : operators)
      if (rest().starts_with(op)) return op;
  if (at() == '=' && at(1) != '=' && at(1) != '~' && at(1) != '>') return "=";
  return {};
}

/// Turns the expression on the left of `=` into the node for the place to assign.
Node* Parser::target_of(Node* node) {
  if (node->type == NodeType::Local) {
    Node* target = make(NodeType::TargetLocal);
    target->a = node->a;
    target->b = node->b;
    return target;
  }
  if (node->type == NodeType::Instance) {
    Node* target = make(NodeType::TargetInstance);
    target->text = node->text;
    return target;
  }
  if (node->type == NodeType::Call && node->kids[0] == nullptr && node->kids.size() == 1 && !node->parenthesised &&
      node->block == nullptr) {
    Node* target = make(NodeType::TargetLocal);
    declare(node->text, target->a, target->b);
    return target;
  }
  if (node->type == NodeType::Constant && program_.self != Self::Template && node->text.find(':') == std::string::npos) {
    if (methods_ > 0) fail("a constant that a method sets");
    Node* target = make(NodeType::AssignConstant);
    target->text = node->text;
    return target;
  }
  if (node->type == NodeType::Call && node->text == "[]" && !node->flag) {
    Node* target = make(NodeType::TargetIndex);
    target->kids = node->kids;
    return target;
  }
  fail("an assignment to something else than a variable or element");
}

Node* Parser::assign(Node* target, Node* value) {
  NodeType type = target->type == NodeType::TargetLocal      ? NodeType::AssignLocal
                  : target->type == NodeType::TargetInstance ? NodeType::AssignInstance
                  : target->type == NodeType::AssignConstant ? NodeType::AssignConstant
                                                             : NodeType::AssignIndex;
  Node* node = make(type);
  node->line = target->line;
  node->a = target->a;
  node->b = target->b;
  node->text = target->text;
  node->kids = target->kids;
  node->kids.push_back(value);
  return node;
}

Node* Parser::expression() {
  DepthGuard guard(*this);
  Node* left = ternary();
  std::string_view op = peek_assignment_operator();
  if (op.empty()) return left;
  Node* target = target_of(left);
  advance(op.size());
  skip_newlines();
  if (op == "=") {
    Node* value = expression();
    skip_blanks();
    if (at_keyword("rescue")) { // in `a = b rescue c` the rescue belongs to the value
      advance(6);
      value = rescued(value, expression());
    }
    return assign(target, value);
  }
  if (target->type == NodeType::AssignConstant) fail("a constant that changes");
  Node* node = make(NodeType::OpAssign);
  node->text = std::string(op.substr(0, op.size() - 1));
  Node* value = expression();
  node->kids = {target, value};
  return node;
}

Node* Parser::ternary() {
  DepthGuard guard(*this);
  Node* condition = range();
  skip_blanks();
  if (at() != '?') return condition;
  advance();
  Node* node = make(NodeType::If);
  skip_newlines();
  Node* yes = ternary();
  if (peek_assignment_operator() == "=") fail("an assignment in a ternary");
  skip_newlines();
  expect(":");
  skip_newlines();
  Node* no = ternary();
  node->kids = {condition, yes, no};
  return node;
}

Node* Parser::range() {
  Node* left = binary(0);
  skip_blanks();
  if (!rest().starts_with("..")) return left;
  Node* node = make(NodeType::Range);
  advance(2);
  node->flag = accept(".");
  skip_blanks();
  Node* right = nullptr;
  if (at() == ']' || at() == ')' || at() == '\n' || at() == ';' || at_keyword("then")) {
    right = make(NodeType::Nil);
  } else {
    right = binary(0);
  }
  node->kids = {left, right};
  return node;
}

/// Parses an operand and the operators of `level` and of all tighter levels. The loop goes from the tightest level to the loosest instead
/// of recursing through every level; operators of one level group from the left.
Node* Parser::binary(int level) {
  DepthGuard guard(*this);
  Node* left = unary();
  skip_blanks();
  if (!begins_operator(at())) return left; // mostly
  for (int at_level = level_count - 1; at_level >= level; --at_level) left = operations(left, at_level);
  return left;
}

/// Parses the operators of one level that follow an operand, with their right operands.
Node* Parser::operations(Node* left, int level) {
  for (;;) {
    std::string_view op = peek_operator(level);
    if (op.empty()) return left;
    advance(op.size());
    skip_newlines();
    Node* right = binary(level + 1);
    Node* node = nullptr;
    if (level < 2) {
      node = make(level == 0 ? NodeType::Or : NodeType::And);
      node->kids = {left, right};
    } else {
      if (op == "=~" && left->type == NodeType::Regex && left->text.find("(?<") != std::string::npos)
        fail("named groups that become variables");
      node = make(NodeType::Call);
      node->text = std::string(op);
      node->parenthesised = true;
      node->kids = {left, right};
    }
    node->line = left->line;
    left = node;
    if (level == 2 && !peek_operator(level).empty()) fail("comparisons in a row");
  }
}

Node* Parser::unary() {
  DepthGuard guard(*this);
  skip_blanks();
  char c = at();
  if (c == '!' && at(1) != '=' && at(1) != '~') {
    advance();
    Node* node = make(NodeType::Not);
    node->kids = {unary()};
    return node;
  }
  if (c == '-' && at(1) >= '0' && at(1) <= '9') {
    advance();
    Node* literal = number();
    if (literal->type == NodeType::Integer)
      literal->integer = -literal->integer;
    else
      literal->number = -literal->number;
    Node* node = literal;
    for (;;) {
      Node* next = node;
      if (at() == '.' && is_name_start(at(1))) {
        advance();
        size_t begin = pos_;
        std::string name = identifier();
        next = call_rest(node, name, false, begin);
      }
      if (next == node) break;
      node = next;
    }
    skip_blanks();
    if (rest().starts_with("**")) fail("a power of a negative number");
    return node;
  }
  if ((c == '-' && at(1) != '>') || (c == '+' && at(1) != '=') || c == '~') {
    advance();
    Node* node = make(NodeType::Call);
    node->text = c == '-' ? "-@" : c == '+' ? "+@" : "~";
    node->parenthesised = true;
    node->kids = {unary()};
    return node;
  }
  if (c == '&' || c == '*') fail(fmt::format("'{}' in this place", c));
  if (at_keyword("defined?") || rest().starts_with("defined?")) {
    advance(8);
    Node* node = make(NodeType::Defined);
    skip_blanks();
    if (accept("(")) {
      skip_newlines();
      node->kids = {expression_statement()};
      skip_newlines();
      expect(")");
    } else {
      node->kids = {unary()};
    }
    return node;
  }
  return power();
}

Node* Parser::power() {
  Node* left = postfix();
  skip_blanks();
  if (!rest().starts_with("**") || at(2) == '=') return left;
  advance(2);
  skip_newlines();
  Node* node = make(NodeType::Call);
  node->text = "**";
  node->parenthesised = true;
  Node* right = unary();
  node->kids = {left, right};
  return node;
}

Node* Parser::postfix() {
  Node* node = primary();
  for (;;) {
    DepthGuard guard(*this);
    if (at() == '[') { // no blank before it, so it is an index
      Node* call = make(NodeType::Call);
      call->text = "[]";
      call->parenthesised = true;
      call->kids = {node};
      advance();
      arguments(*call, ']');
      node = call;
      continue;
    }
    if (at() == ':' && at(1) == ':') {
      if (node->type != NodeType::Constant) fail("'::'");
      advance(2);
      size_t begin = pos_;
      std::string name = identifier();
      if (only_reads() && !name.empty() && (name[0] < 'A' || name[0] > 'Z')) { // a method of the constant
        node = call_rest(node, std::move(name), false, begin);
        continue;
      }
      if (name.empty() || name[0] < 'A' || name[0] > 'Z') fail("'::'");
      Node* constant = make(NodeType::Constant);
      constant->text = node->text + "::" + name;
      node = constant;
      continue;
    }
    // A chain of calls continues on the next line if that line begins with a dot.
    size_t saved_pos = pos_;
    uint32_t saved_line = line_;
    skip_newlines();
    bool safe = at() == '&' && at(1) == '.';
    if (!safe && !(at() == '.' && at(1) != '.')) {
      pos_ = saved_pos;
      line_ = saved_line;
      return node;
    }
    advance(safe ? 2 : 1);
    skip_newlines();
    if (at() == '(') {
      node = call_rest(node, "call", safe, pos_);
      continue;
    }
    size_t begin = pos_;
    std::string name = identifier();
    if (name.empty()) fail("an operator called with a dot");
    node = call_rest(node, std::move(name), safe, begin);
  }
}

/// Parses the arguments and the block of a call, after its name.
Node* Parser::call_rest(Node* receiver, std::string name, bool safe, size_t) {
  if (is_name_suffix(rest())) {
    name += at();
    advance();
  }
  Node* call = make(NodeType::Call);
  call->text = std::move(name);
  call->flag = safe;
  call->kids = {receiver};
  if (at() == '(') {
    advance();
    call->parenthesised = true;
    arguments(*call, ')');
    attach_block(*call);
  } else if ((at() == ' ' || at() == '\t' || touches_argument(call->text)) && starts_command_argument(receiver != nullptr)) {
    call->parenthesised = true;
    command_arguments(*call);
  } else {
    attach_block(*call);
  }
  return call;
}

/// Whether what follows a method's name without a blank can only be an argument: `include?x`, `puts"x"`.
bool Parser::touches_argument(std::string_view name) const {
  const bool complete = name.ends_with('?') || name.ends_with('!');
  return at() == '"' || at() == '\'' || at() == '@' || (complete && is_name_part(at()));
}

bool Parser::starts_command_argument(bool) {
  size_t i = pos_;
  while (i < code_.size() && (code_[i] == ' ' || code_[i] == '\t')) ++i;
  auto peek = [&](size_t n) { return i + n < code_.size() ? code_[i + n] : '\0'; };
  auto blank = [](char ch) { return ch == ' ' || ch == '\t' || ch == '\n' || ch == '\0'; };
  char c = peek(0);
  char next = peek(1);
  if (is_name_start(c)) {
    for (std::string_view word : keywords)
      if (code_.substr(i).starts_with(word) && !is_name_part(peek(word.size()))) return false;
    return true;
  }
  if ((c >= '0' && c <= '9') || c == '"' || c == '\'' || c == '@' || c == '$' || c == '[' || c == '(') return true;
  if (c == ':') return is_name_start(next) || next == '"';
  if (c == '-' && next == '>') return true;
  if (c == '*' && next == '*') return is_name_start(peek(2));
  if (c == '-' || c == '*') return !blank(next) && next != '=' && !(c == '*' && next == '*');
  if (c == '&') return next == ':' || is_name_start(next);
  if (c == '<' && next == '<' && program_.self != Self::Template) return peek(2) == '~' || peek(2) == '-';
  if (c == '/') return !blank(next) && next != '=';
  if (c == '%') return (next == 'w' || next == 'q' || next == 'Q' || next == 'i') && !is_name_part(peek(2)) && !blank(peek(2));
  if (c == '!') return next != '=' && next != '~';
  return false;
}

/// Parses the `name:` of a keyword argument; null when there is none.
Node* Parser::label() {
  size_t i = pos_;
  while (i < code_.size() && is_name_part(code_[i])) ++i;
  if (i == pos_ || !is_name_start(at()) || i + 1 >= code_.size() || code_[i] != ':' || code_[i + 1] == ':') return nullptr;
  Node* key = make(NodeType::Symbol);
  key->text = identifier();
  advance();
  return key;
}

void Parser::command_arguments(Node& call) {
  DepthGuard guard(*this);
  bool outer = std::exchange(no_do_, true);
  Node* hash = nullptr;
  do {
    skip_newlines();
    if (accept("&")) {
      Node* pass = make(NodeType::BlockPass);
      pass->kids = {ternary()};
      call.block = pass;
      break;
    }
    auto add = [&](Node* key) {
      if (hash == nullptr) hash = make(NodeType::Hash);
      hash->flag = true;
      hash->kids.push_back(key);
      if (key->type == NodeType::DoubleSplat) return hash->kids.push_back(nullptr);
      skip_newlines();
      hash->kids.push_back(element([&] { return ternary(); }, true));
    };
    if (accept("**")) {
      Node* splat = make(NodeType::DoubleSplat);
      splat->kids = {ternary()};
      add(splat);
    } else if (accept("*")) {
      Node* splat = make(NodeType::Splat);
      splat->kids = {ternary()};
      call.kids.push_back(splat);
    } else if (Node* key = label()) {
      add(key);
    } else {
      Node* argument = element([&] { return ternary(); }, true);
      skip_blanks();
      if (accept("=>")) {
        add(argument);
      } else {
        if (peek_assignment_operator() == "=") fail("an assignment as an argument");
        call.kids.push_back(argument);
      }
    }
    skip_blanks();
  } while (accept(","));
  if (hash != nullptr) call.kids.push_back(hash);
  no_do_ = outer;
  skip_blanks();
  if (call.block == nullptr && !no_do_ && accept_keyword("do")) call.block = block_in("end");
}

void Parser::arguments(Node& call, char closing) {
  DepthGuard guard(*this);
  bool outer = std::exchange(no_do_, false);
  Node* hash = nullptr;
  skip_newlines();
  while (at() != closing) {
    if (done()) fail(fmt::format("'{}' is missing", closing));
    if (at() == '&') {
      advance();
      Node* pass = make(NodeType::BlockPass);
      pass->kids = {element([&] { return ternary(); })};
      call.block = pass;
    } else if (accept("**")) {
      Node* splat = make(NodeType::DoubleSplat);
      splat->kids = {element([&] { return ternary(); })};
      if (hash == nullptr) hash = make(NodeType::Hash);
      hash->flag = true;
      hash->kids.push_back(splat);
      hash->kids.push_back(nullptr);
    } else if (at() == '*') {
      advance();
      Node* splat = make(NodeType::Splat);
      splat->kids = {element([&] { return ternary(); })};
      call.kids.push_back(splat);
    } else {
      Node* key = label();
      if (key == nullptr) {
        Node* argument = element([&] { return expression(); });
        skip_newlines();
        bool quoted_label = only_reads() && argument->type == NodeType::String && at() == ':' && at(1) != ':';
        if (quoted_label) argument->type = NodeType::Symbol;
        if (accept(quoted_label ? ":" : "=>"))
          key = argument;
        else
          call.kids.push_back(argument);
      }
      if (key != nullptr) {
        if (hash == nullptr) hash = make(NodeType::Hash);
        hash->flag = true;
        skip_newlines();
        hash->kids.push_back(key);
        hash->kids.push_back(element([&] { return ternary(); }));
      }
    }
    skip_newlines();
    if (!accept(",")) break;
    skip_newlines();
  }
  skip_newlines();
  if (closing != '\0') expect(std::string_view(&closing, 1));
  if (hash != nullptr) call.kids.push_back(hash);
  no_do_ = outer;
}

void Parser::attach_block(Node& call) {
  size_t saved_pos = pos_;
  uint32_t saved_line = line_;
  skip_blanks();
  if (at() == '{') {
    advance();
    if (call.block != nullptr) fail("two blocks");
    call.block = block_in("}");
  } else if (!no_do_ && at_keyword("do")) {
    advance(2);
    if (call.block != nullptr) fail("two blocks");
    call.block = block_in("end");
  } else {
    pos_ = saved_pos;
    line_ = saved_line;
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// primaries

Node* Parser::primary() {
  DepthGuard guard(*this);
  skip_blanks();
  char c = at();
  if (c == '\0') fail("the end of the template");
  if (c >= '0' && c <= '9') return number();
  switch (c) {
  case '"': {
    Node* node = nullptr;
    advance();
    node = double_quoted('\0', '"', NodeType::String);
    return joined_with_next(node);
  }
  case '\'': {
    advance();
    Node* node = single_quoted('\0', '\'', NodeType::String);
    return joined_with_next(node);
  }
  case '`': fail("a command");
  case ':':
    if (at(1) == ':' && at(2) >= 'A' && at(2) <= 'Z') {
      advance(2);
      return primary();
    }
    return symbol();
  case '/': advance(); return regex('\0', '/');
  case '%': return percent_literal();
  case '{': advance(); return hash_literal();
  case '[': {
    advance();
    Node* node = make(NodeType::Array);
    arguments(*node, ']');
    if (node->block != nullptr) fail("& in a list");
    return node;
  }
  case '(': {
    advance();
    Node* node = statements({")"});
    skip_terminators();
    expect(")");
    return node;
  }
  case '@': {
    advance();
    if (at() == '@') fail("a class variable");
    Node* node = make(NodeType::Instance);
    if (!is_name_start(at())) fail("'@'");
    node->text = identifier();
    return node;
  }
  case '$': {
    advance();
    Node* node = make(NodeType::MatchGroup);
    if (accept("~")) return node;
    if (std::string_view("&'`").find(at()) != std::string_view::npos) {
      node->text = at();
      advance();
      return node;
    }
    if (at() < '1' || at() > '9') fail("a global variable");
    while (at() >= '0' && at() <= '9' && node->a < 1000) {
      node->a = node->a * 10 + (at() - '0');
      advance();
    }
    return node;
  }
  case text_mark: {
    advance();
    Node* node = make(NodeType::Text);
    while (at() >= '0' && at() <= '9') {
      node->a = node->a * 10 + (at() - '0');
      advance();
    }
    expect(std::string_view(&text_end, 1));
    return node;
  }
  case output_mark: {
    advance();
    Node* node = make(NodeType::Output);
    node->kids = {statements({})};
    if (at() != output_end) fail("the end of an output tag");
    advance();
    return node;
  }
  default: break;
  }
  if (accept("->")) return lambda_literal();
  if (rest().starts_with("<<")) return heredoc();
  if (c == ':' || c == '?' || !is_name_start(c))
    fail(fmt::format("unexpected '{}'", c == output_end ? std::string("%>") : std::string(1, c)));
  return identifier_expression();
}

/// Parses what begins with a keyword. Null when the word that is next is none here, as in `if?`.
Node* Parser::keyword_expression() {
  if (has_tokens())
    if (Node* skipped = skip_keyword()) return skipped;
  if (accept_keyword("nil")) return make(NodeType::Nil);
  if (accept_keyword("true")) return make(NodeType::True);
  if (accept_keyword("false")) return make(NodeType::False);
  if (accept_keyword("if")) return if_statement(false);
  if (accept_keyword("unless")) return if_statement(true);
  if (accept_keyword("case")) return case_statement();
  if (accept_keyword("while")) return while_statement(false);
  if (accept_keyword("until")) return while_statement(true);
  if (accept_keyword("for")) return for_statement();
  if (accept_keyword("begin")) return begin_statement();
  if (accept_keyword("self")) {
    if (program_.self == Self::Template) fail("'self'");
    return make(NodeType::Self);
  }
  if (program_.self == Self::Scope && scopes_.size() == 1 && accept_keyword("module")) {
    skip_blanks();
    for (std::string_view part : {"Puppet", "::", "Parser", "::", "Functions"}) expect(part);
    Node* body = statements({"end"});
    expect_keyword("end");
    return body;
  }
  if (accept_keyword("def")) {
    if (program_.self == Self::Scope) fail("'def'");
    return def_statement();
  }
  if (accept_keyword("yield")) {
    if (methods_ == 0) fail("'yield'");
    Node* node = make(NodeType::Yield);
    if (accept("("))
      arguments(*node, ')');
    else if ((at() == ' ' || at() == '\t' || touches_argument(node->text)) && starts_command_argument(false))
      command_arguments(*node);
    if (node->block != nullptr) fail("'yield' with a block");
    return node;
  }
  if (at_keyword("break") || at_keyword("next") || at_keyword("return")) {
    bool stop = at() == 'b', leave = at() == 'r';
    if (leave && methods_ == 0) fail("'return'");
    advance(stop ? 5 : leave ? 6 : 4);
    Node* node = make(stop ? NodeType::Break : leave ? NodeType::Return : NodeType::Next);
    skip_blanks();
    bool value = !done() && at() != '\n' && at() != ';' && at() != '}' && at() != output_end;
    for (std::string_view word : keywords) value &= !at_keyword(word);
    node->kids = {value ? expression() : nullptr};
    skip_blanks();
    if (leave && at() == ',') { // return a, b
      Node* list = make(NodeType::Array);
      list->kids = {node->kids[0]};
      while (skip_blanks(), accept(",")) {
        skip_newlines();
        list->kids.push_back(ternary());
      }
      node->kids[0] = list;
    }
    return node;
  }
  if (only_reads() && accept_keyword("__FILE__")) {
    Node* node = make(NodeType::Call);
    node->text = "__FILE__";
    node->kids = {nullptr};
    return node;
  }
  for (std::string_view word : unsupported_keywords)
    if (at_keyword(word)) fail(fmt::format("'{}'", word));
  for (std::string_view word : keywords)
    if (at_keyword(word)) fail(fmt::format("unexpected '{}'", word));
  return nullptr;
}

Node* Parser::identifier_expression() {
  if (is_ruby_keyword(rest().substr(0, name_length(rest()))) || at() == '_')
    if (Node* node = keyword_expression()) return node;
  size_t begin = pos_;
  std::string name = identifier();
  char next = at();
  if (name[0] >= 'A' && name[0] <= 'Z' && next != '(') {
    Node* node = make(NodeType::Constant);
    node->text = name;
    return node;
  }
  bool suffix = is_name_suffix(rest());
  int32_t up = 0;
  int32_t slot = 0;
  bool variable = !suffix && next != '(';
  if (variable && find_local(name, up, slot)) {
    Node* node = make(NodeType::Local);
    node->a = up;
    node->b = slot;
    return node;
  }
  if (variable && is_variable_ != nullptr && (*is_variable_)(name)) {
    Node* node = make(NodeType::Local);
    node->a = -1;
    node->text = std::move(name);
    return node;
  }
  return call_rest(nullptr, std::move(name), false, begin);
}

} // namespace pupc::ruby
