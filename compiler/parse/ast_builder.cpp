// The builder's core: errors, statements, assignments, relationships and resources.
#include "compiler/parse/ast_builder.h"

#include "compiler/ast/construct_names.h"
#include "compiler/ast/effect.h"
#include "compiler/ast/unused_results.h"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <fmt/format.h>

namespace pupc::compiler {
namespace {

bool is_statement_call(std::string_view s) {
  return std::find(std::begin(statement_functions), std::end(statement_functions), s) != std::end(statement_functions);
}

BinaryOp statement_operator(Tok t) {
  switch (t) {
  case Tok::Equals: return BinaryOp::Assign;
  case Tok::Appends: return BinaryOp::AppendAssign;
  case Tok::Deletes: return BinaryOp::DeleteAssign;
  case Tok::InEdge: return BinaryOp::Before;
  case Tok::InEdgeSub: return BinaryOp::Notify;
  case Tok::OutEdge: return BinaryOp::After;
  default: return BinaryOp::SubscribeTo;
  }
}

/// Where the first text opens that probably lacks its quote: it goes over a line end, and a word follows its end at once. So a text ends
/// that begins where another one was to end. Says that as advice; empty when there is none among the first `count` tokens.
std::string unclosed_quote(const SourceFile& source, const RawToken* tokens, uint32_t count) {
  const std::string_view text = source.text();
  uint32_t begin = 0;
  for (uint32_t i = 0; i < count; ++i) {
    const RawToken& t = tokens[i];
    if (t.kind == Tok::String || t.kind == Tok::DqPre) begin = t.offset;
    const uint32_t end = t.offset + t.length;
    if ((t.kind != Tok::String && t.kind != Tok::DqPost) || end >= text.size() || (text[begin] != '"' && text[begin] != '\'')) continue;
    const char next = text[end];
    if (std::isalnum(static_cast<unsigned char>(next)) == 0 && std::string_view("_/$'\"@%").find(next) == std::string_view::npos) continue;
    if (text.substr(begin, end - begin).find('\n') == std::string_view::npos) continue;
    const LineColumn open = Loc{&source, begin, 1}.position(), close = Loc{&source, end - 1, 1}.position();
    return fmt::format("The text that opens at line {}, column {} ends at line {}, column {}: is its quote missing?", open.line,
                       open.column, close.line, close.column);
  }
  return {};
}

/// `} elseif $x {` is a call of a function elseif() to the parser, and the error comes behind the brace. Says so as advice.
std::string misspelt_elsif(const SourceFile& source, const RawToken* tokens, uint32_t count) {
  constexpr uint32_t most_behind = 40;
  for (uint32_t i = count; i-- > 1 && i + most_behind > count;) {
    const RawToken& t = tokens[i];
    if (tokens[i - 1].kind != Tok::RBrace || t.text == nullptr || (t.value() != "elseif" && t.value() != "elif")) continue;
    return fmt::format("'{}' on line {} is no word of the language: write elsif.", t.value(), source.line(t.offset));
  }
  return {};
}

} // namespace

void BuilderStacks::clear() {
  operands_.clear();
  operators_.clear();
  nodes_.clear();
  statements_.clear();
  entries_.clear();
  keys_.clear();
  attributes_.clear();
  bodies_.clear();
  titles_.clear();
  parameters_.clear();
  pending_parameters_.clear();
  assignments_.clear();
  ats_.clear();
  marks_.clear();
  ifs_.clear();
  options_.clear();
  selectors_.clear();
  namespaces_.clear();
  definitions_.clear();
  calls_.clear();
  resources_.clear();
  states_.clear();
  frames_.clear();
}

void AstBuilder::start(ParsedFile& file, TokenList& list, RegexCache& regexes, std::vector<Diagnostic>& errors) {
  BuilderStacks::clear(); // an error leaves something behind
  static_cast<BuilderState&>(*this) = {};
  file_ = &file;
  list_ = &list;
  tokens_ = list.tokens.data();
  token_count_ = static_cast<uint32_t>(list.tokens.size());
  regexes_ = &regexes;
  errors_ = &errors;
  stack_base_ = static_cast<const char*>(__builtin_frame_address(0));
  cursor = {};
  cursor.at = tokens_;
}

Symbol AstBuilder::symbol(std::string_view s) {
  const size_t n = s.size();
  if (n == 0) return {};
  const char* p = s.data();
  uint64_t first = 0, last = 0;
  if (n >= 8) {
    std::memcpy(&first, p, 8);
    std::memcpy(&last, p + n - 8, 8);
  } else if (n >= 4) {
    std::memcpy(&first, p, 4);
    std::memcpy(&last, p + n - 4, 4);
  } else {
    first = static_cast<uint64_t>(static_cast<uint8_t>(p[0]) | static_cast<uint8_t>(p[n / 2]) << 8 | static_cast<uint8_t>(p[n - 1]) << 16);
  }
  const uint64_t h = (first ^ n) * 0x9E3779B97F4A7C15ull ^ last * 0xD6E8FEB86659FD93ull;
  CachedSymbol& slot = symbol_cache_[(h ^ h >> 29) >> 32 & symbol_mask_];
  if (slot.first == first && slot.last == last && slot.size == n && n <= 16) return slot.symbol;
  return long_or_new_symbol(s, first, last, slot);
}

/// Not part of symbol(), which is only loads and comparisons so.
Symbol AstBuilder::long_or_new_symbol(std::string_view s, uint64_t first, uint64_t last, CachedSymbol& slot) {
  if (slot.first == first && slot.last == last && slot.size == s.size() && std::memcmp(slot.text + 8, s.data() + 8, s.size() - 16) == 0)
    return slot.symbol;
  const Symbol symbol = intern(s);
  if (++symbols_missed_ > 2 * symbol_cache_.size() && symbol_cache_.size() < largest_cache) {
    symbol_cache_.assign(4 * symbol_cache_.size(), {});
    symbol_mask_ = symbol_cache_.size() - 1;
    symbols_missed_ = 0;
    return symbol;
  }
  slot = {first, last, symbol.str().data(), static_cast<uint32_t>(s.size()), symbol};
  return symbol;
}

// ---- errors ------------------------------------------------------------------------------------------------------------------

void AstBuilder::record(ErrorCode code, uint32_t index, uint32_t offset, uint32_t length, std::string message, PositionStyle style,
                        std::string suggestion) {
  const bool first = !failed_;
  failed_ = true;
  // A second error within a few tokens is most likely a consequence of the first.
  if (!first && index < last_error_ + (code == ErrorCode::lexical_error ? 0 : 4)) return;
  last_error_ = index + 1;
  if (errors_->size() >= max_errors) return;
  Diagnostic d;
  d.code = code;
  d.style = style;
  d.message = std::move(message);
  d.loc = {file_->source.get(), offset, length};
  d.suggestion = std::move(suggestion);
  errors_->push_back(std::move(d));
}

void AstBuilder::syntax_error(std::string suggestion) { syntax_error_at(cursor.next, std::move(suggestion)); }

void AstBuilder::syntax_error_at(uint32_t index, std::string suggestion) {
  const RawToken& t = tokens_[index];
  if (t.kind == Tok::Error) {
    const Diagnostic& d = list_->errors[t.aux];
    record(d.code, index, d.loc.offset, d.loc.length, d.message, d.style, unclosed_quote(*file_->source, tokens_, index));
    truncated_reported_ = truncated_reported_ || list_->truncated;
  } else if (t.kind == Tok::End) {
    // Do not report the end of input after an unclosed string or another error: it is only a consequence.
    if (!truncated_reported_ && !failed_) {
      // Puppet gives no line. The bracket that is open is where to look.
      const RawToken* open = unclosed_before(index);
      if (open != nullptr)
        suggestion = fmt::format("The '{}' of line {} seems to have no end.", spelling(open->kind), file_->source->line(open->offset));
      record(ErrorCode::syntax_error, index, open != nullptr ? open->offset : t.offset, open != nullptr ? 1 : 0,
             "Syntax error at end of input", PositionStyle::File, std::move(suggestion));
    }
  } else {
    std::string text(t.text != nullptr ? t.value() : spelling(t.kind));
    if (t.kind == Tok::Regex) text = "(?-mix:" + text + ")";
    if (std::string word = misspelt_elsif(*file_->source, tokens_, index); !word.empty()) suggestion = std::move(word);
    if (std::string quote = unclosed_quote(*file_->source, tokens_, index + 1); !quote.empty()) suggestion = std::move(quote);
    record(ErrorCode::syntax_error, index, t.offset, t.length, "Syntax error at '" + text + "'", PositionStyle::LineColumn,
           std::move(suggestion));
  }
  throw SyntaxFailure{};
}

void AstBuilder::error_at(uint32_t offset, std::string message) {
  leave_at_lexer_error();
  record(ErrorCode::syntax_error, cursor.next, offset, 0, std::move(message), PositionStyle::LineColumn, {});
  throw SyntaxFailure{};
}

void AstBuilder::leave_at_lexer_error() {
  if (tokens_[cursor.next].kind == Tok::Error) syntax_error();
}

void AstBuilder::too_deep(uint32_t offset) {
  record(ErrorCode::too_deep, cursor.next, offset, 0, "The code is nested too deeply", PositionStyle::LineColumn,
         "Use variables or functions to split the expression.");
  throw SyntaxFailure{};
}

void AstBuilder::recover_statement(const StatementFrame& frame) {
  if (!failed_) record(ErrorCode::syntax_error, cursor.next, tokens_[cursor.next].offset, 0, "Syntax error", PositionStyle::LineColumn, {});
  const StatementState s = states_[frame.state];
  states_.resize(frame.state); // those of statements inside this one are still there
  operands_.resize(s.operands);
  operators_.resize(s.operators);
  nodes_.resize(s.nodes);
  entries_.resize(s.entries);
  keys_.resize(s.keys);
  attributes_.resize(s.attributes);
  bodies_.resize(s.bodies);
  titles_.resize(s.titles);
  parameters_.resize(s.parameters);
  pending_parameters_.resize(s.pending);
  assignments_.resize(s.assignments);
  ats_.resize(s.ats);
  marks_.resize(s.marks);
  ifs_.resize(s.ifs);
  options_.resize(s.options);
  selectors_.resize(s.selectors);
  statements_.resize(s.statements);
  namespaces_.resize(s.namespaces);
  block_base_ = s.block_base;
  frame_ = s.frame;
  depth_ = s.depth;
  height_ = s.height;
  frames_.go_back(s.frames);

  cursor.expect = Cursor::Expect::Operand;
  cursor.keys = Cursor::Keys::No;
  cursor.type = 0;
  cursor.lambda_at = cursor.alias_at = 0;
  if (errors_->size() >= max_errors) {
    go_to(token_count_ - 1);
    return;
  }

  go_to(after_failed_statement(frame.start));
}

void AstBuilder::go_to(uint32_t index) {
  cursor.next = index;
  cursor.at = tokens_ + index;
}

bool AstBuilder::skip_unexpected() {
  if (tokens_[cursor.next].kind == Tok::End) return false;
  go_to(cursor.next + 1);
  cursor.expect = Cursor::Expect::Operand;
  cursor.keys = Cursor::Keys::No;
  cursor.type = 0;
  statements_.clear();
  marks_.clear();
  operands_.clear();
  frame_ = nullptr;
  depth_ = height_ = 0;
  block_base_ = 0;
  frames_.clear();
  return true;
}

void AstBuilder::semicolon() {
  if (tokens_[cursor.next - 2].kind == Tok::Semicolon) syntax_error_at(cursor.next - 1);
}

void AstBuilder::open() { marks_.push_back({nodes_.size(), entries_.size(), attributes_.size(), selectors_.size(), cursor.next, 0}); }

// ---- program and statements --------------------------------------------------------------------------------------------------

Block* AstBuilder::make_block(Seq<Node*> statements, uint32_t offset, uint32_t length) {
  Block* b = make<Block>(NodeKind::Block, offset, length);
  b->statements = statements;
  return b;
}

/// Makes the Block of a body that has no place of its own in Puppet's model, so it gets its owner's place.
Block* AstBuilder::body_block(uint32_t offset) { return make_block(out_statements_, offset, 0); }

void AstBuilder::finish_file(Node* body) {
  file_->body = body;
  file_->definitions = take_from(definitions_, 0);
  file_->calls = take_from(calls_, 0);
  file_->resources = take_from(resources_, 0);
  mark_unused_results(*file_);
}

void AstBuilder::finish_program() {
  Seq<Node*> s = out_statements_;
  uint32_t offset = static_cast<uint32_t>(file_->source->text().size()), length = 0;
  if (s.size != 0) {
    offset = s[0]->offset;
    length = s[s.size - 1]->offset + s[s.size - 1]->length - offset;
  }
  file_->layout = finish_frame(BodyKind::Plain, {}, {});
  finish_file(make_block(s, offset, length));
}

void AstBuilder::epp_parameters(const DefinitionFrame& mark, bool given) {
  epp_parameters_ = take_from(parameters_, mark.parameters);
  epp_parameters_given_ = given;
}

void AstBuilder::finish_epp() {
  Epp* e = make<Epp>(NodeKind::Epp, 0, 0);
  if (epp_parameters_given_) e->flags = pupc::compiler::epp_parameters_given;
  e->parameters = epp_parameters_;
  e->body = body_block(0);
  e->layout = file_->layout = finish_frame(BodyKind::Plain, e->parameters, {});
  finish_file(e);
}

BlockMark AstBuilder::begin_block() {
  BlockMark mark{statements_.size(), block_base_, block_comma_, block_comma_name_};
  block_base_ = statements_.size();
  block_comma_ = 0;
  return mark;
}

void AstBuilder::end_block(const BlockMark& mark) {
  const uint32_t comma = block_comma_;
  const Symbol name = block_comma_name_;
  out_statements_ = take_from(statements_, mark.statements);
  block_base_ = mark.base;
  block_comma_ = mark.comma;
  block_comma_name_ = mark.comma_name;
  if (comma != 0 && tokens_[cursor.next].kind != Tok::Error) {
    std::string message = name ? "attempt to pass argument list to the function '" + std::string(name.str()) +
                                     "' which cannot be called without parentheses"
                               : std::string("illegal comma separated argument list");
    record(ErrorCode::syntax_error, cursor.next, tokens_[comma].offset, 1, std::move(message), PositionStyle::LineColumn, {});
  }
}

void AstBuilder::block(uint32_t start) {
  const RawToken& brace = tokens_[start];
  if (out_statements_.size == 1)
    out_block_ = make_block(out_statements_, out_statements_[0]->offset, out_statements_[0]->length);
  else
    out_block_ = make_block(out_statements_, brace.offset, end_offset() - brace.offset);
}

void AstBuilder::keep_state() {
  states_.push_back({operands_.size(),
                     operators_.size(),
                     nodes_.size(),
                     entries_.size(),
                     keys_.size(),
                     attributes_.size(),
                     bodies_.size(),
                     titles_.size(),
                     parameters_.size(),
                     pending_parameters_.size(),
                     assignments_.size(),
                     ats_.size(),
                     marks_.size(),
                     ifs_.size(),
                     options_.size(),
                     selectors_.size(),
                     statements_.size(),
                     block_base_,
                     namespaces_.size(),
                     frame_,
                     depth_,
                     height_,
                     frames_.state()});
}

void AstBuilder::end_statement(const StatementFrame& s) {
  states_.resize(s.state);
  if (s.first_comma == 0) {
    Node* n = nodes_.back();
    nodes_.pop_back();
    add_statement(n, {}, 0);
  } else {
    add_statement(nullptr, take_from(nodes_, s.nodes), s.first_comma);
  }
}

void AstBuilder::add_statement(Node* n, Seq<Node*> list, uint32_t first_comma) {
  Node* before = statements_.size() > block_base_ ? statements_.back() : nullptr;
  if (before != nullptr && before->kind == NodeKind::Name) {
    auto* name = static_cast<Name*>(before);
    if (is_statement_call(name->name.str())) {
      if (n != nullptr) {
        list.data = file_->arena.make_array<Node*>(1);
        list.data[0] = n;
        list.size = 1;
      }
      const Node* final_argument = list[list.size - 1];
      Call* c = make<Call>(NodeKind::Call, name->offset, final_argument->offset + final_argument->length - name->offset);
      c->flags = call_statement;
      c->functor = name;
      c->arguments = list;
      statements_.back() = c;
      return;
    }
  }
  if (n == nullptr) {
    if (block_comma_ == 0) {
      block_comma_ = first_comma;
      block_comma_name_ = before != nullptr && before->kind == NodeKind::Name ? static_cast<Name*>(before)->name : Symbol{};
    }
    for (Node* e : list) statements_.push_back(e);
    return;
  }
  if (n->kind == NodeKind::Call) n->flags &= static_cast<uint8_t>(~call_value_required);
  statements_.push_back(n);
}

// ---- assignment and relationships --------------------------------------------------------------------------------------------

Built AstBuilder::binary(Built left, uint32_t op, Built right) {
  const RawToken& t = tokens_[op];
  NodeKind kind = NodeKind::Arithmetic;
  BinaryOp o = BinaryOp::Add;
  switch (t.kind) {
  case Tok::In:
    kind = NodeKind::In;
    o = BinaryOp::In;
    break;
  case Tok::Match:
    kind = NodeKind::Match;
    o = BinaryOp::Matches;
    break;
  case Tok::NoMatch:
    kind = NodeKind::Match;
    o = BinaryOp::NotMatches;
    break;
  case Tok::Times: o = BinaryOp::Multiply; break;
  case Tok::Div: o = BinaryOp::Divide; break;
  case Tok::Modulo: o = BinaryOp::Modulo; break;
  case Tok::Plus: o = BinaryOp::Add; break;
  case Tok::Minus: o = BinaryOp::Subtract; break;
  case Tok::LShift: o = BinaryOp::ShiftLeft; break;
  case Tok::RShift: o = BinaryOp::ShiftRight; break;
  case Tok::NotEqual:
    kind = NodeKind::Comparison;
    o = BinaryOp::NotEqual;
    break;
  case Tok::IsEqual:
    kind = NodeKind::Comparison;
    o = BinaryOp::Equal;
    break;
  case Tok::GreaterEqual:
    kind = NodeKind::Comparison;
    o = BinaryOp::GreaterEqual;
    break;
  case Tok::Greater:
    kind = NodeKind::Comparison;
    o = BinaryOp::Greater;
    break;
  case Tok::Less:
    kind = NodeKind::Comparison;
    o = BinaryOp::Less;
    break;
  case Tok::LessEqual:
    kind = NodeKind::Comparison;
    o = BinaryOp::LessEqual;
    break;
  case Tok::And:
    kind = NodeKind::And;
    o = BinaryOp::And;
    break;
  case Tok::Or:
    kind = NodeKind::Or;
    o = BinaryOp::Or;
    break;
  case Tok::Equals:
  case Tok::Appends:
  case Tok::Deletes:
    kind = NodeKind::Assignment;
    o = statement_operator(t.kind);
    break;
  default:
    kind = NodeKind::Relationship;
    o = statement_operator(t.kind);
    break;
  }
  // Puppet gives binary operators the place of the operator.
  Binary* b = make_at<Binary>(kind, t);
  b->aux = static_cast<uint16_t>(o);
  b->op_offset = t.offset;
  b->left = left.node;
  b->right = right.node;
  if (kind == NodeKind::Assignment) { frames_.assignment(b); }
  uint32_t height = std::max(left.height, right.height) + 1;
  check_height(height, t.offset);
  return {b, height};
}

void AstBuilder::assignment_operator(AssignmentFrame& a) {
  const uint32_t op = cursor.next - 1;
  a.pure = false;
  switch (tokens_[op].kind) {
  case Tok::Equals:
  case Tok::Appends:
  case Tok::Deletes: assignments_.push_back({a.value, op}); break;
  default: a.op = op; break;
  }
}

// ---- resources ---------------------------------------------------------------------------------------------------------------

void AstBuilder::resource_at(ResourceFrame& r) {
  ats_.push_back(cursor.next - 1);
  r.pure = false;
}

void AstBuilder::resource_brace(ResourceFrame& r) {
  r.brace = cursor.next - 1;
  r.bodies = bodies_.size();
  r.attributes = attributes_.size();
  r.pure = false;
  height_ = 0;
  cursor.keys = Cursor::Keys::Maybe;
  cursor.type = 0;
}

void AstBuilder::class_resource(ResourceFrame& r) {
  resource_brace(r);
  cursor.keys = Cursor::Keys::No;
  const RawToken& keyword = tokens_[r.brace - 1];
  r.left = {make_name("class", keyword.offset, 0), 1}; // in Puppet this name has the place of its resource
}

void AstBuilder::title() { titles_.push_back(take()); }

void AstBuilder::resource_body(size_t mark) {
  ResourceBody body{};
  body.title = titles_.back();
  titles_.pop_back();
  body.operations = take_from(attributes_, mark);
  bodies_.push_back(body);
}

void AstBuilder::attribute(uint32_t start) {
  const RawToken& name = tokens_[start];
  Node* value = take();
  AttributeOp op{};
  op.kind = tokens_[start + 1].kind == Tok::PlusArrow ? AttributeOpKind::Append : AttributeOpKind::Set;
  op.name = symbol(name.value());
  op.value = value;
  op.offset = name.offset;
  op.length = value->offset + value->length - name.offset;
  attributes_.push_back(op);
}

void AstBuilder::splat_attribute(uint32_t start) {
  const RawToken& star = tokens_[start];
  Node* value = take();
  AttributeOp op{};
  op.kind = AttributeOpKind::Splat;
  op.value = value;
  op.offset = star.offset;
  op.length = value->offset + value->length - star.offset;
  attributes_.push_back(op);
}

void AstBuilder::end_resource(ResourceFrame& r, bool titled) {
  const uint32_t height = std::max(r.left.height, height_) + 1;
  const uint32_t offset = r.left.node->offset;
  const uint32_t length = end_offset() - offset;
  cursor.expect = Cursor::Expect::AfterResource;
  if (titled) {
    auto* e = make<ResourceExpr>(NodeKind::ResourceExpr, offset, length);
    e->type_name = r.left.node;
    e->bodies = take_from(bodies_, r.bodies);
    for (ResourceBody& b : e->bodies) b.offset = offset; // in Puppet a body has the place of its resource
    r.left = {e, height};
  } else {
    Seq<AttributeOp> ops = take_from(attributes_, r.attributes);
    switch (r.left.node->kind) {
    case NodeKind::Name: r.left = {untitled_resource(r.left, ops, r.brace), height + 1}; break;
    case NodeKind::Reference: {
      auto* d = make<ResourceDefaults>(NodeKind::ResourceDefaults, offset, length);
      d->type_ref = r.left.node;
      d->operations = ops;
      r.left = {d, height};
      break;
    }
    case NodeKind::Access: {
      auto* o = make<ResourceOverride>(NodeKind::ResourceOverride, offset, length);
      o->resources = r.left.node;
      o->operations = ops;
      r.left = {o, height};
      break;
    }
    default: error_at(offset, "Expression is not valid as a resource, resource-default, or resource-override");
    }
  }
  check_height(height, offset);
}

/// `name { a => b }`. If the name can be called as a statement, this is a call with a hash. Otherwise it becomes two expressions that
/// the checker reports.
Node* AstBuilder::untitled_resource(Built left, Seq<AttributeOp> ops, uint32_t brace) {
  auto* name = static_cast<Name*>(left.node);
  const RawToken& open_brace = tokens_[brace];
  for (const AttributeOp& op : ops) {
    if (op.kind == AttributeOpKind::Append) error_at(open_brace.offset, "Syntax error resource body without title or hash with +>");
    if (op.kind == AttributeOpKind::Splat) // Puppet fails here with an internal error
      error_at(name->offset,
               "This expression is invalid. Did you try declaring a '" + std::string(name->name.str()) + "' resource without a title?");
  }
  auto* h = make<HashLiteral>(NodeKind::HashLiteral, open_brace.offset, end_offset() - open_brace.offset);
  h->entries.size = ops.size;
  if (ops.size != 0) h->entries.data = file_->arena.make_array<KeyedEntry>(ops.size);
  for (uint32_t i = 0; i < ops.size; ++i) h->entries.data[i] = {make_string(ops[i].name.str(), h->offset, 0), ops[i].value, h->offset};
  const uint32_t length = end_offset() - name->offset;
  if (is_statement_call(name->name.str())) {
    Call* c = make<Call>(NodeKind::Call, name->offset, length);
    c->flags = call_statement;
    c->functor = name;
    c->arguments.size = 1;
    c->arguments.data = file_->arena.make_array<Node*>(1);
    c->arguments.data[0] = h;
    return c;
  }
  Seq<Node*> both;
  both.size = 2;
  both.data = file_->arena.make_array<Node*>(2);
  both.data[0] = name;
  both.data[1] = h;
  return make_block(both, name->offset, length);
}

/// Makes a resource virtual or exported.
void AstBuilder::apply_ats(ResourceFrame& r) {
  while (ats_.size() > r.ats) {
    const uint32_t index = ats_.back();
    ats_.pop_back();
    const RawToken& at = tokens_[index];
    const bool exported = at.kind == Tok::AtAt;
    Node* n = r.left.node;
    if (n->kind != NodeKind::ResourceExpr && n->kind != NodeKind::ResourceDefaults && n->kind != NodeKind::ResourceOverride)
      error_at(at.offset, exported ? "Exported (@@) can only be applied to a Resource Expression"
                                   : "Virtual (@) can only be applied to a Resource Expression");
    n->aux = static_cast<uint16_t>(exported ? ResourceForm::Exported : ResourceForm::Virtual);
    n->length += n->offset - at.offset;
    n->offset = at.offset;
    if (n->kind == NodeKind::ResourceExpr) {
      auto* resource = static_cast<ResourceExpr*>(n);
      for (ResourceBody& b : resource->bodies) b.offset = at.offset;
      if (resource->type_name->length == 0) resource->type_name->offset = at.offset;
    }
  }
}

} // namespace pupc::compiler
