// Pattern matching: case … in, value in pattern, value => pattern.
#include "compiler/ruby/syntax/ruby_parser.h"

#include <fmt/format.h>

namespace pupc::compiler::ruby {

/// Parses the branches of `case subject` that begin with `in`.
Node* Parser::case_in(Case* node) {
  node->type = NodeType::CaseIn;
  constexpr Ends branch_ends = {words_of(Word::In, Word::Else, Word::End)};
  while (accept_keyword(Word::In)) {
    auto* branch = make<In>();
    branch->pattern = top_pattern();
    skip_blanks();
    if (at_keyword(Word::If) || at_keyword(Word::Unless)) {
      branch->unless = at_keyword(Word::Unless);
      skip_word();
      branch->guard = expression_statement();
    }
    skip_blanks();
    accept_keyword(Word::Then);
    branch->body = statements(branch_ends);
    add(node->branches, branch);
  }
  node->otherwise = else_part();
  return node;
}

LocalVariable* Parser::variable_target(std::string_view name) {
  auto* target = make<LocalVariable>(NodeType::TargetLocal);
  declare(name, target->up, target->slot);
  return target;
}

/// Whether a key of a hash pattern stands here: `name:` or "name":.
bool Parser::at_pattern_key() const {
  size_t i = pos_;
  if (at() == '"') {
    i = code_.find('"', pos_ + 1);
    return i != std::string_view::npos && i + 1 < code_.size() && code_[i + 1] == ':' && (i + 2 >= code_.size() || code_[i + 2] != ':');
  }
  while (i < code_.size() && is_name_part(code_[i])) ++i;
  return i > pos_ && is_name_start(at()) && i < code_.size() && code_[i] == ':' && (i + 1 >= code_.size() || code_[i + 1] != ':');
}

/// A pattern with its brackets left out: `in a, *b`, `in name:`.
Node* Parser::top_pattern() {
  skip_blanks();
  if (at_pattern_key() || rest().starts_with("**")) return pattern_hash(nullptr, '\0');
  if (at() == '*') return pattern_list(nullptr, '\0');
  const size_t begin = pos_;
  const uint32_t line = line_;
  Node* first = pattern();
  skip_blanks();
  if (at() != ',') return first;
  pos_ = begin;
  line_ = line;
  return pattern_list(nullptr, '\0');
}

Node* Parser::pattern() {
  DepthGuard guard(*this);
  skip_blanks();
  Node* node = pattern_primary();
  skip_blanks();
  if (at() == '|') {
    auto* any = make<PatternAny>();
    add(any->patterns, node);
    while (skip_blanks(), accept('|')) {
      skip_newlines();
      add(any->patterns, pattern_primary());
    }
    node = any;
  }
  while (skip_blanks(), accept("=>")) {
    skip_blanks();
    const std::string_view name = identifier();
    if (name.empty()) fail("a pattern's variable");
    node = make<PatternBind>(node, variable_target(name));
  }
  return node;
}

Node* Parser::pattern_primary() {
  skip_blanks();
  if (accept('[')) return pattern_list(nullptr, ']');
  if (accept('{')) return pattern_hash(nullptr, '}');
  if (accept('(')) {
    skip_newlines();
    Node* inner = pattern();
    skip_newlines();
    expect(')');
    return inner;
  }
  if (accept('^')) { // the value of a variable
    if (accept('(')) {
      Node* value = expression_statement();
      expect(')');
      return value;
    }
    return primary();
  }
  if (at_word() && word() == Word::None && !(at() >= 'A' && at() <= 'Z')) {
    const size_t length = name_length(rest());
    const char after = at(length);
    if (after != '(' && after != '.' && after != '[' && !is_name_suffix(rest().substr(length))) return variable_target(identifier());
    fail("a pattern");
  }
  if (at() >= 'A' && at() <= 'Z') {
    Node* constant = make<Constant>(constant_path());
    if (at() == '(' || at() == '[') {
      const char closing = at() == '(' ? ')' : ']';
      advance();
      skip_newlines();
      return at_pattern_key() || rest().starts_with("**") ? pattern_hash(constant, closing) : pattern_list(constant, closing);
    }
    if (at() == '.' && at(1) == '.') return range_from(constant);
    return constant;
  }
  if (at() == '.' && at(1) == '.') return range_from(make(NodeType::Nil));
  Node* value = binary(5); // `|` separates alternatives
  skip_blanks();
  return at() == '.' && at(1) == '.' ? range_from(value) : value;
}

Node* Parser::pattern_splat(NodeType type) {
  auto* splat = make<RestTarget>(type);
  if (is_name_start(at()) && word() == Word::None) splat->target = variable_target(identifier());
  return splat;
}

/// The elements of a list, after its bracket.
Node* Parser::pattern_list(Node* constant, char closing) {
  auto* node = make<PatternList>(constant);
  const bool bare = closing == '\0';
  for (;;) {
    bare ? skip_blanks() : skip_newlines();
    if (!bare && at() == closing) break;
    if (bare && (at() == '\n' || at() == ';' || at_keyword(Word::Then) || at_keyword(Word::If) || at_keyword(Word::Unless))) {
      node->open = true; // `in a,`
      break;
    }
    add(node->patterns, accept('*') ? pattern_splat(NodeType::TargetSplat) : pattern());
    bare ? skip_blanks() : skip_newlines();
    if (!accept(',')) break;
    if (!bare && (skip_newlines(), at() == closing)) node->open = true;
  }
  if (!bare) expect(closing);
  return node;
}

/// The keys of a hash, after its bracket.
Node* Parser::pattern_hash(Node* constant, char closing) {
  auto* node = make<PatternHash>(constant);
  const bool bare = closing == '\0';
  for (;;) {
    bare ? skip_blanks() : skip_newlines();
    if (!bare && at() == closing) break;
    if (accept("**")) {
      if (accept_keyword(Word::Nil))
        node->whole = true;
      else
        node->rest = pattern_splat(NodeType::TargetKeywords);
    } else {
      TextLiteral* key = nullptr;
      if (accept('"')) {
        key = double_quoted('\0', '"', NodeType::Symbol);
        if (!key->parts.empty()) fail("a pattern's key");
        expect(':');
      } else {
        key = label();
      }
      if (key == nullptr) fail("a pattern's key");
      skip_blanks();
      Node* value = nullptr;
      if (done() || at() == ',' || at() == '\n' || at() == ';' || at() == output_end || at() == ')' || at() == ']' || at() == '}' ||
          at_keyword(Word::Then) || at_keyword(Word::If) || at_keyword(Word::Unless) || at_keyword(Word::And) || at_keyword(Word::Or))
        value = variable_target(key->text);
      else
        value = pattern();
      add(node->pairs, {key->text, value});
    }
    bare ? skip_blanks() : skip_newlines();
    if (!accept(',')) break;
  }
  if (!bare) expect(closing);
  return node;
}

} // namespace pupc::compiler::ruby
