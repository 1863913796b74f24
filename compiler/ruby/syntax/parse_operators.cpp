// Operators, assignments, calls, primaries.
#include "compiler/ruby/syntax/ruby_parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace pupc::compiler::ruby {

/// The binary operator that is next, which does not belong to an assignment; its level is -1 when there is none.
Parser::Operator Parser::peek_operator() {
  // By their first character, and a longer one before its own beginning.
  static constexpr Operator operators[] = {
      {"!=", 2}, {"!~", 2}, {"%", 8},   {"&&", 1}, {"&", 5},  {"*", 8},  {"+", 7},  {"-", 7}, {"/", 8}, {"<=>", 2}, {"<<", 6},
      {"<=", 3}, {"<", 3},  {"===", 2}, {"==", 2}, {"=~", 2}, {">>", 6}, {">=", 3}, {">", 3}, {"^", 4}, {"||", 0},  {"|", 4},
  };
  skip_blanks();
  const char first = at();
  if (!is_char(first, char_operator)) return {};
  for (const Operator& known : operators) {
    const std::string_view op = known.text;
    if (op[0] != first || !rest().starts_with(op)) continue;
    const char next = at(op.size());
    if (known.level == 2 || op == "<=" || op == ">=") {
      if ((op == "==" && next == '=') || (op == "<=" && next == '>')) continue;
      return known;
    }
    if (next == '=') continue;                                                                                     // += and friends
    if (op.size() == 1 && next == op[0] && op[0] != '-' && op[0] != '+' && op[0] != '/' && op[0] != '%') continue; // && || << >> **
    if (op == "&" && next == '.') continue;
    if (op == "<<" && next == '~' && program_.self == Self::Template) fail("a heredoc");
    return known;
  }
  return {};
}

std::string_view Parser::assignment_operator() const {
  static constexpr std::string_view operators[] = {"||=", "&&=", "<<=", ">>=", "**=", "+=", "-=", "*=", "/=", "%=", "|=", "&=", "^="};
  if (at() == '=') return at(1) != '=' && at(1) != '~' && at(1) != '>' ? "=" : "";
  for (std::string_view op : operators)
    if (op[0] == at() && rest().starts_with(op)) return op;
  return {};
}

/// Turns the expression on the left of `=` into the node for the place to assign.
Node* Parser::target_of(Node* node) {
  switch (node->type) {
  case NodeType::Local: {
    const auto& variable = node->as<LocalVariable>();
    return make<LocalVariable>(NodeType::TargetLocal, variable.up, variable.slot);
  }
  case NodeType::Instance: return make<NamedVariable>(NodeType::TargetInstance, node->as<NamedVariable>().name);
  case NodeType::Global: return make<NamedVariable>(NodeType::TargetGlobal, node->as<NamedVariable>().name);
  case NodeType::ClassVariable: return make<NamedVariable>(NodeType::TargetClassVariable, node->as<NamedVariable>().name);
  case NodeType::Constant: {
    const std::string_view name = node->as<Constant>().name;
    if (name.find(':') != std::string_view::npos) break;
    if (methods_ > 0 && program_.self != Self::Scope) fail("a constant that a method sets");
    return make<NamedVariable>(NodeType::TargetConstant, name);
  }
  case NodeType::Call: {
    const auto& call = node->as<Call>();
    const bool plain = call.arguments.empty() && call.block == nullptr;
    if (call.receiver == nullptr && plain && !call.parenthesised) return variable_target(call.name);
    if (call.name == "[]" && !call.safe) return make<IndexTarget>(call.receiver, call.arguments);
    if (call.receiver != nullptr && plain && !only_reads() && is_name_start(call.name[0]) && is_name_part(call.name.back()))
      return make<AttributeTarget>(call.name, call.receiver, call.safe);
    break;
  }
  default: break;
  }
  fail("an assignment to something else than a variable or element");
}

Node* Parser::expression() {
  Node* left = ternary();
  const std::string_view op = peek_assignment_operator();
  return op.empty() ? left : assignment(left, op);
}

