// The builder's conditionals, lambdas and definitions.
#include "compiler/ast/plans.h"
#include "compiler/parse/ast_builder.h"

#include <algorithm>

namespace pupc::compiler {

// ---- conditionals ------------------------------------------------------------------------------------------------------------

size_t AstBuilder::begin_if() {
  ifs_.push_back({nullptr, nullptr, tokens_[cursor.next].offset, false});
  return ifs_.size() - 1;
}

void AstBuilder::if_test() { ifs_.back().test = take(); }

void AstBuilder::if_then() { ifs_.back().block = out_block_; }

void AstBuilder::elsif() { ifs_.push_back({nullptr, nullptr, last().offset, false}); }

void AstBuilder::if_else() { ifs_.push_back({nullptr, out_block_, 0, true}); }

/// Builds the chain from its end, because each elsif is the else part of the one before.
Node* AstBuilder::make_if(size_t mark, uint32_t start, uint8_t flags) {
  const uint32_t end = end_offset();
  Node* rest = nullptr;
  uint32_t levels = 0;
  while (ifs_.size() > mark) {
    IfPart part = ifs_.back();
    ifs_.pop_back();
    ++levels;
    if (part.is_else) {
      rest = part.block;
      continue;
    }
    If* n = make<If>(NodeKind::If, part.offset, end - part.offset);
    n->test = part.test;
    n->then_block = part.block;
    n->else_part = rest;
    n->flags = ifs_.size() == mark ? flags : if_elsif;
    rest = n;
  }
  height_ += levels; // also count the blocks
  check_height(height_, tokens_[start].offset);
  return rest;
}

void AstBuilder::end_if(uint32_t start, size_t mark) { push_operand(make_if(mark, start, 0)); }

void AstBuilder::end_unless(uint32_t start, size_t mark) { push_operand(make_if(mark, start, if_unless)); }

CaseFrame AstBuilder::begin_case() { return {options_.size(), nullptr}; }

void AstBuilder::case_test(CaseFrame& c) { c.test = take(); }

OptionFrame AstBuilder::begin_option() { return {nodes_.size(), 0}; }

void AstBuilder::option_value() { nodes_.push_back(take()); }

void AstBuilder::option_colon(OptionFrame& o) { o.colon = cursor.next - 1; }

void AstBuilder::end_option(OptionFrame& o) {
  CaseOption option{};
  option.values = take_from(nodes_, o.nodes);
  option.offset = tokens_[o.colon].offset; // Puppet reports an option at its colon
  option.length = end_offset() - option.offset;
  option.body = body_block(option.offset);
  options_.push_back(option);
  operand_next();
}

void AstBuilder::end_case(uint32_t start, CaseFrame& c) {
  const uint32_t offset = tokens_[start].offset;
  auto* n = make<Case>(NodeKind::Case, offset, end_offset() - offset);
  n->test = c.test;
  n->options = take_from(options_, c.options);
  ++height_;
  push_operand(n);
}

// ---- parameters and lambdas --------------------------------------------------------------------------------------------------

DefinitionFrame AstBuilder::begin_parameters() {
  DefinitionFrame m{parameters_.size(), name_, parent_, return_type_, frames_.enter()};
  name_ = parent_ = Symbol{};
  return_type_ = nullptr;
  return m;
}

void AstBuilder::leave_definition(const DefinitionFrame& m) {
  name_ = m.name;
  parent_ = m.parent;
  return_type_ = m.return_type;
}

void AstBuilder::type_reference() { push_operand(make_reference(last())); }

void AstBuilder::type_access(uint32_t) {
  // Unlike other accesses, this one allows no trailing comma.
  if (tokens_[cursor.next - 2].kind == Tok::Comma) syntax_error_at(cursor.next - 1);
  access();
}

void AstBuilder::no_parameter_type() { pending_parameters_.push_back({}); }

void AstBuilder::parameter_type() {
  pending_parameters_.push_back({});
  Built type = pop_operand();
  height_ = std::max(height_, type.height);
  pending_parameters_.back().type = type.node;
  frames_.type();
}

void AstBuilder::captures_rest() { pending_parameters_.back().rest = true; }

void AstBuilder::parameter_name() {
  Parameter& p = pending_parameters_.back().parameter;
  p.name = symbol(last().value());
  p.offset = last().offset;
  p.length = last().length;
  p.plain_name = (last().flags & RawToken::plain_variable) != 0;
}

void AstBuilder::parameter_default() { pending_parameters_.back().parameter.default_value = take(); }

void AstBuilder::parameter() {
  PendingParameter p = pending_parameters_.back();
  pending_parameters_.pop_back();
  p.parameter.type = p.type;
  p.parameter.captures_rest = p.rest;
  parameters_.push_back(p.parameter);
  frames_.parameter();
}

void AstBuilder::return_type() {
  Built type = pop_operand();
  height_ = std::max(height_, type.height);
  return_type_ = type.node;
  frames_.type();
}

FrameLayout* AstBuilder::finish_frame(BodyKind kind, const Seq<Parameter>& parameters, const BodyPlace& around) {
  return frames_.finish(kind, parameters, around, file_->arena);
}

void AstBuilder::lambda(uint32_t start, const DefinitionFrame& m) {
  const uint32_t offset = tokens_[start].offset;
  auto* l = make<Lambda>(NodeKind::Lambda, offset, end_offset() - offset);
  l->parameters = take_from(parameters_, m.parameters);
  l->return_type = return_type_;
  l->body = body_block(offset);
  l->layout = finish_frame(BodyKind::Lambda, l->parameters, m.around);
  leave_definition(m);
  out_lambda_ = l;
}

// ---- classes, defined types, functions ---------------------------------------------------------------------------------------

void AstBuilder::class_name() {
  const RawToken& t = last();
  if (t.kind == Tok::Class) {
    record(ErrorCode::syntax_error, cursor.next - 1, t.offset, t.length, "'class' keyword not allowed at this location",
           PositionStyle::LineColumn, {});
    throw SyntaxFailure{};
  }
  if (t.kind == Tok::String) {
    record(ErrorCode::syntax_error, cursor.next - 1, t.offset, t.length, "A quoted string is not valid as a name here",
           PositionStyle::LineColumn, {});
    throw SyntaxFailure{};
  }
  out_name_ = t.value();
}

namespace {

std::string qualified(const std::vector<std::string_view>& namespaces, std::string_view name) {
  std::string s;
  for (auto n : namespaces) {
    if (!s.empty()) s += "::";
    s += n;
  }
  if (!s.empty()) s += "::";
  return s.append(name);
}

} // namespace

void AstBuilder::push_namespace() {
  name_ = namespaces_.empty() ? symbol(out_name_) : symbol(qualified(namespaces_, out_name_));
  namespaces_.push_back(out_name_);
}

/// The name of a defined type includes the names of the enclosing classes; a function's name does not.
void AstBuilder::defined_name() {
  const bool plain = namespaces_.empty() || tokens_[cursor.next - 2].kind == Tok::Function;
  name_ = plain ? symbol(out_name_) : symbol(qualified(namespaces_, out_name_));
}

void AstBuilder::parent_name() {
  std::string_view name = last().kind == Tok::Default ? std::string_view("default") : last().value();
  if (name.starts_with("::")) name.remove_prefix(2);
  parent_ = symbol(name);
}

template <class T> T* AstBuilder::definition(NodeKind kind, uint32_t start, const DefinitionFrame& m) {
  const uint32_t offset = tokens_[start].offset;
  T* d = make<T>(kind, offset, end_offset() - offset);
  d->name = name_;
  d->parameters = take_from(parameters_, m.parameters);
  d->body = body_block(offset);
  d->layout = finish_frame(kind == NodeKind::FunctionDef ? BodyKind::Plain : BodyKind::Resource, d->parameters, m.around);
  definitions_.push_back(d);
  ++height_;
  return d;
}

void AstBuilder::class_definition(uint32_t start, const DefinitionFrame& m) {
  namespaces_.pop_back();
  auto* d = definition<ClassDef>(NodeKind::ClassDef, start, m);
  d->parent = parent_;
  leave_definition(m);
  push_operand(d);
}

void AstBuilder::define_definition(uint32_t start, const DefinitionFrame& m) {
  auto* d = definition<DefineDef>(NodeKind::DefineDef, start, m);
  leave_definition(m);
  push_operand(d);
}

void AstBuilder::function_definition(uint32_t start, const DefinitionFrame& m) {
  auto* d = definition<FunctionDef>(NodeKind::FunctionDef, start, m);
  d->return_type = return_type_;
  leave_definition(m);
  push_operand(d);
}

// ---- plans -------------------------------------------------------------------------------------------------------------------

void AstBuilder::plan_definition(uint32_t start, const DefinitionFrame& m) {
  namespaces_.pop_back();
  auto* d = definition<FunctionDef>(NodeKind::FunctionDef, start, m);
  d->flags = function_is_plan;
  leave_definition(m);
  push_operand(d);
}

void AstBuilder::apply_expression(uint32_t start, const BodyPlace& around) {
  const Mark m = marks_.back();
  marks_.pop_back();
  const uint32_t offset = tokens_[start].offset;
  auto* call = make<Call>(NodeKind::Call, offset, end_offset() - offset);
  call->flags = call_is_apply;
  call->functor = make_name("apply", offset, tokens_[start].length);
  call->arguments = take_from(nodes_, m.nodes);
  call->lambda = make<Lambda>(NodeKind::Lambda, offset, end_offset() - offset);
  call->lambda->body = body_block(offset);
  call->lambda->layout = finish_frame(BodyKind::Lambda, {}, around);
  ++height_;
  push_operand(call);
}

// ---- nodes -------------------------------------------------------------------------------------------------------------------

NodeFrame AstBuilder::begin_node() { return {nodes_.size(), frames_.enter()}; }

void AstBuilder::dotted_name(uint32_t start) {
  if (cursor.next == start + 1) return string();
  std::string s;
  for (uint32_t i = start; i < cursor.next; i += 2) {
    if (i != start) s += '.';
    s += tokens_[i].value();
  }
  push_operand(make_string(file_->arena.copy(s), tokens_[start].offset, end_offset() - tokens_[start].offset));
}

void AstBuilder::host_name() { nodes_.push_back(pop_operand().node); }

void AstBuilder::node_parent(NodeFrame& m) { m.parent = nodes_.size(); }

void AstBuilder::node_definition(uint32_t start, const NodeFrame& m) {
  const uint32_t offset = tokens_[start].offset;
  auto* d = make<NodeDef>(NodeKind::NodeDef, offset, end_offset() - offset);
  if (m.parent != SIZE_MAX) {
    d->parent = nodes_.back();
    nodes_.pop_back();
  }
  d->matches = take_from(nodes_, m.nodes);
  d->body = body_block(offset);
  d->layout = finish_frame(BodyKind::Node, {}, m.around);
  definitions_.push_back(d);
  ++height_;
  push_operand(d);
}

// ---- type aliases ------------------------------------------------------------------------------------------------------------
// The left side waits on the operand stack until the right side is parsed.

void AstBuilder::alias_reference() {
  push_operand(make_reference(last()));
  cursor.alias_at = cursor.next;
}

void AstBuilder::alias_hash() { open(); }

/// `type A = Parent { … }` means Object[{…, parent => Parent}].
void AstBuilder::alias_object(uint32_t start) {
  Mark m = marks_.back();
  marks_.pop_back();
  const RawToken& brace = tokens_[m.next - 1];
  auto* parent = static_cast<Reference*>(pop_operand().node);
  std::string_view cased = parent->cased.str();
  if (cased != "Object" && cased != "TypeSet") {
    entries_.push_back({make_name("parent", brace.offset, 0), parent, brace.offset});
    RawToken object;
    object.text = "Object";
    object.size = 6;
    object.offset = tokens_[start + 1].offset;
    parent = make_reference(object);
  }
  auto* h = make<HashLiteral>(NodeKind::HashLiteral, brace.offset, end_offset() - brace.offset);
  h->entries = take_from(entries_, m.entries);
  auto* a = make<Access>(NodeKind::Access, tokens_[start + 1].offset, 0);
  a->left = parent;
  a->keys.size = 1;
  a->keys.data = file_->arena.make_array<Node*>(1);
  a->keys.data[0] = h;
  ++height_;
  push_operand(a);
}

/// `type A = { … }` means Object[{…}].
void AstBuilder::alias_hash_only(uint32_t start) {
  Built hash = pop_operand();
  RawToken object;
  object.text = "Object";
  object.size = 6;
  object.offset = tokens_[start + 1].offset;
  auto* a = make<Access>(NodeKind::Access, tokens_[start + 1].offset, 0);
  a->left = make_reference(object);
  a->keys.size = 1;
  a->keys.data = file_->arena.make_array<Node*>(1);
  a->keys.data[0] = hash.node;
  height_ = std::max(height_, hash.height);
  push_operand(a);
}

void AstBuilder::alias_access(uint32_t start) {
  access();
  operands_.back().node->offset = tokens_[start + 1].offset; // it has no place of its own in Puppet
  operands_.back().node->length = 0;
}

void AstBuilder::alias_list(uint32_t) {}

void AstBuilder::type_alias(uint32_t) {
  Built right = pop_operand(), left = pop_operand();
  const uint32_t offset = left.node->offset; // in Puppet an alias begins with its name
  uint32_t length = end_offset() - offset;
  if (right.node->kind == NodeKind::ListLiteral) length = left.node->length;
  height_ = std::max({height_, left.height, right.height});
  if (left.node->kind == NodeKind::Access) {
    auto* m = make<TypeMapping>(NodeKind::TypeMapping, offset, length);
    m->left = left.node;
    m->right = right.node;
    definitions_.push_back(m);
    push_operand(m);
  } else {
    auto* a = make<TypeAlias>(NodeKind::TypeAlias, offset, length);
    a->name = static_cast<Reference*>(left.node)->cased;
    a->type = right.node;
    definitions_.push_back(a);
    push_operand(a);
  }
}

void AstBuilder::type_has_body() {
  // A left side with parameters can only be a type mapping. A body or a parent may follow only a plain name.
  if (operands_.back().node->kind == NodeKind::Access) syntax_error();
  type_parent_ = {};
}

void AstBuilder::type_parent() { type_parent_ = symbol(last().value()); }

void AstBuilder::type_body(uint32_t start) {
  Built left = pop_operand();
  const uint32_t offset = tokens_[start].offset;
  auto* d = make<TypeDefinition>(NodeKind::TypeDefinition, offset, end_offset() - offset);
  d->name = static_cast<Reference*>(left.node)->cased;
  d->parent = type_parent_;
  d->body = body_block(offset);
  definitions_.push_back(d);
  ++height_;
  push_operand(d);
}

} // namespace pupc::compiler
