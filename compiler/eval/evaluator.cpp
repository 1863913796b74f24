// The walk over the tree: literals, blocks, conditions, interpolation, and where errors get their place.
#include "catalog/base/excerpt.h"
#include "catalog/value/bytes_text.h"
#include "catalog/value/frozen.h"
#include "catalog/value/number_format.h"
#include "compiler/check/heredoc_syntax.h"
#include "compiler/eval/catalog_builder.h"
#include "compiler/eval/evaluator_state.h"
#include "compiler/eval/labels.h"
#include "compiler/eval/trace.h"
#include "compiler/eval/type_loader.h"
#include "compiler/load/parsed_files.h"
#include "compiler/types/core_types.h"

#include <algorithm>
#include <cassert>
#include <fmt/format.h>

namespace pupc::compiler {
namespace {

bool has_place(const Diagnostic& d) { return d.loc || !d.file.empty() || d.line != 0 || d.preformatted; }

/// Defines are evaluated after the bodies that declare them, so the running bodies are not yet the whole way to the place.
void fill_trace(const std::vector<TraceFrame>& frames, CatalogBuilder* builder, Diagnostic& d) {
  if (d.trace.size() > (cause_of(d) ? 1U : 0U)) return;
  const bool in_bodies = std::ranges::any_of(frames,
                                             [](const TraceFrame& f) { return f.scope != nullptr && f.scope->resource != no_resource; });
  const Catalog* catalog = builder == nullptr || !in_bodies ? nullptr : &builder->catalog();
  for (size_t i = frames.size(); i-- > 0 && d.trace.size() < trace_limit;) {
    const TraceFrame& f = frames[i];
    if (f.node != nullptr)
      d.trace.push_back({fmt::format("function {}", f.node->as<FunctionDef>().name.str()), f.loc});
    else
      trace_scope(*f.scope, catalog, d.trace);
  }
  if (!frames.empty() && frames.front().scope != nullptr) trace_scopes(frames.front().scope->parent, catalog, d.trace);
}

} // namespace

void trace_scope(const Scope& scope, const Catalog* catalog, std::vector<TraceEntry>& trace) {
  const std::string source = scope_source(scope); // Scope(Class[main])
  std::string what = source.substr(6, source.size() - 7);
  if (catalog != nullptr && scope.resource != no_resource) {
    const Resource& r = (*catalog)[scope.resource];
    what += position_suffix(catalog->file_name(r.file), r.line, 0);
  }
  trace.push_back({std::move(what), {}});
}

void trace_scopes(const Scope* scope, const Catalog* catalog, std::vector<TraceEntry>& trace) {
  for (; scope != nullptr && trace.size() < trace_limit; scope = scope->parent) trace_scope(*scope, catalog, trace);
}

void fail_stack_overflow(Evaluator& e, const Node& at) {
  e.fail(ErrorCode::stack_overflow, at, "the code is nested too deeply or calls itself without end (stack level too deep)");
}

void fail_unplaced(std::string message, ErrorCode code) {
  Diagnostic d;
  d.code = code;
  d.message = std::move(message);
  throw CompileError(std::move(d));
}

// ---------------------------------------------------------------------------------------------------------------------
// construction, places, logs

Evaluator::Evaluator(Arena& arena, const Environment& environment, const FunctionRegistry& functions, LogSink& log,
                     CompileSettings settings)
    : arena_(arena), environment_(environment), functions_(functions), log_(log), settings_(settings),
      regexes_(std::make_shared<RegexCache>(environment.regexes())), types_(std::make_unique<TypeLoader>(*this)),
      state_(std::make_unique<State>()) {}

Evaluator::~Evaluator() = default;

CatalogBuilder& Evaluator::catalog() {
  if (catalog_ == nullptr) throw_error(ErrorCode::internal_error, {}, "the evaluator has no catalog");
  return *catalog_;
}

Loc Evaluator::loc_of(const Node& node) const {
  const SourceFile* source = file_ ? file_->source.get() : nullptr;
  switch (node.kind) {
  case NodeKind::Arithmetic:
  case NodeKind::Comparison:
  case NodeKind::Match:
  case NodeKind::In:
  case NodeKind::And:
  case NodeKind::Or:
  case NodeKind::Assignment:
  case NodeKind::Relationship: {
    const auto& binary = node.as<Binary>();
    return {source, binary.op_offset, static_cast<uint32_t>(spelling(binary.op()).size())};
  }
  default: return {source, node.offset, node.length};
  }
}

void Evaluator::fail(ErrorCode code, const Node& at, std::string message) { fail_at(code, loc_of(at), std::move(message)); }

void Evaluator::fail_at(ErrorCode code, Loc at, std::string message) {
  Diagnostic d;
  d.code = code;
  d.loc = at;
  d.message = "Evaluation Error: " + std::move(message);
  fill_trace(state_->trace, catalog_, d);
  throw CompileError(std::move(d));
}

void Evaluator::place(CompileError& error, const Node& at) {
  Diagnostic& d = error.diagnostic;
  if (has_place(d)) return;
  d.loc = loc_of(at);
  d.style = PositionStyle::LineColumn;
  d.message = fmt::format("Evaluation Error: Error while evaluating {}, {}", a_an(label(at)), d.message);
  fill_trace(state_->trace, catalog_, d);
}

void Evaluator::log(LogLevel level, std::string_view source, std::string message) {
  log_.log({level, std::string(source), std::move(message)});
}

void Evaluator::warn(Loc loc, std::string message) {
  if (loc) {
    LineColumn p = loc.position();
    message += position_suffix(loc.file->path(), p.line, p.column);
  }
  log_.log({LogLevel::Warning, "", std::move(message)});
}

void Evaluator::warn_once(std::string_view key, Loc loc, std::string message) {
  if (!state_->warned.emplace(key).second) return;
  if (loc) message += position_suffix(loc.file->path(), loc.position().line, 0);
  log_.log({LogLevel::Warning, "", std::move(message)});
}

BodyGuard::BodyGuard(Evaluator& e, Scope& scope)
    : evaluator(e), file(e, scope.file), entered(scope), previous(e.current_scope()), saved(e.match()) {
  if (previous != nullptr) previous->match = saved;
  e.current_scope() = &scope;
  MatchData visible;
  for (const Scope* s = &scope; s != nullptr && visible.groups == nullptr; s = s->inherited ? s->inherited : s->enclosing)
    visible = s->match;
  e.match() = visible;
  e.push_trace(scope);
}

BodyGuard::~BodyGuard() {
  evaluator.pop_trace();
  entered.match = evaluator.match();
  evaluator.current_scope() = previous;
  evaluator.match() = saved;
}

void Evaluator::keep_alive(std::shared_ptr<const ParsedFile> file) {
  if (state_->kept.empty() || state_->kept.back() != file) state_->kept.push_back(std::move(file));
}

std::vector<std::shared_ptr<const ParsedFile>> Evaluator::take_kept_files() { return std::move(state_->kept); }

void Evaluator::push_trace(const Scope& scope) { state_->trace.push_back({nullptr, &scope, {}, nullptr}); }
void Evaluator::pop_trace() { state_->trace.pop_back(); }

// ---------------------------------------------------------------------------------------------------------------------
// statements

Value Evaluator::evaluate(const Node& node, Frame& frame) {
  switch (node.kind) {
  case NodeKind::Literal:
  case NodeKind::RegexLiteral: return node.as<Literal>().value;
  case NodeKind::Variable: {
    const auto& v = node.as<Variable>();
    if (v.slot != Variable::no_slot) {
      const Frame* f = &frame;
      for (uint16_t up = v.up; up != 0; --up) f = f->up;
      assert(v.slot < f->layout->names.size);
      const Value& x = f->slot(v.slot);
      if (x.flags < unevaluated_slot) [[likely]]
        return x;
    }
    return EvaluatorImpl::variable(*this, v, frame);
  }
  default: return EvaluatorImpl::evaluate_slow(*this, node, frame);
  }
}

Value EvaluatorImpl::evaluate_slow(Evaluator& e, const Node& node, Frame& frame) {
  if (native_stack_low()) [[unlikely]]
    fail_stack_overflow(e, node);
  switch (node.kind) {
  case NodeKind::Nop: return Value::undef();
  case NodeKind::Literal:
  case NodeKind::RegexLiteral:
  case NodeKind::Variable: return e.evaluate(node, frame);
  case NodeKind::Name: return frozen_text(Value::string(node.as<Name>().name.str()));
  case NodeKind::Reference: return reference(e, node.as<Reference>(), frame);
  case NodeKind::ReservedWord:
    e.fail(ErrorCode::evaluation_error, node,
           fmt::format("Use of reserved word: {}, must be quoted if intended to be a String value", node.as<ReservedWord>().word.str()));
  case NodeKind::Interpolation: return interpolation(e, node.as<Interpolation>(), frame);
  case NodeKind::Heredoc: return heredoc(e, node.as<Heredoc>(), frame);
  case NodeKind::ListLiteral: return list_literal(e, node.as<ListLiteral>(), frame);
  case NodeKind::HashLiteral: return hash_literal(e, node.as<HashLiteral>(), frame);
  case NodeKind::Access: return access(e, node.as<Access>(), frame);
  case NodeKind::Call: return call(e, node.as<Call>(), frame);
  case NodeKind::MethodCall: return method_call(e, node.as<MethodCall>(), frame);
  case NodeKind::Arithmetic: return arithmetic(e, node.as<Binary>(), frame);
  case NodeKind::Comparison: return comparison(e, node.as<Binary>(), frame);
  case NodeKind::Match: return match(e, node.as<Binary>(), frame);
  case NodeKind::In: {
    Value left = e.evaluate(*node.as<Binary>().left, frame);
    Value right = e.evaluate(*node.as<Binary>().right, frame);
    try {
      return Value::boolean(e.includes(right, left));
    } catch (const CompileError& error) {
      if (error.diagnostic.loc || is_limit(error.diagnostic.code)) throw;
      e.fail(ErrorCode::evaluation_error, node, "Error while evaluating an 'in' expression, " + error.diagnostic.message);
    }
  }
  case NodeKind::And: {
    const auto& b = node.as<Binary>();
    return Value::boolean(e.evaluate(*b.left, frame).truthy() && e.evaluate(*b.right, frame).truthy());
  }
  case NodeKind::Or: {
    const auto& b = node.as<Binary>();
    return Value::boolean(e.evaluate(*b.left, frame).truthy() || e.evaluate(*b.right, frame).truthy());
  }
  case NodeKind::Assignment: return assignment(e, node.as<Binary>(), frame);
  case NodeKind::Not: return Value::boolean(!e.evaluate(*node.as<Unary>().operand, frame).truthy());
  case NodeKind::Minus: return minus(e, node.as<Unary>(), frame);
  case NodeKind::Unfold: return unfold(e, node.as<Unary>(), frame);
  case NodeKind::Parenthesized: return e.evaluate(*node.as<Unary>().operand, frame);
  case NodeKind::If: return if_statement(e, node.as<If>(), frame, nullptr);
  case NodeKind::Case: return case_statement(e, node.as<Case>(), frame, nullptr);
  case NodeKind::Selector: return selector(e, node.as<Selector>(), frame);
  case NodeKind::Block: return block(e, node.as<Block>(), frame, nullptr);
  case NodeKind::RenderString: render(e, Value::string(node.as<RenderString>().text)); return Value::undef();
  case NodeKind::RenderExpr: render(e, e.evaluate(*node.as<Unary>().operand, frame)); return Value::undef();
  case NodeKind::ResourceExpr:
  case NodeKind::ResourceDefaults:
  case NodeKind::ResourceOverride:
  case NodeKind::Collector:
  case NodeKind::Relationship: return catalog_node(e, node, frame);
  // Loading the file already made the definitions known; as statements they yield nothing.
  case NodeKind::ClassDef:
  case NodeKind::DefineDef:
  case NodeKind::NodeDef:
  case NodeKind::FunctionDef:
  case NodeKind::TypeAlias:
  case NodeKind::TypeDefinition:
  case NodeKind::TypeMapping: return Value::undef();
  case NodeKind::Lambda:
  case NodeKind::Epp: break;
  }
  e.fail(ErrorCode::not_implemented, node, fmt::format("pupc cannot evaluate {} here", a_an(label(node))));
}

Value EvaluatorImpl::catalog_node(Evaluator& e, const Node& node, Frame& frame) {
  try {
    switch (node.kind) {
    case NodeKind::ResourceExpr: return e.catalog().evaluate_resource(node.as<ResourceExpr>(), frame);
    case NodeKind::ResourceDefaults: return e.catalog().evaluate_defaults(node.as<ResourceDefaults>(), frame);
    case NodeKind::ResourceOverride: return e.catalog().evaluate_override(node.as<ResourceOverride>(), frame);
    case NodeKind::Collector: return e.catalog().evaluate_collector(node.as<Collector>(), frame);
    default: return e.catalog().evaluate_relationship(node.as<Binary>(), frame);
    }
  } catch (CompileError& error) {
    e.place(error, node);
    throw;
  }
}

Value EvaluatorImpl::statement(Evaluator& e, const Node& node, Frame& frame, Flow* flow) {
  if (flow == nullptr) return e.evaluate(node, frame);
  switch (node.kind) {
  case NodeKind::If: return if_statement(e, node.as<If>(), frame, flow);
  case NodeKind::Case: return case_statement(e, node.as<Case>(), frame, flow);
  case NodeKind::Block: return block(e, node.as<Block>(), frame, flow);
  case NodeKind::Call: {
    const auto& call = node.as<Call>();
    if (call.functor->kind != NodeKind::Name || call.lambda != nullptr || call.arguments.size > 1) break;
    Symbol name = call.functor->as<Name>().name;
    if (name != sym::next && name != sym::return_) break;
    if (call.arguments.size == 1 && call.arguments[0]->kind == NodeKind::Unfold) break;
    Value value = call.arguments.size == 1 ? e.evaluate(*call.arguments[0], frame) : Value::undef();
    *flow = {name == sym::next ? Flow::Kind::Next : Flow::Kind::Return, value, e.loc_of(node)};
    return value;
  }
  default: break;
  }
  return e.evaluate(node, frame);
}

Value EvaluatorImpl::block(Evaluator& e, const Block& node, Frame& frame, Flow* flow) {
  Value last;
  for (const Node* s : node.statements) {
    last = statement(e, *s, frame, flow);
    if (flow != nullptr && *flow) return last;
  }
  return last;
}

void fail_illegal_jump(std::string_view function, Loc loc) {
  Diagnostic d;
  d.code = ErrorCode::evaluation_error;
  d.style = PositionStyle::Line;
  d.message = fmt::format("{}() from context where this is illegal", function);
  d.loc = loc;
  if (loc && loc.file->path().empty()) { // in this message Puppet names even code without a file
    d.loc = {};
    d.file = "unknown";
    d.line = loc.position().line;
  }
  throw CompileError(std::move(d));
}

Value Evaluator::evaluate_main(const Block& node, Frame& frame) {
  try {
    return EvaluatorImpl::block(*this, node, frame, nullptr);
  } catch (const BreakSignal& signal) { fail_illegal_jump("break", signal.loc); } catch (const NextSignal& signal) {
    fail_illegal_jump("next", signal.loc);
  } catch (const ReturnSignal& signal) { fail_illegal_jump("return", signal.loc); }
}

Value Evaluator::evaluate_manifest(const ParsedFile& file, Frame& frame) {
  EvaluatorImpl::Running running(*this, {file.source.get(), 0, 0}, true);
  return evaluate_main(file.body->as<Block>(), frame);
}

void Evaluator::note_search(const std::string& name, NodeKind kind) {
  const std::string& kept = *state_->searched.insert(name).first;
  auto& known = kind == NodeKind::ClassDef ? state_->searched_classes : state_->searched_defines;
  if (known.insert(&kept).second) state_->searches.push_back({&kept, kind});
}

const std::vector<Evaluator::Search>& Evaluator::searches() const { return state_->searches; }

const Module* Evaluator::calling_module() const { return file_ == nullptr ? nullptr : environment_.module_of(file_->source->path()); }

Value Evaluator::evaluate_body(const Block& node, Frame& frame) {
  Flow flow;
  try {
    return EvaluatorImpl::block(*this, node, frame, &flow);
  } catch (const NextSignal& signal) { return signal.value; } catch (const ReturnSignal& signal) {
    return signal.value;
  }
}

Value EvaluatorImpl::if_statement(Evaluator& e, const If& node, Frame& frame, Flow* flow) {
  MatchGuard guard(e);
  bool holds = e.evaluate(*node.test, frame).truthy();
  if (node.flags & if_unless) holds = !holds;
  if (holds) return block(e, *node.then_block, frame, flow);
  if (node.else_part == nullptr) return Value::undef();
  return statement(e, *node.else_part, frame, flow);
}

namespace {

const Node& without_parentheses(const Node& node) {
  const Node* n = &node;
  while (n->kind == NodeKind::Parenthesized) n = n->as<Unary>().operand;
  return *n;
}

bool is_default_literal(const Node& node) { return node.kind == NodeKind::Literal && node.as<Literal>().value.is(Kind::Default); }

} // namespace

/// `statement`: the case or selector to which errors belong.
bool EvaluatorImpl::option_matches(Evaluator& e, const Node& option, const Value& test, const Node& statement, Frame& frame) {
  Value value = e.evaluate(option, frame);
  try {
    if (option.kind == NodeKind::Unfold) {
      for (const Value& v : value.items())
        if (match_pattern(e, v, test)) return true;
      return false;
    }
    return match_pattern(e, value, test);
  } catch (CompileError& error) {
    e.place(error, statement);
    throw;
  }
}

Value EvaluatorImpl::case_statement(Evaluator& e, const Case& node, Frame& frame, Flow* flow) {
  MatchGuard guard(e);
  Value test = e.evaluate(*node.test, frame);
  const Block* otherwise = nullptr;
  for (const CaseOption& option : node.options)
    for (const Node* value : option.values) {
      const Node& expression = without_parentheses(*value);
      if (is_default_literal(expression))
        otherwise = option.body;
      else if (option_matches(e, expression, test, node, frame))
        return block(e, *option.body, frame, flow);
    }
  return otherwise ? block(e, *otherwise, frame, flow) : Value::undef();
}

Value EvaluatorImpl::selector(Evaluator& e, const Selector& node, Frame& frame) {
  MatchGuard guard(e);
  Value test = e.evaluate(*node.left, frame);
  const Node* otherwise = nullptr;
  for (const SelectorEntry& entry : node.entries) {
    const Node& expression = without_parentheses(*entry.match);
    if (is_default_literal(expression))
      otherwise = entry.value;
    else if (option_matches(e, expression, test, node, frame))
      return e.evaluate(*entry.value, frame);
  }
  if (otherwise != nullptr) return e.evaluate(*otherwise, frame);
  e.fail(ErrorCode::evaluation_error, *node.left, fmt::format("No matching entry for selector parameter with value '{}'", ruby_to_s(test)));
}

// ---------------------------------------------------------------------------------------------------------------------
// collections and text

Value EvaluatorImpl::unfold(Evaluator& e, const Unary& node, Frame& frame) {
  Value v = e.evaluate(*node.operand, frame);
  switch (v.kind) {
  case Kind::List: return v;
  case Kind::Undef: return make_list(e.arena(), {});
  case Kind::Hash: {
    ListBuilder pairs(e.arena(), v.hash->size);
    for (const auto& entry : v.hash->entries()) {
      const Value pair[2] = {entry.key, entry.value};
      pairs.add(make_list(e.arena(), pair));
    }
    return pairs.finish();
  }
  case Kind::Iterator: return Value::of(as_iterator(v)->elements);
  default: return make_list(e.arena(), {&v, 1});
  }
}

void Evaluator::evaluate_spread(const Seq<Node*>& nodes, Frame& frame, std::vector<Value>& out) {
  for (const Node* n : nodes) {
    const Node& node = without_parentheses(*n);
    Value v = evaluate(node, frame);
    if (node.kind == NodeKind::Unfold)
      out.insert(out.end(), v.items().begin(), v.items().end());
    else
      out.push_back(v);
  }
}

Value EvaluatorImpl::list_literal(Evaluator& e, const ListLiteral& node, Frame& frame) {
  bool spread = false;
  for (const Node* n : node.elements) spread |= without_parentheses(*n).kind == NodeKind::Unfold;
  if (spread) {
    std::vector<Value> items;
    e.evaluate_spread(node.elements, frame, items);
    return make_list(e.arena(), items);
  }
  Value* items = e.arena().make_array<Value>(node.elements.size);
  for (uint32_t i = 0; i < node.elements.size; ++i) items[i] = e.evaluate(*node.elements[i], frame);
  return Value::of(e.arena().make<List>(List{node.elements.size, items}));
}

Value EvaluatorImpl::hash_literal(Evaluator& e, const HashLiteral& node, Frame& frame) {
  HashBuilder hash(e.arena(), node.entries.size);
  for (const KeyedEntry& entry : node.entries) {
    Value key = e.evaluate(*entry.key, frame);
    hash.set(key, e.evaluate(*entry.value, frame));
  }
  return hash.finish();
}

namespace {

void append_string(Evaluator& e, std::string& out, const Value& v) {
  switch (v.kind) {
  case Kind::Undef: return;
  case Kind::Ref: out += to_string(*v.ref); return;
  case Kind::String:
  case Kind::Uri: out += v.str(); return;
  case Kind::Bool: out += v.b ? "true" : "false"; return;
  case Kind::Int: fmt::format_to(std::back_inserter(out), "{}", v.i); return;
  case Kind::Float: out += format_float(v.d); return;
  case Kind::Default: out += "default"; return;
  case Kind::Sensitive: out += "Sensitive [value redacted]"; return;
  case Kind::List: {
    check_native_stack();
    out += '[';
    bool first = true;
    for (const Value& item : v.items()) {
      if (!first) out += ", ";
      first = false;
      append_string(e, out, item);
    }
    out += ']';
    return;
  }
  case Kind::Hash: {
    check_native_stack();
    out += '{';
    bool first = true;
    for (const auto& entry : v.hash->entries()) {
      if (!first) out += ", ";
      first = false;
      append_string(e, out, entry.key);
      out += " => ";
      append_string(e, out, entry.value);
    }
    out += '}';
    return;
  }
  case Kind::Regex: // with the delimiters that Puppet prints
  case Kind::Type:
  case Kind::Deferred:
  case Kind::Timestamp:
  case Kind::Timespan:
  case Kind::SemVer:
  case Kind::SemVerRange:
  case Kind::Binary:
  case Kind::Object:
  case Kind::Iterator:
  case Kind::Callable: out += to_display_string(e.types(), v); return;
  }
}

} // namespace

std::string Evaluator::to_string(const Value& value) {
  std::string out;
  append_string(*this, out, value);
  return out;
}

Value EvaluatorImpl::interpolation(Evaluator& e, const Interpolation& node, Frame& frame) {
  std::string text;
  bool bytes = false;
  for (const Node* part : node.parts) {
    Value v = e.evaluate(*part, frame);
    if (node.parts.size == 1 && v.is_string()) { // a text of its own, which Ruby code can change
      v = thawed(e.arena(), v);
      v.s = e.arena().copy(v.str()).data();
      return v;
    }
    if (part == node.parts[0]) bytes = is_bytes_text(v); // Ruby's join takes the encoding of the first text
    try {
      append_string(e, text, v);
    } catch (CompileError& error) {
      e.place(error, *part);
      throw;
    }
  }
  Value joined = Value::string(e.arena().copy(text));
  return bytes ? bytes_text(joined) : joined;
}

Value EvaluatorImpl::heredoc(Evaluator& e, const Heredoc& node, Frame& frame) {
  Value text = e.evaluate(*node.text, frame);
  // Static text was checked when its file was loaded.
  if (node.syntax.empty() || node.text->kind == NodeKind::Literal || !text.is_string()) return text;
  const EnvironmentOptions& options = e.environment_.options();
  auto tell = [&e](const LogEntry& message) { e.log_.log(message); };
  std::string problem = heredoc_text_error(node.syntax, text.str(), embedded_code_check(*e.regexes_, options.check, tell));
  if (!problem.empty()) throw_error(ErrorCode::evaluation_error, e.loc_of(*node.text), std::move(problem));
  return text;
}

void EvaluatorImpl::render(Evaluator& e, const Value& v) {
  TemplateOutput* out = e.state_->output;
  if (out == nullptr) fail_unplaced("template text outside of a template", ErrorCode::internal_error);
  if (v.is(Kind::Sensitive)) {
    out->sensitive = true;
    append_string(e, out->text, v.unwrap());
  } else {
    append_string(e, out->text, v);
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// types

Value EvaluatorImpl::reference(Evaluator& e, const Reference& node, Frame&) {
  try {
    auto& loader = static_cast<TypeLoader&>(e.types());
    if (const Type* type = loader.named(node.cased, node.name)) return Value::type(type);
  } catch (CompileError& error) {
    e.place(error, node);
    throw;
  }
  e.fail(ErrorCode::invalid_type, node, fmt::format("Resource type not found: {}", node.cased.str()));
}

namespace {

/// Whether a type expression is the same whenever it is evaluated: no variables, calls or operators.
bool is_constant(const Node& node) {
  switch (node.kind) {
  case NodeKind::Literal:
  case NodeKind::RegexLiteral:
  case NodeKind::Name:
  case NodeKind::Reference: return true;
  case NodeKind::Minus:
  case NodeKind::Parenthesized: return is_constant(*node.as<Unary>().operand);
  case NodeKind::Access:
    if (!is_constant(*node.as<Access>().left)) return false;
    for (const Node* key : node.as<Access>().keys)
      if (!is_constant(*key)) return false;
    return true;
  case NodeKind::ListLiteral:
    for (const Node* element : node.as<ListLiteral>().elements)
      if (!is_constant(*element)) return false;
    return true;
  case NodeKind::HashLiteral:
    for (const KeyedEntry& entry : node.as<HashLiteral>().entries)
      if (!is_constant(*entry.key) || !is_constant(*entry.value)) return false;
    return true;
  default: return false;
  }
}

} // namespace

const Type* Evaluator::evaluate_type(const Node* expression, Frame& frame) {
  static const Type* const any = builtin_type("Any");
  if (expression == nullptr) return any;
  auto known = state_->types.find(expression);
  if (known != state_->types.end()) return known->second;
  Value v = evaluate(*expression, frame);
  const Type* type = as_type(v);
  if (type == nullptr)
    fail(ErrorCode::invalid_type, *expression, fmt::format("Expected value of type Type, got {}", type_name_of(types(), v)));
  if (is_constant(*expression)) state_->types.emplace(expression, type);
  return type;
}

} // namespace pupc::compiler