Node* Parser::assignment(Node* left, std::string_view op) {
  DepthGuard guard(*this);
  Node* target = target_of(left);
  advance(op.size());
  skip_newlines();
  if (op == "=") {
    Node* value = assigned_value();
    skip_blanks();
    if (accept_keyword(Word::Rescue)) { // in `a = b rescue c` the rescue belongs to the value
      value = rescued(value, expression());
    }
    return program_.make<Assign>(NodeType::Assign, target->line, target, value);
  }
  if (target->type == NodeType::TargetConstant && op != "||=") fail("a constant that changes");
  auto* node = make<OpAssign>(target, nullptr, op.substr(0, op.size() - 1));
  node->value = expression();
  return node;
}

/// The value of `a = …`: `a = 1, 2` and `a = *b` make a list.
Node* Parser::assigned_value() {
  if (only_reads()) return expression();
  auto part = [&](bool first) { return accept('*') ? prefix(NodeType::Splat, &Parser::ternary) : first ? expression() : ternary(); };
  Node* first = part(true);
  skip_blanks();
  if (first->type != NodeType::Splat && (at() != ',' || arguments_ > 0)) return first;
  auto* values = make<ListLiteral>();
  add(values->items, first);
  while (skip_blanks(), arguments_ == 0 && accept(',')) {
    skip_newlines();
    add(values->items, part(false));
  }
  return values;
}

Node* Parser::ternary() {
  Node* condition = binary(0);
  skip_blanks();
  if (at() == '.' && at(1) == '.') {
    condition = range_from(condition);
    skip_blanks();
  }
  if (at() != '?') return condition;
  advance();
  auto* node = make<If>(condition, nullptr, nullptr);
  auto branch = [&] {
    skip_newlines();
    constexpr std::pair<std::string_view, NodeType> before_colon[] = {
        {"nil", NodeType::Nil}, {"true", NodeType::True}, {"false", NodeType::False}};
    for (const auto& [word, type] : before_colon) // no label: `a ? true: false`
      if (node->then == nullptr && rest().starts_with(word) && at(word.size()) == ':' && at(word.size() + 1) != ':') {
        Node* value = make(type);
        advance(word.size());
        return value;
      }
    Node* value = ternary();
    const std::string_view op = peek_assignment_operator();
    return op.empty() ? value : assignment(value, op);
  };
  node->then = branch();
  skip_newlines();
  expect(':');
  node->otherwise = branch();
  return node;
}

Node* Parser::range_from(Node* left) {
  auto* node = make<RangeLiteral>(left, nullptr);
  advance(2);
  node->exclusive = accept('.');
  skip_blanks();
  const bool endless = at() == ']' || at() == ')' || at() == '\n' || at() == ';' || at_keyword(Word::Then);
  node->last = endless ? make(NodeType::Nil) : binary(0);
  return node;
}

/// Parses an operand and the operators of `level` and of all tighter levels.
Node* Parser::binary(int level) {
  DepthGuard guard(*this);
  Node* left = unary();
  skip_blanks();
  return is_char(at(), char_operator) ? operations(left, level) : left;
}

/// Parses the operators from a level on that follow an operand, with their right operands. Operators of one level group from the left.
Node* Parser::operations(Node* left, int level) {
  for (;;) {
    const Operator next = peek_operator();
    if (next.level < level) return left;
    advance(next.text.size());
    skip_newlines();
    Node* right = binary(next.level + 1);
    if (pos_ == command_end_) fail(fmt::format("arguments without parentheses after '{}'", next.text));
    if (next.level < 2 && !only_reads()) // a || b = c
      if (const std::string_view op = peek_assignment_operator(); !op.empty()) right = assignment(right, op);
    if (next.level < 2) {
      left = program_.make<Binary>(next.level == 0 ? NodeType::Or : NodeType::And, left->line, left, right);
    } else {
      if (next.text == "=~" && left->type == NodeType::Regex && left->as<RegexLiteral>().text.find("(?<") != std::string_view::npos)
        fail("named groups that become variables");
      const uint32_t line = left->line;
      left = operation(left, next.text, right);
      left->line = line;
    }
    if (next.level == 2 && peek_operator().level == 2) fail("comparisons in a row");
  }
}

