// The builder's expressions: operators (by precedence climbing over the flat lists that the grammar gives), calls, access, selectors,
// collectors and literals.
#include "compiler/parse/ast_builder.h"

#include "catalog/value/frozen.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>

namespace pupc::compiler {
namespace {

// Puppet's operator precedences, weakest first. grammar/README.md has the table.
enum Precedence : uint8_t {
  selector_key,
  selector_value_part,
  or_level,
  and_level,
  question_level,
  comparison_level,
  equality_level,
  shift_level,
  sum_level,
  product_level,
  match_level,
  in_level,
  minus_level,
  splat_level,
  not_level
};

uint8_t precedence_of(Tok t) {
  switch (t) {
  case Tok::Or: return or_level;
  case Tok::And: return and_level;
  case Tok::Less:
  case Tok::LessEqual:
  case Tok::Greater:
  case Tok::GreaterEqual: return comparison_level;
  case Tok::IsEqual:
  case Tok::NotEqual: return equality_level;
  case Tok::LShift:
  case Tok::RShift: return shift_level;
  case Tok::Plus:
  case Tok::Minus: return sum_level;
  case Tok::Times:
  case Tok::Div:
  case Tok::Modulo: return product_level;
  case Tok::Match:
  case Tok::NoMatch: return match_level;
  default: return in_level;
  }
}

} // namespace

void AstBuilder::continue_expression(ExpressionFrame& f) { begin_expression(f); }

void AstBuilder::apply_operators(const ExpressionFrame& f) {
  reduce(selector_value_part);
  if (f.keys_pending != 0) syntax_error();
}

void AstBuilder::prefix_operator() {
  Tok k = last().kind;
  operators_.push_back({cursor.next - 1,
                        static_cast<uint8_t>(k == Tok::Not     ? not_level
                                             : k == Tok::Minus ? minus_level
                                                               : splat_level),
                        true});
}

/// Applies the pending operators of this expression that bind at least as strongly as `precedence`.
void AstBuilder::reduce(uint8_t precedence) {
  while (operators_.size() > frame_->operators && operators_.back().precedence >= precedence) {
    Operator op = operators_.back();
    operators_.pop_back();
    apply(op);
  }
}

void AstBuilder::apply(const Operator& op) {
  const RawToken& t = tokens_[op.token];
  if (op.prefix) {
    Built& operand = operands_.back();
    NodeKind kind = t.kind == Tok::Not ? NodeKind::Not : t.kind == Tok::Minus ? NodeKind::Minus : NodeKind::Unfold;
    Unary* u = make_at<Unary>(kind, t);
    u->operand = operand.node;
    check_height(operand.height + 1, t.offset);
    operand = {u, operand.height + 1};
    return;
  }
  if (op.precedence == selector_value_part) {
    Built value = pop_operand(), match = pop_operand(), left = pop_operand();
    auto* s = make<Selector>(NodeKind::Selector, left.node->offset, left.node->length);
    s->left = left.node; // with one entry it has no second default
    s->entries.size = 1;
    s->entries.data = file_->arena.make_array<SelectorEntry>(1);
    s->entries.data[0] = {match.node, value.node};
    uint32_t height = std::max({value.height, match.height, left.height}) + 1;
    check_height(height, s->offset);
    operands_.push_back({s, height});
    return;
  }
  Built right = pop_operand();
  operands_.back() = binary(operands_.back(), op.token, right);
}

void AstBuilder::binary_operator() {
  const Tok k = last().kind;
  if (k == Tok::FatArrow) { // the => of a selector without braces: everything after it, with all operators, is the value
    reduce(selector_value_part);
    operators_.back() = {cursor.next - 1, selector_value_part, false};
    --frame_->keys_pending;
    return;
  }
  const uint8_t p = precedence_of(k);
  reduce(p);
  operators_.push_back({cursor.next - 1, p, false});
}

// ---- selectors ---------------------------------------------------------------------------------------------------------------

void AstBuilder::selector() { reduce(question_level); }

void AstBuilder::bare_selector() {
  operators_.push_back({cursor.next - 1, selector_key, false});
  ++frame_->keys_pending;
}

void AstBuilder::selector_match() { selectors_.push_back({take(), nullptr}); }

void AstBuilder::selector_value() { selectors_.back().value = take(); }

void AstBuilder::end_selector() {
  Mark m = marks_.back();
  marks_.pop_back();
  Built left = pop_operand();
  auto* s = make<Selector>(NodeKind::Selector, left.node->offset, left.node->length);
  s->left = left.node;
  s->entries = take_from(selectors_, m.selectors);
  height_ = std::max(height_, left.height);
  check_height(height_, s->offset);
  push_operand(s);
}

// ---- access and calls --------------------------------------------------------------------------------------------------------

void AstBuilder::access() {
  Mark m = marks_.back();
  marks_.pop_back();
  Built left = pop_operand();
  auto* a = make<Access>(NodeKind::Access, left.node->offset, end_offset() - left.node->offset);
  a->left = left.node;
  a->keys = take_from(nodes_, m.nodes);
  height_ = std::max(height_, left.height);
  check_height(height_, a->offset);
  push_operand(a);
}

void AstBuilder::open_call() {
  open();
  // A parenthesis directly after a method's name holds the arguments of the method.
  if (method_end_ == cursor.next - 1 && operands_.back().node->kind == NodeKind::MethodCall) marks_.back().method = 1;
}

void AstBuilder::call() {
  Mark m = marks_.back();
  marks_.pop_back();
  Seq<Node*> arguments = take_from(nodes_, m.nodes);
  Built left = pop_operand();
  height_ = std::max(height_, left.height);
  if (m.method != 0) {
    if (tokens_[cursor.next - 2].kind == Tok::Comma) syntax_error_at(cursor.next - 1);
    auto* c = static_cast<MethodCall*>(left.node);
    c->arguments = arguments;
    c->offset = tokens_[m.next - 1].offset;
    c->length = end_offset() - c->offset;
    if (height_ > 0) --height_; // the call's own level is counted already
    push_operand(c);
  } else {
    auto* c = make<Call>(NodeKind::Call, left.node->offset, end_offset() - left.node->offset);
    c->flags = call_value_required;
    c->functor = left.node;
    c->arguments = arguments;
    push_operand(c);
  }
  check_height(operands_.back().height, last().offset);
  cursor.lambda_at = cursor.next;
}

void AstBuilder::method() {
  const RawToken& dot = tokens_[cursor.next - 2];
  Built left = pop_operand();
  auto* c = make<MethodCall>(NodeKind::MethodCall, dot.offset, end_offset() - dot.offset);
  c->flags = call_value_required;
  c->receiver = left.node;
  c->name = make_name(last().kind == Tok::Type ? std::string_view("type") : last().value(), last().offset, last().length);
  height_ = std::max(height_, left.height);
  check_height(height_, dot.offset);
  push_operand(c);
  method_end_ = cursor.lambda_at = cursor.next;
}

void AstBuilder::attach_lambda() {
  Built& operand = operands_.back();
  if (operand.node->kind == NodeKind::Call) {
    auto* c = static_cast<Call*>(operand.node);
    c->lambda = out_lambda_;
    c->length = out_lambda_->offset + out_lambda_->length - c->offset;
  } else {
    static_cast<MethodCall*>(operand.node)->lambda = out_lambda_;
  }
  operand.height = std::max(operand.height, height_ + 2);
  height_ = 0;
  check_height(operand.height, last().offset);
}

// ---- collectors --------------------------------------------------------------------------------------------------------------

void AstBuilder::query() {
  out_query_ = marks_.back().next == cursor.next ? nullptr : take();
  marks_.pop_back();
}

void AstBuilder::collector() {
  Built left = pop_operand();
  auto* c = make<Collector>(NodeKind::Collector, left.node->offset, end_offset() - left.node->offset);
  c->type_expr = left.node;
  c->query = out_query_;
  c->aux = last().kind == Tok::RRCollect ? 1 : 0;
  height_ = std::max(height_, left.height);
  check_height(height_, c->offset);
  push_operand(c);
}

void AstBuilder::collector_body() {
  Mark m = marks_.back();
  marks_.pop_back();
  Built& operand = operands_.back();
  auto* c = static_cast<Collector*>(operand.node);
  c->operations = take_from(attributes_, m.attributes);
  c->length = end_offset() - c->offset;
  operand.height = std::max(operand.height, height_ + 1);
  height_ = 0;
}

// ---- entries of lists, hashes, arguments -------------------------------------------------------------------------------------

void AstBuilder::entry_start(EntryKind kind) {
  entry_kind_ = kind;
  entry_index_ = cursor.next;
  entry_is_value_ = false;
}

void AstBuilder::entry_key() {
  keys_.push_back({take(), cursor.next - 1});
  entry_index_ = cursor.next;
  entry_is_value_ = true;
}

void AstBuilder::entry() { nodes_.push_back(take()); }

void AstBuilder::access_entry() {
  if (!out_pure_) syntax_error(); // only the sides of `a => b` may be more than a plain expression
  entry();
}

void AstBuilder::append_entry(HashLiteral* h, KeyedEntry e) {
  const uint32_t n = h->entries.size;
  if ((n & (n - 1)) == 0) { // the array is full whenever its size is a power of two
    KeyedEntry* grown = file_->arena.make_array<KeyedEntry>(n == 0 ? 1 : 2 * size_t(n));
    std::copy(h->entries.begin(), h->entries.end(), grown);
    h->entries.data = grown;
  }
  h->entries.data[n] = e;
  h->entries.size = n + 1;
}

/// Adjacent `a => b` pairs in a list or in arguments form one hash.
void AstBuilder::entry_pair() {
  Node* value = take();
  auto [key, arrow] = keys_.back();
  keys_.pop_back();
  const size_t base = marks_.empty() ? 0 : marks_.back().nodes;
  if (nodes_.size() > base && nodes_.back()->kind == NodeKind::HashLiteral && (nodes_.back()->flags & hash_unfolded) != 0) {
    append_entry(static_cast<HashLiteral*>(nodes_.back()), {key, value, tokens_[arrow].offset});
    return;
  }
  auto* h = make_at<HashLiteral>(NodeKind::HashLiteral, tokens_[arrow]);
  h->flags = hash_unfolded;
  append_entry(h, {key, value, tokens_[arrow].offset});
  ++height_;
  nodes_.push_back(h);
}

void AstBuilder::hash_value() {
  Node* value = take();
  entries_.push_back({keys_.back().first, value, tokens_[keys_.back().second].offset});
  keys_.pop_back();
}

size_t AstBuilder::begin_list() {
  open();
  return nodes_.size();
}

void AstBuilder::list(uint32_t start, size_t mark) {
  marks_.pop_back();
  auto* l = make<ListLiteral>(NodeKind::ListLiteral, tokens_[start].offset, end_offset() - tokens_[start].offset);
  l->elements = take_from(nodes_, mark);
  push_operand(l);
}

void AstBuilder::hash(uint32_t start, size_t mark) {
  auto* h = make<HashLiteral>(NodeKind::HashLiteral, tokens_[start].offset, end_offset() - tokens_[start].offset);
  h->entries = take_from(entries_, mark);
  push_operand(h);
}

// ---- operands ----------------------------------------------------------------------------------------------------------------

Variable* AstBuilder::make_variable(std::string_view name, uint32_t offset, uint32_t length) {
  const size_t colons = name.rfind("::");
  return make_variable(name, colons == std::string_view::npos ? 0 : colons + 2, offset, length);
}

/// `base`: where the last segment of the name begins.
Variable* AstBuilder::make_variable(std::string_view name, size_t base, uint32_t offset, uint32_t length) {
  Variable* v = make<Variable>(NodeKind::Variable, offset, length);
  v->slot = Variable::no_slot;
  v->name = symbol(name);
  Variable::Form form = Variable::Form::Simple;
  if (base == 0) {
    v->base = v->name;
    if (!name.empty() && name[0] <= '9' && name.find_first_not_of("0123456789") == std::string_view::npos) form = Variable::Form::Numeric;
  } else {
    // A file names the same few again and again, and so do the files of a module.
    QualifiedName& known = qualified_names_[v->name.id % qualified_names_.size()];
    if (known.name != v->name) {
      std::string_view scope = name.substr(0, base - 2);
      if (scope.starts_with("::")) scope.remove_prefix(2);
      known = {v->name, symbol(scope), symbol(name.substr(base))};
    }
    v->base = known.base;
    v->scope = known.scope;
    form = known.scope ? Variable::Form::Qualified : Variable::Form::Top;
  }
  v->aux = static_cast<uint16_t>(form);
  if (form == Variable::Form::Simple) frames_.variable(v);
  return v;
}

Literal* AstBuilder::make_string(std::string_view text, uint32_t offset, uint32_t length) {
  Literal* l = make<Literal>(NodeKind::Literal, offset, length);
  l->value = Value::string(text);
  return l;
}

Name* AstBuilder::make_name(std::string_view text, uint32_t offset, uint32_t length) {
  Name* n = make<Name>(NodeKind::Name, offset, length);
  n->name = symbol(text);
  return n;
}

Reference* AstBuilder::make_reference(const RawToken& t) {
  Reference* r = make_at<Reference>(NodeKind::Reference, t);
  r->cased = symbol(t.value());
  // The same few types again and again: their names in lower case are kept.
  auto& [cased, lower_case] = lower_names_[r->cased.id % lower_names_.size()];
  if (cased != r->cased) {
    char buffer[64];
    std::string large;
    if (t.size > sizeof buffer) large.resize(t.size);
    char* const lower = t.size > sizeof buffer ? large.data() : buffer;
    std::transform(t.text, t.text + t.size, lower, [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    cased = r->cased;
    lower_case = symbol({lower, t.size});
  }
  r->name = lower_case;
  return r;
}

Node* AstBuilder::variable_of(const RawToken& t) {
  if ((t.flags & RawToken::plain_variable) == 0) {
    Variable* v = t.aux != 0 ? make_variable(t.value(), t.aux, t.offset, t.length) : make_variable(t.value(), t.offset, t.length);
    return v;
  }
  Variable* v = make_at<Variable>(NodeKind::Variable, t);
  v->slot = Variable::no_slot;
  v->flags = variable_plain;
  v->name = v->base = symbol(t.value());
  v->aux = static_cast<uint16_t>(Variable::Form::Simple);
  frames_.variable(v);
  return v;
}

Node* AstBuilder::string_of(const RawToken& t) {
  Value text = Value::string(t.value());
  return literal_of(t, (t.flags & RawToken::single_quoted) != 0 ? frozen_text(text) : text);
}

Node* AstBuilder::number_of(const RawToken& t) {
  std::string_view s = t.value();
  Literal* l = make_at<Literal>(NodeKind::Literal, t);
  const bool hex = s.size() > 2 && (s[1] == 'x' || s[1] == 'X');
  if (!hex && s.find_first_of(".eE") != std::string_view::npos) {
    const double d = std::strtod(std::string(s).c_str(), nullptr);
    // Puppet rejects infinity, and a zero with an exponent.
    const bool zero_with_exponent = s.find_first_not_of("0.") == s.find_first_of("eE") && s.find_first_of("eE") != std::string_view::npos;
    if (std::isinf(d) || zero_with_exponent) error_at(t.offset, "Not a valid decimal number " + std::string(s));
    l->value = Value::floating(d);
  } else {
    const bool octal = !hex && s.size() > 1 && s[0] == '0';
    int64_t v = 0;
    std::string_view digits = hex ? s.substr(2) : s;
    auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), v, hex ? 16 : octal ? 8 : 10);
    if (error == std::errc{}) {
      l->value = Value::integer(v);
      l->flags = hex ? literal_hex : octal ? literal_octal : 0;
    } else {
      l->value = Value::string(s);
      l->flags = static_cast<uint8_t>(literal_overflow | (hex ? literal_hex : octal ? literal_octal : 0));
    }
  }
  return l;
}

Node* AstBuilder::literal_of(const RawToken& t, Value value) {
  Literal* l = make_at<Literal>(NodeKind::Literal, t);
  l->value = value;
  return l;
}

void AstBuilder::variable() { push_operand(variable_of(last())); }
void AstBuilder::name() { push_operand(name_of(last())); }
void AstBuilder::string() { push_operand(string_of(last())); }
void AstBuilder::reference() { push_operand(make_reference(last())); }
void AstBuilder::number() { push_operand(number_of(last())); }
void AstBuilder::boolean() { push_operand(literal_of(last(), Value::boolean(last().size == 4))); }
void AstBuilder::undef() { push_operand(literal_of(last(), {})); }
void AstBuilder::default_literal() { push_operand(literal_of(last(), Value::default_value())); }

void AstBuilder::regex() {
  Literal* l = make_at<Literal>(NodeKind::RegexLiteral, last());
  l->value = Value::of(regexes_->get(last().value()));
  push_operand(l);
}

/// The keywords `type` and `function` alone are strings, but only as an element of a list, or as a key or value.
void AstBuilder::bare_keyword() {
  const Tok following = tokens_[cursor.next].kind;
  bool allowed = entry_index_ == cursor.next - 1;
  if (entry_is_value_)
    allowed = allowed && (following == Tok::Comma || following == Tok::RBrack || following == Tok::RBrace || following == Tok::RParen);
  else
    allowed = allowed &&
              (following == Tok::FatArrow || (entry_kind_ == EntryKind::List && (following == Tok::Comma || following == Tok::RBrack)));
  if (!allowed) syntax_error();
  string();
}

void AstBuilder::reserved_word() {
  auto* w = make_at<ReservedWord>(NodeKind::ReservedWord, last());
  w->word = symbol(last().value());
  push_operand(w);
}

void AstBuilder::parenthesized(uint32_t start) {
  auto* u = make_at<Unary>(NodeKind::Parenthesized, tokens_[start]);
  u->operand = take();
  push_operand(u);
}

// ---- strings with interpolation ----------------------------------------------------------------------------------------------

size_t AstBuilder::begin_interpolation() { return nodes_.size(); }

void AstBuilder::interpolation_text() {
  if (last().size == 0) return;
  nodes_.push_back(make_string(last().value(), last().offset, last().length));
  nodes_.back()->flags = literal_segment;
}

/// Turns the name or number in ${…} into a variable, if it stands alone or starts a chain of [] and method calls.
Node* AstBuilder::interpolate(Node* n) {
  auto rewritable = [](const Node* m) {
    return m->kind == NodeKind::Access || m->kind == NodeKind::Name || m->kind == NodeKind::MethodCall ||
           (m->kind == NodeKind::Literal && m->as<Literal>().value.is_int() && (m->flags & (literal_octal | literal_hex)) == 0);
  };
  Node** place = &n;
  bool top = true;
  for (;;) {
    Node* m = *place;
    if (m->kind == NodeKind::Name) {
      *place = make_variable(static_cast<Name*>(m)->name.str(), m->offset, m->length);
      return n;
    }
    if (m->kind == NodeKind::Literal && m->as<Literal>().value.is_int() && (top || rewritable(m))) {
      *place = make_variable(std::to_string(m->as<Literal>().value.i), m->offset, m->length);
      return n;
    }
    if (m->kind == NodeKind::Access)
      place = &static_cast<Access*>(m)->left;
    else if (m->kind == NodeKind::MethodCall)
      place = &static_cast<MethodCall*>(m)->receiver;
    else
      return n;
    top = false;
  }
}

void AstBuilder::interpolation_part() { nodes_.push_back(interpolate(take())); }

void AstBuilder::end_interpolation(size_t mark) {
  auto* s = make<Interpolation>(NodeKind::Interpolation, 0, 0);
  s->parts = take_from(nodes_, mark);
  s->length = end_offset();
  out_dq_ = s;
}

void AstBuilder::dq_operand(uint32_t start) {
  out_dq_->offset = tokens_[start].offset;
  out_dq_->length -= tokens_[start].offset;
  push_operand(out_dq_);
}

void AstBuilder::heredoc_string() { out_dq_ = make_string(last().value(), last().offset, last().length); }

void AstBuilder::heredoc(uint32_t start) {
  const RawToken& head = tokens_[start];
  if (out_dq_->kind == NodeKind::Interpolation) {
    out_dq_->offset = tokens_[start + 1].offset;
    out_dq_->length -= out_dq_->offset;
  }
  auto* h = make_at<Heredoc>(NodeKind::Heredoc, head);
  h->syntax = head.value();
  h->text = out_dq_;
  ++height_;
  push_operand(h);
}

// ---- templates ---------------------------------------------------------------------------------------------------------------

void AstBuilder::render_string() {
  auto* r = make_at<RenderString>(NodeKind::RenderString, last());
  r->text = last().value();
  push_operand(r);
}

void AstBuilder::render_expression(uint32_t start) {
  const uint32_t offset = tokens_[start].offset;
  auto* u = make<Unary>(NodeKind::RenderExpr, offset, end_offset() - offset);
  u->operand = take();
  push_operand(u);
}

void AstBuilder::render_block(uint32_t start) {
  if (out_statements_.size == 1) {
    out_ = {out_statements_[0], height_};
  } else {
    out_ = {make_block(out_statements_, tokens_[start].offset, end_offset() - tokens_[start].offset), height_ + 1};
  }
}

void AstBuilder::finish_render(uint32_t start) { render_expression(start - 1); }

} // namespace pupc::compiler
