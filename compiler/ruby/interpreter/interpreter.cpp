// Evaluation of nodes: variables, control structures, calls with their arguments and blocks.
#include "compiler/ruby/interpreter/interpreter.h"
#include "compiler/ruby/interpreter/library.h"
#include "compiler/ruby/interpreter/restore.h"
#include "compiler/ruby/values/known_methods.h"

#include "catalog/base/limits.h"
#include "catalog/base/stack.h"
#include "catalog/value/frozen.h"
#include "compiler/types/lookup_context.h"

#include <fmt/format.h>

#include <algorithm>

namespace pupc::compiler::ruby {

void Interpreter::too_many_steps(uint32_t line) { not_rendered(line, "too many steps"); }

LocalScope* Interpreter::make_environ(LocalScope* up, int32_t slots) {
  static_assert(sizeof(LocalScope) % alignof(RubyValue) == 0 && alignof(LocalScope) >= alignof(RubyValue));
  void* const room = slots_.allocate(sizeof(LocalScope) + sizeof(RubyValue) * static_cast<size_t>(slots), alignof(LocalScope));
  auto* const values = reinterpret_cast<RubyValue*>(static_cast<LocalScope*>(room) + 1);
  std::uninitialized_value_construct_n(values, slots);
  return new (room) LocalScope{up, values};
}

/// Runs code of the outermost template or function.
template <class F> void Interpreter::run_outermost(const F& code) {
  host.logs_wait_in(logs);
  try {
    code();
  } catch (const RubyError& error) {
    if (error.unworded) not_rendered(error.line, error.message);
    give_logs(); // an error of Ruby's comes after them
    throw;
  } catch (const CompileError&) {
    give_logs();
    throw;
  } catch (const KeyNotFoundSignal&) {
    give_logs();
    throw;
  } catch (const BreakJump&) { not_rendered(1, "break outside of a block"); } catch (const NextJump&) {
    not_rendered(1, "next outside of a block");
  } catch (const ReturnJump&) { not_rendered(1, "return outside of a method"); } catch (const ThrowJump&) {
    not_rendered(1, "throw without catch");
  } catch (const RetryJump&) { not_rendered(1, "retry outside of rescue"); }
}

std::string Interpreter::run() {
  environ_ = make_environ(nullptr, program_->slots);
  know_template_methods();
  run_outermost([&] { eval(program_->body); });
  if (changed) give_back_changed();
  for (const auto& [name, value] : pending_variables_) host.set_variable(name, value);
  give_logs();
  keep_template_methods();
  return std::move(out_);
}

void Interpreter::know_template_methods() {
  if (const TemplateMethods* known = host.template_methods())
    for (const auto& [name, method] : *known) {
      RubyMethod& own = methods_[name];
      own = {};
      own.def = method.def;
      own.program = method.program.get();
      own.kept = true;
    }
}

void Interpreter::keep_template_methods() {
  for (const auto& [name, method] : methods_)
    if (!method.kept) host.define_template_method(name, *method.program, *method.def, method.path);
}

void Interpreter::give_logs() {
  for (RubyHost::Log& log : std::exchange(logs, {})) host.log(std::move(log));
}

std::string Interpreter::place_of(uint32_t line) {
  const Def* def = method_ == nullptr || method_->method == nullptr ? nullptr : method_->method->def;
  if (def == nullptr || method_->environ != environ_ || path_.empty()) not_rendered(line, "the place of a call outside of a method");
  return fmt::format("{}:{}:in `{}'", path_, line, def->name);
}

void Interpreter::define() {
  environ_ = make_environ(nullptr, program_->slots);
  defining_ = loading_ = true;
  eval(program_->body);
  defining_ = false;
  end_loading();
}

bool Interpreter::can_go_on() const {
  return !changed && !extended && singletons_.empty() && required_.empty() && globals_.empty() && own_class_variables_.empty() &&
         steps_before_ + steps_ < 20'000;
}

void Interpreter::go_on() {
  steps_before_ += std::exchange(steps_, 0);
  if (!own_program_.keeps_state) instance_variables_.clear();
  before_ = {};
  undoes = own_program_.keeps_state;
  changed = false;
  read_.clear();
  own_variables_.clear();
  pending_variables_.clear();
  logs.clear();
  last_match = {};
  environ_ = nullptr;
  break_target_ = nullptr;
  missed_ = nullptr;
  leaving_ = false;
  method_ = nullptr;
  outermost_ = nullptr;
  running_ = nullptr;
  rescued_ = nullptr;
}

Value Interpreter::call(std::string_view method, std::span<const Value> args, bool with_block, bool with_scope) {
  std::vector<RubyValue> values;
  values.reserve(args.size() + 1);
  if (!shared_arguments_) copies_ = args;
  if (with_scope) values.push_back(RubyValue::scope());
  given_scope_ = with_scope;
  std::optional<LastCall> last;
  if (program_->self == Self::Scope) {
    environ_ = make_environ(nullptr, program_->slots);
    loading_ = true;
    run_outermost([&] { eval(program_->body); });
    end_loading();
  }
  for (const Value& arg : args) {
    HostObject* resource = program_->self == Self::Scope && arg.is_type() ? host.resource_of(arg) : nullptr;
    values.push_back(resource != nullptr ? RubyValue::of(resource) : from_puppet(arg));
  }
  RubyValue result;
  try {
    run_outermost([&] {
      RubyProc block;
      if (program_->self == Self::Scope) {
        block.node = program_->function; // Puppet defines a method of the scope from it, so it is called like a lambda
        block.environ = environ_;
        block.self = self_;
        RubyValue all = list(std::move(values));
        result = call_lambda(block, {&all, 1}, 1, false);
      } else {
        block.of_host = true;
        result = call_defined(methods_.at(method),
                              {RubyValue::instance(), MethodId::unknown, method, values, with_block ? &block : nullptr, 1});
      }
    });
  } catch (LastCall& call) { last = std::move(call); }
  if (changed && has_changed_outside()) not_rendered(1, "an argument that is changed in place");
  const Value value = result_matters_ ? to_puppet(result, 1) : Value::undef();
  for (const auto& [name, set] : pending_variables_) host.set_variable(name, set);
  give_logs();
  if (!last) return value;
  host.calls_for_itself(last->for_itself);
  return host.call_with_effects(last->name, last->args, last->old_api);
}

/// What is met often. A kind that needs room on the stack has a function of its own: here all nodes would pay for it.
RubyValue Interpreter::eval_node(const Node& node) {
  if (native_stack_low()) too_deep(node.line);
  switch (node.type) {
  case NodeType::Nil: return {};
  case NodeType::True: return RubyValue::boolean(true);
  case NodeType::False: return RubyValue::boolean(false);
  case NodeType::Integer: return RubyValue::integer(node.as<Number>().integer);
  case NodeType::Float: return RubyValue::floating(node.as<Number>().real);
  case NodeType::String: return eval_text(node.as<TextLiteral>());
  case NodeType::Symbol: return eval_symbol(node.as<TextLiteral>());
  case NodeType::Regex: return eval_regex(node.as<RegexLiteral>());
  case NodeType::Array: return eval_list(node.as<ListLiteral>());
  case NodeType::Hash: return eval_hash(node.as<HashLiteral>());
  case NodeType::Range: return eval_range(node.as<RangeLiteral>());
  case NodeType::Local: return slot(node.as<LocalVariable>());
  case NodeType::Instance: return instance_variable(node.as<NamedVariable>().name);
  case NodeType::MatchGroup: return match_group(node.as<MatchGroup>());
  case NodeType::Constant: return eval_constant(node.as<Constant>());
  case NodeType::Self: return self_;
  case NodeType::Yield: return eval_yield(node.as<Yield>());
  case NodeType::Return: return eval_return(node.as<Leave>());
  case NodeType::Next: return eval_next(node.as<Leave>());
  case NodeType::Assign: return eval_assign(node.as<Assign>());
  case NodeType::AssignMany: return eval_assign_many(node.as<AssignMany>());
  case NodeType::OpAssign: return eval_op_assign(node.as<OpAssign>());
  case NodeType::And:
  case NodeType::Or: return eval_both(node.as<Binary>());
  case NodeType::Not: return eval_not(node.as<Unary>());
  case NodeType::If: return eval_if(node.as<If>());
  case NodeType::While: return eval_while(node.as<While>());
  case NodeType::For: return eval_for(node.as<For>());
  case NodeType::Case: return eval_case(node.as<Case>());
  case NodeType::Call: return eval_call(node.as<Call>());
  case NodeType::Sequence: return eval_sequence(node.as<Sequence>());
  case NodeType::Begin: return eval_begin(node.as<Begin>());
  case NodeType::Text: return eval_piece(node.as<TextPiece>());
  case NodeType::Output: return eval_output(node.as<Unary>());
  default: return eval_rare(node);
  }
}

/// Definitions, and what else most code has few of.
RubyValue Interpreter::eval_rare(const Node& node) {
  switch (node.type) {
  case NodeType::Lambda: return make_lambda(*node.as<Lambda>().block);
  case NodeType::Def: return eval_def(node.as<Def>());
  case NodeType::Class: return eval_class(node.as<Class>());
  case NodeType::SingletonClass: return eval_singleton_class(node.as<SingletonClass>());
  case NodeType::Alias:
    if (nesting_ == nullptr) not_rendered(node.line, "an alias outside of a class");
    define_alias(*nesting_->module, node.as<Alias>().name->text, node.as<Alias>().old->text, node.line);
    return {};
  case NodeType::Super: return eval_super(node.as<Super>());
  case NodeType::Retry: throw RetryJump{};
  case NodeType::CurrentMethod:
    if (method_ == nullptr || method_->method == nullptr || method_->method->def == nullptr) not_rendered(node.line, "__method__ here");
    return heap.symbol(method_->method->def->name);
  case NodeType::Binding: return eval_binding(node.as<Binding>());
  case NodeType::CaseIn: return eval_case_in(node.as<Case>());
  case NodeType::Matches: return eval_matches(node.as<Matches>());
  case NodeType::Global: return global(node.as<NamedVariable>().name, node.line);
  case NodeType::ClassVariable: return class_variable(node.as<NamedVariable>());
  case NodeType::Defined: return eval_defined(node.as<Unary>());
  case NodeType::Break: throw BreakJump{break_target_, eval(node.as<Leave>().value)};
  default: not_rendered(node.line, "an unexpected construct");
  }
}

RubyValue Interpreter::eval_both(const Binary& node) {
  const RubyValue left = eval(node.left);
  return left.truthy() == (node.type == NodeType::And) ? eval(node.right) : left;
}

RubyValue Interpreter::eval_not(const Unary& node) { return RubyValue::boolean(!eval(node.operand).truthy()); }

RubyValue Interpreter::eval_if(const If& node) { return eval(eval(node.condition).truthy() ? node.then : node.otherwise); }

RubyValue Interpreter::eval_piece(const TextPiece& node) {
  out_ += program_->texts[node.number];
  return {};
}

void Interpreter::too_deep(uint32_t line) { not_rendered(line, "nesting that is too deep"); }

RubyValue Interpreter::eval_list(const ListLiteral& node) {
  std::vector<RubyValue> items;
  items.reserve(node.items.size());
  eval_arguments(node.items, items);
  return list(std::move(items));
}

RubyValue Interpreter::eval_range(const RangeLiteral& node) {
  const RubyValue first = eval(node.first);
  return heap.range(first, eval(node.last), node.exclusive);
}

RubyValue Interpreter::eval_symbol(const TextLiteral& node) {
  return node.parts.empty() ? heap.symbol(node.text) : heap.symbol(joined(node.parts, node.line));
}

RubyValue Interpreter::eval_return(const Leave& node) {
  if (method_ == nullptr) not_rendered(node.line, "return outside of a method");
  const RubyValue value = eval(node.value);
  if (node.last) return value;
  if (node.ends) {
    leaving_ = true;
    return value;
  }
  if (!method_->active) not_rendered(node.line, "return from a method that has ended");
  throw ReturnJump{method_, value};
}

RubyValue Interpreter::eval_next(const Leave& node) {
  const RubyValue value = eval(node.value);
  if (!node.ends) throw NextJump{value};
  leaving_ = true;
  return value;
}

RubyValue Interpreter::eval_assign_many(const AssignMany& node) {
  const RubyValue value = eval(node.value);
  assign_many(node.targets, value);
  return value;
}

RubyValue Interpreter::eval_output(const Unary& node) {
  const RubyValue value = eval(node.operand);
  if (value.is_string())
    out_ += value.s->text;
  else
    out_ += to_s(value, node.line);
  return {};
}

RubyValue Interpreter::eval_sequence(const Sequence& node) {
  RubyValue last;
  for (const Node* statement : node.statements) {
    last = eval(statement);
    if (leaving_) break;
  }
  return last;
}

/// Evaluates the body of a block, lambda, method or loop.
RubyValue Interpreter::eval_body(const Node* body) {
  RubyValue value = eval(body);
  leaving_ = false;
  return value;
}

RubyValue Interpreter::eval_text(const TextLiteral& node) {
  RubyValue text = str(node.parts.empty() ? std::string(node.text) : joined(node.parts, node.line));
  text.s->frozen = program_->frozen_literals && node.parts.empty();
  return text;
}

std::string Interpreter::joined(const NodeList& parts, uint32_t line) {
  std::string out;
  for (const Node* part : parts) {
    if (const std::string_view* text = literal_string(*part)) {
      out += *text;
    } else {
      RubyValue v = eval(part);
      out += to_s(v, line);
    }
  }
  return out;
}

RubyValue Interpreter::eval_regex(const RegexLiteral& node) {
  if (node.parts.empty()) return RubyValue::of(node.regex);
  std::string source;
  for (const Node* part : node.parts) {
    if (const std::string_view* text = literal_string(*part)) {
      source += *text;
    } else {
      RubyValue v = eval(part);
      source += v.is(RubyKind::Regexp) ? regexp_to_s(*v.regex) : to_s(v, node.line);
    }
  }
  try {
    return RubyValue::of(host.regexes().get(source, (node.options & 1) != 0, (node.options & 2) != 0, (node.options & 4) != 0));
  } catch (const RegexError& error) { not_rendered(node.line, fmt::format("a regular expression: {}", error.message)); }
}

void Interpreter::eval_arguments(const NodeList& nodes, std::vector<RubyValue>& out) {
  for (const Node* node : nodes) {
    if (node->type != NodeType::Splat) {
      out.push_back(eval(node));
      continue;
    }
    splat(eval(node->as<Unary>().operand), out, node->line);
  }
}

/// Adds what `*v` stands for: what its to_a gives, else the value itself.
void Interpreter::splat(const RubyValue& v, std::vector<RubyValue>& out, uint32_t line) {
  if (v.is_nil()) return;
  if (v.is(RubyKind::Object) && find_method_of(v, "to_a") != nullptr) {
    const RubyValue all = call_named(v, "to_a", {v, MethodId::m_to_a, "to_a", {}, nullptr, line, false, true});
    if (!all.is_array()) not_rendered(line, "* of an object whose to_a gives no array");
    out.insert(out.end(), all.a->items.begin(), all.a->items.end());
    return;
  }
  if (v.is(RubyKind::Enumerator) || v.is(RubyKind::Foreign) || v.is(RubyKind::Match)) not_rendered(line, "* of this value");
  if (!items_of(v, out, line)) out.push_back(v);
}

/// Whether nobody sees the message of the log (a marked one, see Call::log), and composing it would do nothing else. Backends tell of
/// each entry that they look at.
bool Interpreter::is_unseen_log(const Call& node) {
  if (host.logs(static_cast<LogLevel>(node.log - 1))) return false;
  if (nesting_ != nullptr || !constants_.empty()) { // code may have a `Puppet` of its own
    const RubyValue self = eval(node.receiver);
    if (!self.is(RubyKind::Class) || self.class_ != RubyClass::Puppet) return false;
  }
  return std::ranges::all_of(node.arguments[0]->as<TextLiteral>().parts, [&](const Node* part) {
    if (part->type == NodeType::String) return true;
    const RubyKind kind = slot(part->as<LocalVariable>()).kind;
    return kind <= RubyKind::String || kind == RubyKind::Regexp;
  });
}

/// hash['key'], of which there are many: no text is made of the key.
const RubyValue* Interpreter::literal_element(const Call& node, const RubyValue& self) const {
  if (node.method != MethodId::Index || !self.is_hash() || extended || node.arguments.size() != 1 || node.block != nullptr) return nullptr;
  const std::string_view* key = literal_string(*node.arguments[0]);
  return key == nullptr ? nullptr : self.h->find_text(*key);
}

/// A call that only has arguments (Call::plain).
RubyValue Interpreter::call_plainly(const Call& node) {
  const bool function = node.receiver == nullptr;
  const RubyValue self = eval(node.receiver);
  if (const RubyValue* element = literal_element(node, self)) return *element;
  RubyValue args[Call::most_plain];
  const size_t n = node.arguments.size();
  for (size_t i = 0; i < n; ++i) args[i] = eval(node.arguments[i]);
  running_ = &node;
  const MethodCall call{self, node.method, node.name, std::span<const RubyValue>(args, n), nullptr, node.line, false, function};
  return function ? kernel_function(call) : call_method(call);
}

RubyValue Interpreter::eval_call(const Call& node) {
  step(node.line);
  if (node.plain) return call_plainly(node);
  if (node.log != 0 && is_unseen_log(node)) return {};
  const NodeList& given = node.arguments;
  RubyValue self;
  bool function = node.receiver == nullptr;
  if (!function) {
    self = eval(node.receiver);
    if (node.safe && self.is_nil()) return {};
    if (const RubyValue* element = literal_element(node, self)) return *element;
  }
  RubyValue few[Call::most_plain];
  std::vector<RubyValue> many;
  std::span<const RubyValue> args;
  bool simple = given.size() <= std::size(few);
  for (size_t i = 0; simple && i < given.size(); ++i) simple = given[i]->type != NodeType::Splat;
  if (simple) {
    for (size_t i = 0; i < given.size(); ++i) few[i] = eval(given[i]);
    args = std::span<const RubyValue>(few, given.size());
  } else {
    eval_arguments(given, many);
    args = many;
  }
  MethodCall call{self, node.method, node.name, args, nullptr, node.line, false, function};
  if (node.have_keywords()) {
    call.keywords = true;
    if (args.back().h->entries().empty()) { // f(**{}) gives nothing
      call.keywords = false;
      call.args = args.first(args.size() - 1);
    }
  }
  running_ = &node;
  if (!function && node.receiver->type == NodeType::Self) call.function = self_.is(RubyKind::Object) || self_.is(RubyKind::Module);
  if (node.ends && node.name == "not_found" && args.empty() && node.block == nullptr && self.is(RubyKind::Foreign)) {
    missed_ = as_native_object(*self.foreign);
    leaving_ = missed_ != nullptr;
    if (leaving_) return {};
  }
  if (node.block == nullptr) return function ? kernel_function(call) : call_method(call);
  const RubyProc* proc = block_of(*node.block);
  call.block = proc;
  LocalScope* environ = environ_;
  MethodFrame* method = method_;
  const void* target = break_target_;
  try {
    return function ? kernel_function(call) : call_method(call);
  } catch (const BreakJump& jump) {
    environ_ = environ;
    break_target_ = target;
    method_ = method;
    if (jump.target != proc || proc == nullptr) throw;
    return jump.value;
  }
}

RubyValue Interpreter::eval_hash(const HashLiteral& node) {
  RubyValue hash = heap.hash();
  for (const HashLiteral::Pair& pair : node.pairs) {
    const RubyValue key = eval(pair.key);
    if (pair.value != nullptr) {
      send(hash, MethodId::IndexSet, {key, eval(pair.value)}, node.line);
      continue;
    }
    if (!key.is_hash()) not_rendered(node.line, "** of something else than a hash");
    for (const auto& [name, value] : key.h->entries()) hash.h->set(name, value);
  }
  return hash;
}

RubyValue Interpreter::eval_constant(const Constant& node) {
  constexpr size_t places = 64;
  const size_t at = (reinterpret_cast<uintptr_t>(&node) / alignof(Constant) ^ reinterpret_cast<uintptr_t>(nesting_) / 16) % places;
  if (!found_constants_.empty())
    if (const FoundConstant& known = found_constants_[at]; known.node == &node && known.nesting == nesting_) return known.value;
  bool lasts = true;
  const RubyValue value = look_up_constant(node, lasts);
  if (!lasts) return value;
  found_constants_.resize(places); // empty again where this has loaded a file of the library
  found_constants_[at] = {&node, nesting_, value};
  return value;
}

/// `lasts`: whether it stays the same as long as the classes and constants do.
RubyValue Interpreter::look_up_constant(const Constant& node, bool& lasts) {
  RubyValue out;
  if (node.in != nullptr) {
    lasts = false;
    const RubyValue in = eval(node.in);
    if (!in.is(RubyKind::Module) || !find_constant_in(*in.module, node.name, out))
      not_rendered(node.line, fmt::format("constant {}", node.name));
    return out;
  }
  if (RubyClass of_ruby{}; nesting_ == nullptr && constants_.empty() && find_class(node.name, of_ruby) && of_ruby != RubyClass::Primitives)
    return RubyValue::of(of_ruby);
  if (find_constant(node.name, out)) return out;
  lasts = false;
  if (HostObject* object = host.find_constant(node.name)) return RubyValue::of(object);
  not_rendered(node.line, fmt::format("constant {}", node.name));
}

RubyValue Interpreter::eval_defined(const Unary& node) {
  const Node* of = only_statement(node.operand);
  switch (of->type) {
  case NodeType::Instance: {
    RubyValue ignored;
    return find_instance_variable(of->as<NamedVariable>().name, ignored) ? str("instance-variable") : RubyValue();
  }
  case NodeType::Local: return str("local-variable");
  case NodeType::Nil: return str("nil");
  case NodeType::True: return str("true");
  case NodeType::False: return str("false");
  case NodeType::Integer:
  case NodeType::Float:
  case NodeType::String:
  case NodeType::Symbol:
  case NodeType::Regex: return str("expression");
  case NodeType::Self: return str("self");
  case NodeType::Yield: return method_ != nullptr && method_->block != nullptr ? str("yield") : RubyValue();
  case NodeType::Assign: {
    const NodeType target = of->as<Assign>().target->type;
    if (target == NodeType::TargetLocal || target == NodeType::TargetInstance) return str("assignment");
    break;
  }
  case NodeType::OpAssign: return str("assignment");
  case NodeType::Global: return globals_.contains(of->as<NamedVariable>().name) ? str("global-variable") : RubyValue();
  case NodeType::ClassVariable: {
    const std::string_view name = of->as<NamedVariable>().name;
    return class_variables(name, node.line).contains(name) ? str("class variable") : RubyValue();
  }
  case NodeType::Constant: {
    RubyValue ignored;
    if (find_constant(of->as<Constant>().name, ignored)) return str("constant");
    break; // Ruby or Puppet may have it
  }
  case NodeType::Call: {
    const auto& call = of->as<Call>();
    if (call.receiver == nullptr) {
      if (methods_.contains(call.name) || is_kernel(call.method)) return str("method");
      break;
    }
    if (call.receiver->type == NodeType::Constant) {
      if (library_method(call.receiver->as<Constant>().name, call.name, true)) return str("method");
      break;
    }
    if (extended) break;
    RubyValue self;
    try {
      self = eval(call.receiver);
    } catch (const RubyError&) { return {}; }
    switch (known_method(class_of(self), call.name).presence) {
    case Presence::Public: return str("method");
    case Presence::Private:
    case Presence::Missing: return {};
    case Presence::Unsure: break;
    }
    break;
  }
  default: break;
  }
  not_rendered(node.line, "defined? of this expression");
}

} // namespace pupc::compiler::ruby