/// Parses an operand: with the signs before it, the calls behind it and its power.
Node* Parser::unary() {
  skip_blanks();
  switch (const char c = at()) {
  case '!':
  case '-':
  case '+':
  case '~':
  case '&':
  case '*':
  case 'd': // defined?
    if (Node* node = prefixed(c)) return node;
    break;
  default: break;
  }
  Node* left = postfix();
  skip_blanks();
  return at() == '*' && at(1) == '*' && at(2) != '=' ? power_of(left) : left;
}

/// Parses what begins with a sign or with `defined?`; null when nothing such stands here.
Node* Parser::prefixed(char c) {
  DepthGuard guard(*this);
  if (c == '!' && at(1) != '=' && at(1) != '~') {
    advance();
    return prefix(NodeType::Not, &Parser::unary);
  }
  if (c == '-' && is_digit(at(1))) {
    advance();
    Number* node = number();
    if (node->type == NodeType::Integer)
      node->integer = -node->integer;
    else
      node->real = -node->real;
    skip_blanks();
    if (rest().starts_with("**")) fail("a power of a negative number");
    return postfix_of(node);
  }
  if ((c == '-' && at(1) != '>') || (c == '+' && at(1) != '=') || c == '~') {
    advance();
    Call* node = operation(nullptr, c == '-' ? "-@" : c == '+' ? "+@" : "~");
    node->receiver = unary();
    return node;
  }
  if (c == '&' || c == '*') fail(fmt::format("'{}' in this place", c));
  if (!rest().starts_with("defined?")) return nullptr;
  advance(8);
  auto* node = make<Unary>(NodeType::Defined, nullptr);
  const bool closed = at() == '(';
  skip_blanks();
  if (accept('(')) {
    skip_newlines();
    node->operand = expression_statement();
    skip_newlines();
    expect(')');
    if (closed) return postfix_of(node);
  } else {
    node->operand = unary();
  }
  return node;
}

/// A node of what stands behind its sign or word.
Node* Parser::prefix(NodeType type, Node* (Parser::*read)()) {
  auto* node = make<Unary>(type, nullptr);
  node->operand = (this->*read)();
  return node;
}

/// A call of an operator.
Call* Parser::operation(Node* left, std::string_view name, Node* right) {
  auto* call = make<Call>();
  call->receiver = left;
  call->name = name;
  call->parenthesised = true;
  if (right != nullptr) add(call->arguments, right);
  return call;
}

Node* Parser::power_of(Node* left) {
  DepthGuard guard(*this);
  advance(2);
  skip_newlines();
  Call* node = operation(left, "**");
  add(node->arguments, unary());
  return node;
}

Node* Parser::postfix() { return postfix_of(primary()); }

/// Parses what follows a value: indexes, calls, constants.
Node* Parser::postfix_of(Node* node) {
  for (;;) {
    const char c = at();
    if (c == '[') { // no blank before it, so it is an index
      Call* call = operation(node, "[]");
      advance();
      arguments(*call, ']');
      node = call;
      continue;
    }
    if (c == ':' && at(1) == ':') {
      if (node->type != NodeType::Constant && only_reads()) fail("'::'");
      advance(2);
      const std::string_view name = identifier();
      if (name.empty()) fail("'::'");
      if (name[0] < 'A' || name[0] > 'Z' || (at() == '(' && !only_reads())) { // a method
        node = call_rest(node, name, false);
        continue;
      }
      const auto* outer = node->to<Constant>();
      if (outer != nullptr && outer->in == nullptr) // with the colons between
        node = make<Constant>(std::string_view(outer->name.data(), static_cast<size_t>(name.end() - outer->name.begin())));
      else
        node = make<Constant>(name, node);
      continue;
    }
    // A chain of calls continues on the next line if that line begins with a dot.
    if (c != '.' && c != '&' && (!is_char(c, char_skipped | char_newline) || pos_ == no_dot_after_)) return node;
    const size_t saved_pos = pos_;
    const uint32_t saved_line = line_;
    skip_newlines();
    const bool safe = at() == '&' && at(1) == '.';
    if (!safe && !(at() == '.' && at(1) != '.')) {
      no_dot_after_ = pos_ = saved_pos;
      line_ = saved_line;
      return node;
    }
    advance(safe ? 2 : 1);
    skip_newlines();
    if (at() == '(') {
      node = call_rest(node, "call", safe);
      continue;
    }
    std::string_view name = identifier();
    if (name.empty()) {
      const size_t length = only_reads() ? 0 : operator_name_length(rest());
      if (length == 0) fail("an operator called with a dot");
      name = rest().substr(0, length);
      advance(length);
    }
    node = call_rest(node, name, safe);
  }
}

