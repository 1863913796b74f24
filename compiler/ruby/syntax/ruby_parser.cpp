// Statements, control structures, blocks.
#include "compiler/ruby/syntax/ruby_parser.h"

#include <fmt/format.h>

#include <algorithm>

namespace pupc::compiler::ruby {

void Parser::parse() {
  scopes_.emplace_back();
  if (program_.self == Self::Scope && !program_.rendered) methods_ = 1; // the block of newfunction becomes a method
  program_.body = statements({});
  if (!done()) fail(fmt::format("unexpected '{}'", at() == output_end ? std::string("%>") : std::string(1, at())));
  // ERB ends its code with the output buffer as the value. A comment at the end of the template swallows that, and the value of the last
  // statement becomes the result.
  const NodeList& all = program_.body->statements;
  if ((program_.self == Self::Template || program_.rendered) && ends_in_comment_ &&
      (all.empty() || (all.back()->type != NodeType::Text && all.back()->type != NodeType::Output)))
    fail("a comment at the end of the template");
  program_.slots = static_cast<int32_t>(scopes_.back().names.size());
}

void Parser::skip_blanks_here() {
  for (;;) {
    size_t i = pos_;
    while (i < code_.size() && is_char(code_[i], char_blank)) ++i;
    pos_ = i;
    const char c = at();
    if (c == '\\' && at(1) == '\n') {
      advance(2);
    } else if (c == '#') {
      pos_ = std::min(code_.find('\n', pos_), code_.size());
      ends_in_comment_ |= done();
      return;
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
  auto* clause = make<Rescue>();
  clause->body = other;
  auto* node = make<Begin>(value);
  add(node->rescues, clause);
  return node;
}

/// Skips blanks, comments and the characters of the classes.
void Parser::skip_here(unsigned classes) {
  for (;;) {
    const char c = at();
    if (is_char(c, classes)) {
      ++pos_;
      if (c == '\n') begin_line();
    } else {
      const size_t before = pos_;
      skip_blanks();
      if (pos_ == before) return;
    }
  }
}

void Parser::read_word() {
  const size_t length = name_length(rest());
  word_at_ = pos_;
  word_end_ = pos_ + length;
  word_ = word_of(rest().substr(0, length));
  word_is_keyword_ = word_ != Word::None;
  if (!word_is_keyword_) return;
  const char after = at(length);
  if (after == '?' || after == '!' || (after == ':' && at(length + 1) != ':')) word_ = Word::None;
}

bool Parser::accept_keyword(Word wanted) {
  if (word() != wanted) return false;
  skip_word();
  return true;
}

void Parser::expect_keyword(Word wanted, std::string_view spelling) {
  skip_terminators();
  if (!accept_keyword(wanted)) missing(spelling);
}

bool Parser::accept(std::string_view s) {
  if (at() != s[0] || !rest().starts_with(s)) return false;
  advance(s.size());
  return true;
}

void Parser::missing(std::string_view what) const { fail(fmt::format("'{}' is missing", what)); }

std::string_view Parser::identifier() {
  const size_t begin = pos_;
  size_t end = begin;
  while (end < code_.size() && is_name_part(code_[end])) ++end;
  pos_ = end;
  return code_.substr(begin, end - begin);
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

Sequence* Parser::statements(Ends ends) {
  DepthGuard guard(*this);
  bool outer_no_do = std::exchange(no_do_, false);
  const int outer_arguments = std::exchange(arguments_, 0);
  auto* sequence = make<Sequence>();
  const bool of_output = ends.words == 0 && ends.closing == '\0';
  for (;;) {
    skip_terminators();
    if (done() || at_end_of(ends)) break;
    if (of_output && at() == output_end) break;
    add(sequence->statements, at() == text_mark ? text_piece() : statement()); // nothing continues a piece of text
    skip_blanks();
    if (done() || at() == '\n' || at() == ';' || at() == output_end || at_end_of(ends)) continue;
    fail(fmt::format("unexpected '{}'", std::string(rest().substr(0, std::min<size_t>(12, rest().find('\n'))))));
  }
  no_do_ = outer_no_do;
  arguments_ = outer_arguments;
  return sequence;
}

Node* Parser::statement() {
  Node* node = expression_statement();
  for (;;) {
    skip_blanks();
    const Word modifier = word();
    const uint32_t line = line_;
    switch (modifier) {
    case Word::If:
    case Word::Unless: {
      skip_word();
      Node *condition = expression_statement(), *none = nullptr;
      const bool unless = modifier == Word::Unless;
      node = program_.make<If>(NodeType::If, line, condition, unless ? none : node, unless ? node : none);
      break;
    }
    case Word::While:
    case Word::Until: {
      skip_word();
      Node* condition = expression_statement();
      const auto* begin = node->to<Begin>();
      node = make<While>(condition, node, modifier == Word::Until, begin != nullptr && begin->word);
      break;
    }
    case Word::Rescue: {
      skip_word();
      Node* other = expression_statement();
      node = rescued(node, other);
      break;
    }
    default:
      if (!only_reads() && at() == '=' && at(1) == '>') { // value => pattern
        advance(2);
        auto* result = make<Matches>(node, nullptr);
        result->pattern = top_pattern();
        node = result;
        break;
      }
      return node;
    }
  }
}

Node* Parser::expression_statement() {
  Node* left = matched_expression();
  for (;;) {
    skip_blanks();
    const Word conjunction = word();
    if (conjunction != Word::And && conjunction != Word::Or) return left;
    skip_word();
    skip_newlines();
    auto* node = make<Binary>(conjunction == Word::And ? NodeType::And : NodeType::Or, left, nullptr);
    node->right = matched_expression();
    left = node;
  }
}

/// Also `value in pattern`.
Node* Parser::matched_expression() {
  Node* node = not_expression();
  while (!only_reads() && (skip_blanks(), accept_keyword(Word::In))) {
    auto* result = make<Matches>(node, nullptr, true);
    result->pattern = top_pattern();
    node = result;
  }
  return node;
}

Node* Parser::not_expression() {
  skip_blanks();
  if (accept_keyword(Word::Not)) {
    DepthGuard guard(*this);
    return prefix(NodeType::Not, &Parser::not_expression);
  }
  if (at_multiple_assignment()) return multiple_assignment();
  Node* node = expression();
  skip_blanks();
  if (at() == ',' && !only_reads() && at_other_targets(*node)) return multiple_assignment_from(node);
  return node;
}

/// Whether `a, b = …`, `(a, b), c = …` or `*a, b = …` stands here. It looks ahead for names, commas and the equals sign.
bool Parser::at_multiple_assignment() const {
  const char first = at();
  if (!is_name_start(first) && first != '@' && first != '(' && first != '*') return false;
  bool comma = false, named = false; // behind a name
  int parentheses = 0;
  size_t i = pos_;
  for (; i < code_.size(); ++i) {
    const char c = code_[i];
    if (is_char(c, char_name | char_digit | char_target)) {
      named = named || is_name_part(c);
      continue;
    }
    if (c == '(' && named) return false; // def name(a, b) = …
    named = false;
    if (c == ',')
      comma = true;
    else if (c == '(')
      ++parentheses;
    else if (c == ')')
      --parentheses;
    else
      break;
  }
  if (!comma || parentheses != 0 || i >= code_.size() || code_[i] != '=') return false;
  const char next = i + 1 < code_.size() ? code_[i + 1] : '\0';
  return next != '=' && next != '~' && next != '>';
}

/// Whether a list of targets begins with this expression, of which at_multiple_assignment() has not known one: `a.b, c[1] = …`.
bool Parser::at_other_targets(const Node& first) const {
  if (first.type != NodeType::Call && first.type != NodeType::Local && first.type != NodeType::Instance) return false;
  int depth = 0;
  for (size_t i = pos_; i < code_.size(); ++i) {
    const char c = code_[i];
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == ']' || c == '}') --depth;
    if (depth < 0 || c == '\n' || c == ';' || c == '"' || c == '\'' || c == '#' || c == text_mark || c == output_end) return false;
    if (depth == 0 && c == '=') {
      const char next = i + 1 < code_.size() ? code_[i + 1] : '\0', before = code_[i - 1];
      return next != '=' && next != '~' && next != '>' && !is_char(before, char_operator);
    }
  }
  return false;
}

Node* Parser::multiple_assignment_from(Node* first) {
  auto* node = make<AssignMany>();
  add(node->targets, target_of(first));
  while (skip_blanks(), accept(',')) {
    skip_blanks();
    if (at() == '=') break;
    const bool splat = accept('*');
    Node* target = target_of(postfix());
    add(node->targets, splat ? make<RestTarget>(NodeType::TargetSplat, target) : target);
  }
  expect('=');
  node->value = assigned_values();
  return node;
}

Node* Parser::multiple_assignment() {
  auto* node = make<AssignMany>();
  auto target = [&](auto&& self) -> Node* {
    skip_blanks();
    if (accept('*')) {
      auto* splat = make<RestTarget>(NodeType::TargetSplat);
      skip_blanks();
      if (is_name_start(at()) || at() == '@') splat->target = self(self);
      return splat;
    }
    if (accept('(')) {
      auto* many = make<ManyTarget>();
      do add(many->targets, self(self));
      while (skip_blanks(), accept(','));
      expect(')');
      return many;
    }
    if (accept('@')) return make<NamedVariable>(NodeType::TargetInstance, identifier());
    const std::string_view name = identifier();
    if (name.empty()) fail("a target of an assignment");
    return variable_target(name);
  };
  for (;;) {
    skip_blanks();
    if (at() == '=') break; // a, = list
    add(node->targets, target(target));
    skip_blanks();
    if (accept(',')) continue;
    if (node->targets.size() == 1 && node->targets[0]->type == NodeType::TargetMany) // (a, b) = list is a, b = list
      node->targets = node->targets[0]->as<ManyTarget>().targets;
    break;
  }
  expect('=');
  node->value = assigned_values();
  return node;
}

/// Parses the values of an assignment to several targets.
Node* Parser::assigned_values() {
  skip_newlines();
  NodeList values;
  do {
    skip_newlines();
    add(values, accept('*') ? prefix(NodeType::Splat, &Parser::ternary) : values.empty() ? expression() : ternary());
    skip_blanks();
  } while (accept(','));
  if (values.size() == 1 && values.back()->type != NodeType::Splat) return values.back();
  return make<ListLiteral>(values);
}

// ---------------------------------------------------------------------------------------------------------------------
// control structures: each function starts just after the keyword

/// Skips what stands between a condition and its body: the keyword (`then`, `do`) or the end of a line or statement, as Ruby requires.
void Parser::expect_body(Word keyword) {
  skip_blanks();
  if (accept_keyword(keyword) || done() || at() == '\n' || at() == ';') return;
  fail(fmt::format("unexpected '{}'", std::string(rest().substr(0, std::min<size_t>(12, rest().find('\n'))))));
}

Node* Parser::if_statement(bool unless) {
  auto* node = make<If>(nullptr, nullptr, nullptr);
  node->condition = expression_statement();
  expect_body(Word::Then);
  node->then = statements({words_of(Word::Elsif, Word::Else, Word::End)});
  node->otherwise = unless ? else_part() : if_tail();
  if (unless) std::swap(node->then, node->otherwise);
  return node;
}

Node* Parser::if_tail() {
  DepthGuard guard(*this);
  return accept_keyword(Word::Elsif) ? if_statement(false) : else_part();
}

/// Parses `else`, which may be missing, and `end`.
Node* Parser::else_part() {
  Node* other = accept_keyword(Word::Else) ? statements({words_of(Word::End)}) : nullptr;
  expect_keyword(Word::End, "end");
  return other;
}

Node* Parser::case_statement() {
  auto* node = make<Case>();
  skip_blanks();
  if (at() != '\n' && at() != ';' && !at_keyword(Word::When)) node->subject = not_expression();
  skip_terminators();
  if (at_keyword(Word::In) && !only_reads()) return case_in(node);
  if (!at_keyword(Word::When)) fail("text or code between case and when");
  while (accept_keyword(Word::When)) {
    auto* when = make<When>();
    do {
      skip_newlines();
      add(when->values, accept('*') ? prefix(NodeType::Splat, &Parser::ternary) : ternary());
      skip_blanks();
    } while (accept(','));
    expect_body(Word::Then);
    when->body = statements({words_of(Word::When, Word::Else, Word::End)});
    add(node->branches, when);
  }
  node->otherwise = else_part();
  return node;
}

Node* Parser::while_statement(bool until) {
  auto* node = make<While>();
  node->until = until;
  node->condition = loop_head();
  node->body = statements({words_of(Word::End)});
  expect_keyword(Word::End, "end");
  return node;
}

/// Parses what stands between the word of a loop and its body.
Node* Parser::loop_head() {
  const bool outer = std::exchange(no_do_, true);
  Node* head = expression_statement();
  no_do_ = outer;
  expect_body(Word::Do);
  return head;
}

Node* Parser::for_statement() {
  auto* node = make<For>(nullptr, nullptr, nullptr);
  auto* many = make<ManyTarget>();
  do {
    skip_blanks();
    const std::string_view name = identifier();
    if (name.empty()) fail("a for loop's variable");
    add(many->targets, variable_target(name));
    skip_blanks();
  } while (accept(','));
  if (!accept_keyword(Word::In)) fail("a for loop");
  node->target = many->targets.size() == 1 ? many->targets.back() : many;
  node->list = loop_head();
  node->body = statements({words_of(Word::End)});
  expect_keyword(Word::End, "end");
  return node;
}

Node* Parser::begin_statement() {
  Node* node = guarded_body();
  expect_keyword(Word::End, "end");
  if (node->type != NodeType::Begin) node = make<Begin>(node);
  node->as<Begin>().word = true;
  return node;
}

/// Parses a body with its rescue, else and ensure clauses, up to its end. Returns a Sequence, or a Begin if there are clauses.
Node* Parser::guarded_body() {
  constexpr Ends clause_ends = {words_of(Word::Rescue, Word::Else, Word::Ensure, Word::End)};
  Node* body = statements(clause_ends);
  if (!at_keyword(Word::Rescue) && !at_keyword(Word::Ensure)) return body;
  auto* node = make<Begin>(body);
  while (accept_keyword(Word::Rescue)) {
    auto* clause = make<Rescue>();
    skip_blanks();
    while (at() != '\n' && at() != ';' && !at_keyword(Word::Then) && !rest().starts_with("=>")) {
      if (at() == '*' && only_reads()) fail("rescue of a list");
      add(clause->classes, accept('*') ? prefix(NodeType::Splat, &Parser::ternary) : ternary());
      skip_blanks();
      if (!accept(',')) break;
      skip_newlines();
    }
    if (accept("=>")) {
      skip_blanks();
      if (at() == '@' && !only_reads()) {
        clause->target = target_of(primary());
      } else {
        const std::string_view name = identifier();
        if (name.empty()) fail("rescue => something else than a variable");
        clause->target = variable_target(name);
      }
      skip_blanks();
    }
    expect_body(Word::Then);
    clause->body = statements(clause_ends);
    add(node->rescues, clause);
  }
  if (accept_keyword(Word::Else)) node->otherwise = statements({words_of(Word::Ensure, Word::End)});
  if (accept_keyword(Word::Ensure)) node->ensure = statements({words_of(Word::End)});
  return node;
}

// ---------------------------------------------------------------------------------------------------------------------
// blocks

/// Parses a block after its `do` or `{`. `closing`: the brace that ends it; NUL when `end` does.
Block* Parser::block_in(char closing) {
  if (has_tokens()) return unread_block(pos_ - (closing == '\0' ? 2 : 1));
  auto* block = make<Block>();
  scopes_.emplace_back();
  bool outer_no_do = std::exchange(no_do_, false);
  skip_newlines();
  if (at() == '|') block_parameters(*block);
  scopes_.back().of_block = block->parameters.empty();
  block->body = closing == '\0' ? guarded_body() : statements({0, closing});
  closing == '\0' ? expect("end") : expect(closing);
  no_do_ = outer_no_do;
  numbered_parameters(*block);
  block->slots = static_cast<int32_t>(scopes_.back().names.size());
  scopes_.pop_back();
  return block;
}

void Parser::block_parameters(Block& block) {
  expect('|');
  skip_newlines();
  while (at() != '|') {
    if (at() == ';') { // |a; b|: b is the block's own
      advance();
      do {
        skip_newlines();
        own_variable(identifier());
        skip_newlines();
      } while (accept(','));
      continue;
    }
    add(block.parameters, parameter('|'));
    skip_newlines();
    if (accept(',')) {
      skip_newlines();
      if (at() == '|') block.takes_first = true;
    } else if (at() != '|' && at() != ';') {
      fail("a block's parameter");
    }
  }
  expect('|');
}

/// Gives a block the parameters _1 to _n of which its body names the last.
void Parser::numbered_parameters(Block& block) {
  if (!scopes_.back().of_block) return;
  constexpr std::string_view numbered[] = {"_1", "_2", "_3", "_4", "_5", "_6", "_7", "_8", "_9"};
  size_t n = std::size(numbered);
  const auto named = [&](std::string_view name) { return std::ranges::find(scopes_.back().names, name) != scopes_.back().names.end(); };
  while (n > 0 && !named(numbered[n - 1])) --n;
  for (size_t i = 0; i < n; ++i) add(block.parameters, variable_target(numbered[i]));
}

/// Declares a new variable of the innermost block or method. It hides an outer variable of the same name.
LocalVariable* Parser::own_variable(std::string_view name) {
  if (name.empty()) fail("a parameter");
  const auto& names = scopes_.back().names;
  if (name[0] != '_' && std::find(names.begin(), names.end(), name) != names.end()) fail("two parameters of one name");
  auto* local = make<LocalVariable>(NodeType::TargetLocal, 0, static_cast<int32_t>(names.size()), name);
  scopes_.back().names.push_back(name);
  return local;
}

Node* Parser::parameter(char closing) {
  DepthGuard guard(*this);
  auto named = [&](NodeType type) {
    auto* node = make<RestTarget>(type);
    skip_blanks();
    if (is_name_start(at())) node->target = own_variable(identifier());
    return node;
  };
  if (accept("**")) return named(NodeType::TargetKeywords);
  if (accept('*')) return named(NodeType::TargetSplat);
  if (accept('&')) return named(NodeType::TargetBlock);
  if (accept('(')) {
    auto* many = make<ManyTarget>();
    do {
      skip_newlines();
      add(many->targets, parameter(')'));
      skip_newlines();
    } while (accept(','));
    expect(')');
    return many;
  }
  const std::string_view name = identifier();
  if (at() == ':' && at(1) != ':') {
    advance();
    auto* keyword = make<OptionalParameter>(NodeType::TargetKeyword, own_variable(name), nullptr, name);
    skip_blanks();
    if (at() != ',' && at() != closing && at() != '\n' && !done()) keyword->default_value = default_value(closing);
    return keyword;
  }
  Node* local = own_variable(name);
  skip_blanks();
  if (at() != '=') return local;
  advance();
  skip_newlines();
  auto* node = make<OptionalParameter>(NodeType::TargetDefault, local, nullptr);
  node->default_value = default_value(closing);
  return node;
}

/// Parses the default value of a parameter. Among a block's parameters `|` ends the value, so there only operators from level 6 (`<<`,
/// `>>`) on may stand outside of brackets and parentheses.
Node* Parser::default_value(char closing) { return closing == '|' ? binary(6) : ternary(); }

/// The variables of `(...)` in a method's parameters, whose names no code can say.
constexpr std::pair<NodeType, std::string_view> all_arguments[] = {
    {NodeType::TargetSplat, "...*"}, {NodeType::TargetKeywords, "...**"}, {NodeType::TargetBlock, "...&"}};

/// Adds all that the method was called with: `(...)` in a call.
void Parser::pass_all_arguments(Arguments& call, HashLiteral*& hash) {
  for (const auto& [type, name] : all_arguments) {
    int32_t up = 0, slot = 0;
    if (!find_local(name, up, slot)) fail("... outside of a method that takes it");
    auto* variable = make<LocalVariable>(up, slot);
    if (type == NodeType::TargetKeywords)
      add(bare_hash(hash).pairs, {variable, nullptr});
    else if (type == NodeType::TargetSplat)
      add(call.arguments, make<Unary>(NodeType::Splat, variable));
    else
      call.block = make<Unary>(NodeType::BlockPass, variable);
  }
}

/// Parses a method definition, after `def`.
Node* Parser::def_statement() {
  DepthGuard guard(*this);
  skip_blanks();
  auto* node = make<Def>();
  node->code_begin = pos_;
  node->name = method_name();
  if (at() == '.' && !only_reads()) { // of one object: self.name, Constant.name
    if (node->name == "self") {
      node->of = make(NodeType::Self);
    } else if (int32_t up = 0, slot = 0; find_local(node->name, up, slot)) {
      node->of = make<LocalVariable>(up, slot);
    } else {
      if (node->name[0] < 'A' || node->name[0] > 'Z') fail("a method of this object");
      node->of = make<Constant>(node->name);
    }
    advance();
    node->name = method_name();
  }
  if (node->name.empty() || node->name == "self" || at() == '.') fail("a method's name");
  std::vector<Variables> outer = std::exchange(scopes_, {}); // a method does not see the variables around it
  scopes_.emplace_back();
  ++methods_;
  bool parentheses = accept('(');
  if (!parentheses) skip_blanks();
  if (parentheses) skip_newlines();
  while (parentheses ? at() != ')' : at() != '\n' && at() != ';' && at() != '=') {
    if (done()) fail("a method's parameters");
    if (parentheses && accept("...")) {
      for (const auto& [type, name] : all_arguments) {
        auto* rest = make<RestTarget>(type);
        rest->target = own_variable(name);
        add(node->parameters, rest);
      }
      skip_newlines();
      break;
    }
    add(node->parameters, parameter(parentheses ? ')' : '\n'));
    parentheses ? skip_newlines() : skip_blanks();
    if (!accept(',')) break;
    skip_newlines();
  }
  if (parentheses) expect(')');
  skip_blanks();
  if (accept('=')) { // a method without end; a modifier behind it is not its own, so leave that to Ruby
    skip_newlines();
    node->body = expression();
    skip_blanks();
    if (!done() && at() != '\n' && at() != ';' && at() != '#' && at() != '}') fail("a method without end");
  } else {
    node->body = guarded_body();
    expect_keyword(Word::End, "end");
  }
  node->slots = static_cast<int32_t>(scopes_.back().names.size());
  node->code_end = pos_;
  scopes_ = std::move(outer);
  --methods_;
  if (classes_ == 0 && node->of == nullptr) program_.methods.emplace(node->name);
  return node;
}

/// Parses a lambda, after `->`.
Node* Parser::lambda_literal() {
  DepthGuard guard(*this);
  if (has_tokens()) return unread_lambda(pos_ - 2);
  auto* node = make<Lambda>();
  auto* block = make<Block>();
  scopes_.emplace_back();
  skip_blanks();
  bool parentheses = accept('(');
  if (parentheses) skip_newlines();
  while (parentheses ? at() != ')' : at() != '{' && !at_keyword(Word::Do)) {
    if (done() || at() == '\n') fail("a lambda's parameters");
    add(block->parameters, parameter(parentheses ? ')' : '{'));
    parentheses ? skip_newlines() : skip_blanks();
    if (!accept(',')) break;
    skip_newlines();
  }
  if (parentheses) expect(')');
  skip_blanks();
  bool braces = accept('{');
  if (!braces && !accept_keyword(Word::Do)) fail("a lambda");
  bool outer_no_do = std::exchange(no_do_, false);
  scopes_.back().of_block = block->parameters.empty();
  block->body = braces ? statements({0, '}'}) : guarded_body();
  expect(braces ? "}" : "end");
  no_do_ = outer_no_do;
  numbered_parameters(*block);
  block->slots = static_cast<int32_t>(scopes_.back().names.size());
  scopes_.pop_back();
  node->block = block;
  return node;
}

} // namespace pupc::compiler::ruby