/// Parses the arguments and the block of a call, after its name.
Node* Parser::call_rest(Node* receiver, std::string_view name, bool safe) {
  if (is_name_suffix(rest())) {
    ++pos_;
    name = std::string_view(name.data(), name.size() + 1); // the sign stands behind the name
  }
  auto* call = make<Call>();
  call->receiver = receiver;
  call->name = name;
  call->safe = safe;
  if (at() == '(') {
    advance();
    call->parenthesised = true;
    arguments(*call, ')');
    attach_block(*call);
  } else if ((is_blank(at()) || touches_argument(name)) && starts_command_argument()) {
    call->parenthesised = true;
    command_arguments(*call);
    skip_blanks();
    command_end_ = pos_;
  } else {
    attach_block(*call);
  }
  return call;
}

/// Whether what follows a method's name without a blank can only be an argument: `include?x`, `puts"x"`.
bool Parser::touches_argument(std::string_view name) const {
  if (name.empty()) return at() == '"' || at() == '\'' || at() == '@';
  const bool complete = name.ends_with('?') || name.ends_with('!');
  return at() == '"' || at() == '\'' || at() == '@' || (complete && is_name_part(at()));
}

bool Parser::starts_command_argument() const {
  size_t i = pos_;
  while (i < code_.size() && is_blank(code_[i])) ++i;
  auto peek = [&](size_t n) { return i + n < code_.size() ? code_[i + n] : '\0'; };
  auto blank = [](char ch) { return is_char(ch, char_blank | char_newline) || ch == '\0'; };
  char c = peek(0);
  char next = peek(1);
  if (is_name_start(c)) {
    const std::string_view name = code_.substr(i);
    return !has_word(no_value, word_of(name.substr(0, name_length(name))));
  }
  if ((c >= '0' && c <= '9') || c == '"' || c == '\'' || c == '@' || c == '$' || c == '[' || c == '(') return true;
  if (c == ':') return next == '"' || (next != ':' && symbol_length(code_.substr(std::min(i + 1, code_.size()))) > 0);
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
TextLiteral* Parser::label() {
  size_t i = pos_;
  while (i < code_.size() && is_name_part(code_[i])) ++i;
  if (i == pos_ || !is_name_start(at()) || i + 1 >= code_.size() || code_[i] != ':' || code_[i + 1] == ':') return nullptr;
  TextLiteral* key = make_text(NodeType::Symbol, identifier());
  advance();
  return key;
}

/// What stands behind `name:`, or, where nothing does, the value of that name.
Node* Parser::value_of_label(const TextLiteral& key) {
  skip_newlines();
  return at() == ',' || at() == ')' || at() == '}' ? named_value(key.text) : ternary_element();
}

/// The hash without braces that is the last argument: the first pair makes it.
HashLiteral& Parser::bare_hash(HashLiteral*& hash) {
  if (hash == nullptr) hash = make<HashLiteral>();
  hash->bare = true;
  return *hash;
}

void Parser::command_arguments(Arguments& call) {
  DepthGuard guard(*this);
  bool outer = std::exchange(no_do_, true);
  HashLiteral* hash = nullptr;
  do {
    skip_newlines();
    if (accept('&')) {
      call.block = prefix(NodeType::BlockPass, &Parser::ternary);
      break;
    }
    auto add_entry = [&](Node* key) {
      HashLiteral& pairs = bare_hash(hash);
      skip_newlines();
      const auto* named = at() == ',' ? key->to<TextLiteral>() : nullptr;
      add(pairs.pairs, {key, named != nullptr ? named_value(named->text) : element([&] { return ternary(); }, true)});
    };
    if (accept("**")) {
      Node* more = ternary();
      add(bare_hash(hash).pairs, {more, nullptr});
    } else if (accept('*')) {
      add(call.arguments, prefix(NodeType::Splat, &Parser::ternary));
    } else if (Node* key = label()) {
      add_entry(key);
    } else {
      Node* argument = element([&] { return ternary(); }, true);
      skip_blanks();
      if (accept("=>")) {
        add_entry(argument);
      } else if (!only_reads() && argument->type == NodeType::String && at() == ':' && at(1) != ':') {
        advance();
        argument->type = NodeType::Symbol;
        add_entry(argument);
      } else {
        if (const std::string_view op = peek_assignment_operator(); !op.empty()) {
          if (only_reads()) fail("an assignment as an argument");
          ++arguments_;
          argument = assignment(argument, op);
          --arguments_;
        }
        add(call.arguments, argument);
      }
    }
    skip_blanks();
  } while (accept(','));
  if (hash != nullptr) add(call.arguments, hash);
  no_do_ = outer;
  skip_blanks();
  if (call.block == nullptr && !no_do_ && accept_keyword(Word::Do)) call.block = block_in('\0');
}

void Parser::arguments(Arguments& call, char closing) {
  DepthGuard guard(*this);
  struct Inside {
    explicit Inside(int& n) : count(n) { ++count; }
    ~Inside() { --count; }
    int& count;
  } inside(arguments_);
  bool outer = std::exchange(no_do_, false);
  HashLiteral* hash = nullptr;
  skip_newlines();
  while (at() != closing) {
    if (done()) fail(fmt::format("'{}' is missing", closing));
    if (closing == ')' && at() == '.' && accept("...")) {
      pass_all_arguments(call, hash);
    } else if (at() == '&') {
      advance();
      call.block = prefix(NodeType::BlockPass, &Parser::ternary_element);
    } else if (accept("**")) {
      Node* more = ternary_element();
      add(bare_hash(hash).pairs, {more, nullptr});
    } else if (at() == '*') {
      advance();
      add(call.arguments, prefix(NodeType::Splat, &Parser::ternary_element));
    } else {
      TextLiteral* const named = label();
      Node* key = nullptr;
      if (named == nullptr) {
        Node* argument = element([&] { return expression(); });
        skip_newlines();
        bool quoted_label = argument->type == NodeType::String && at() == ':' && at(1) != ':';
        if (quoted_label) argument->type = NodeType::Symbol;
        if (accept(quoted_label ? ":" : "=>"))
          key = argument;
        else
          add(call.arguments, argument);
      }
      if (named != nullptr || key != nullptr) {
        HashLiteral& pairs = bare_hash(hash);
        skip_newlines();
        add(pairs.pairs, named != nullptr ? HashLiteral::Pair{named, value_of_label(*named)} : HashLiteral::Pair{key, ternary_element()});
      }
    }
    skip_newlines();
    if (!accept(',')) break;
    skip_newlines();
  }
  skip_newlines();
  if (closing != '\0') expect(closing);
  if (hash != nullptr) add(call.arguments, hash);
  no_do_ = outer;
}

void Parser::attach_block(Arguments& call) {
  size_t saved_pos = pos_;
  uint32_t saved_line = line_;
  skip_blanks();
  if (at() == '{') {
    advance();
    if (call.block != nullptr) fail("two blocks");
    call.block = block_in('}');
  } else if (!no_do_ && accept_keyword(Word::Do)) {
    if (call.block != nullptr) fail("two blocks");
    call.block = block_in('\0');
  } else {
    pos_ = saved_pos;
    line_ = saved_line;
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// primaries

Node* Parser::primary() {
  skip_blanks();
  const char c = at();
  if (is_name_start(c)) return identifier_expression();
  if (c == '\0') fail("the end of the template");
  if (is_digit(c)) return number();
  switch (c) {
  case '"': {
    advance();
    return joined_with_next(double_quoted('\0', '"', NodeType::String));
  }
  case '\'': {
    advance();
    return joined_with_next(single_quoted('\0', '\'', NodeType::String));
  }
  case '`': advance(); return command('\0', '`');
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
    auto* node = make<ListLiteral>();
    Arguments items;
    arguments(items, ']');
    if (items.block != nullptr) fail("& in a list");
    node->items = items.arguments;
    return node;
  }
  case '(': {
    advance();
    Node* node = statements({0, ')'});
    skip_terminators();
    expect(')');
    return node;
  }
  case '?':
    if (Node* character = character_literal()) return character;
    break;
  case '.':
    if (at(1) == '.' && !only_reads()) return range_from(make(NodeType::Nil)); // ..5
    break;
  case '@': {
    advance();
    if (at() == '@') return class_variable();
    if (!is_name_start(at())) fail("'@'");
    return make<NamedVariable>(NodeType::Instance, identifier());
  }
  case '$': advance(); return global_variable();
  case text_mark: return text_piece();
  case output_mark: {
    if (methods_ > 0) fail("output in a method");
    advance();
    auto* node = make<Unary>(NodeType::Output, nullptr);
    node->operand = statements({});
    if (at() != output_end) fail("the end of an output tag");
    advance();
    return node;
  }
  default: break;
  }
  if (accept("->")) return lambda_literal();
  if (rest().starts_with("<<")) return heredoc();
  fail(fmt::format("unexpected '{}'", c == output_end ? std::string("%>") : std::string(1, c)));
}

/// Parses ?a, after which no name goes on; null when something else stands here.
Node* Parser::character_literal() {
  if (only_reads() || !(is_name_part(at(1)) || std::string_view("/.,:-+*").find(at(1)) != std::string_view::npos) || is_name_part(at(2)))
    return nullptr;
  Node* node = make_text(NodeType::String, rest().substr(1, 1));
  advance(2);
  return node;
}

/// Parses @@name, after its first @.
Node* Parser::class_variable() {
  if (only_reads()) fail("a class variable");
  advance();
  if (!is_name_start(at())) fail("'@@'");
  return make<NamedVariable>(NodeType::ClassVariable, identifier());
}

/// Parses what stands behind a $.
Node* Parser::global_variable() {
  if (std::string_view("~&'`").find(at()) != std::string_view::npos) {
    auto* part = make<MatchGroup>(0, at());
    advance();
    return part;
  }
  if (!only_reads() && (is_name_start(at()) || at() == '0' || std::string_view("!;/,@:").find(at()) != std::string_view::npos)) {
    const size_t begin = pos_;
    if (identifier().empty()) advance();
    return make<NamedVariable>(NodeType::Global, code_.substr(begin, pos_ - begin));
  }
  if (at() < '1' || at() > '9') fail("a global variable");
  auto* group = make<MatchGroup>(0);
  for (; is_digit(at()) && group->number < 1000; advance()) group->number = group->number * 10 + (at() - '0');
  return group;
}

/// Parses the mark of a piece of a template's text.
Node* Parser::text_piece() {
  if (program_.self != Self::Template && !program_.rendered) fail("a control character");
  if (methods_ > 0) fail("text in a method"); // it would belong to the variable of the template around it
  ++pos_;
  auto* node = make<TextPiece>();
  for (; is_digit(at()); ++pos_) node->number = node->number * 10 + static_cast<size_t>(at() - '0');
  expect(text_end);
  return node;
}

} // namespace pupc::compiler::ruby
