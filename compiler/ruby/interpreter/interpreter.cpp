// Evaluation of nodes: variables, control structures, calls with their arguments and blocks.
#include "compiler/ruby/interpreter/interpreter.h"

#include "catalog/base/limits.h"
#include "catalog/base/stack.h"
#include "catalog/value/frozen.h"
#include "compiler/types/lookup_context.h"

#include <fmt/format.h>

#include <algorithm>

namespace pupc::compiler::ruby {

void Interpreter::step(uint32_t line) {
  check_time();
  if (++steps_ > 3'000'000) not_rendered(line, "too many steps");
}

LocalScope* Interpreter::make_environ(LocalScope* up, int32_t slots) {
  auto* values = static_cast<RubyValue*>(slots_.allocate(sizeof(RubyValue) * static_cast<size_t>(slots), alignof(RubyValue)));
  for (int32_t i = 0; i < slots; ++i) new (&values[i]) RubyValue();
  return new (slots_.allocate(sizeof(LocalScope), alignof(LocalScope))) LocalScope{up, values};
}

std::string Interpreter::run() {
  environ_ = make_environ(nullptr, program_->slots);
  know_template_methods();
  try {
    eval(program_->body);
  } catch (const RubyError& error) {
    if (error.unworded) not_rendered(error.line, error.message);
    give_logs(); // an error of Ruby's comes after them
    throw;
  } catch (const CompileError&) {
    give_logs();
    throw;
  } catch (const BreakJump&) { not_rendered(1, "break outside of a block"); } catch (const NextJump&) {
    not_rendered(1, "next outside of a block");
  } catch (const ReturnJump&) { not_rendered(1, "return outside of a method"); } catch (const ThrowJump&) {
    not_rendered(1, "throw without catch");
  } catch (const RetryJump&) { not_rendered(1, "retry outside of rescue"); }
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
      own.def = method.node;
      own.program = method.program.get();
      own.kept = true;
    }
}

void Interpreter::keep_template_methods() {
  for (const auto& [name, method] : methods_)
    if (!method.kept) host.define_template_method(name, *method.program, *method.def, method.path);
}

void Interpreter::give_logs() {
  for (PendingLog& log : logs) log.puppet ? host.log_of_puppet(log.level, std::move(log.text)) : host.log(log.level, std::move(log.text));
  logs.clear();
}

void Interpreter::define() {
  environ_ = make_environ(nullptr, program_->slots);
  defining_ = true;
  eval(program_->body);
  defining_ = false;
  heap.mark_outside(); // the constants
}

bool Interpreter::can_go_on() const {
  return !changed && !extended && singletons_.empty() && required_.empty() && globals_.empty() && own_class_variables_.empty() &&
         steps_before_ + steps_ < 20'000;
}

void Interpreter::go_on() {
  steps_before_ += std::exchange(steps_, 0);
  if (!program_->keeps_state) instance_variables_.clear();
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
  if (!shared_arguments_) copies_ = args;
  if (with_scope) values.push_back(RubyValue::scope());
  given_scope_ = with_scope;
  std::optional<LastCall> last;
  for (const Value& arg : args) values.push_back(from_puppet(arg));
  RubyValue result;
  try {
    if (program_->self == Self::Scope) {
      environ_ = make_environ(nullptr, program_->slots);
      for (size_t i = 1; i < program_->body->kids.size(); ++i) eval(program_->body->kids[i]); // what stands around the function
      RubyProc block; // Puppet defines a method of the scope from it, so it is called like a lambda
      block.node = program_->body->kids[0]->block;
      block.environ = environ_;
      block.self = self_;
      RubyValue all = list(std::move(values));
      result = call_lambda(block, {&all, 1}, 1, false);
    } else {
      RubyProc block;
      block.of_host = true;
      result = call_defined(methods_.at(method),
                            {RubyValue::instance(), MethodId::unknown, method, values, with_block ? &block : nullptr, 1});
    }
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
  } catch (const RetryJump&) { not_rendered(1, "retry outside of rescue"); } catch (LastCall& call) {
    last = std::move(call);
  }
  if (changed && has_changed_outside()) not_rendered(1, "an argument that is changed in place");
  const Value value = result_matters_ ? to_puppet(result, 1) : Value::undef();
  for (const auto& [name, set] : pending_variables_) host.set_variable(name, set);
  give_logs();
  return last ? host.call_function(last->name, last->args, last->old_api) : value;
}

RubyValue Interpreter::eval(const Node* pointer) {
  if (pointer == nullptr) return {};
  const Node& node = *pointer;
  if (native_stack_low()) not_rendered(node.line, "nesting that is too deep");
  switch (node.type) {
  case NodeType::Nil: return {};
  case NodeType::True: return RubyValue::boolean(true);
  case NodeType::False: return RubyValue::boolean(false);
  case NodeType::Integer: return RubyValue::integer(node.integer);
  case NodeType::Float: return RubyValue::floating(node.number);
  case NodeType::String: {
    RubyValue text = str(node.kids.empty() ? std::string(node.text) : joined(node));
    text.s->frozen = program_->frozen_literals && node.kids.empty();
    return text;
  }
  case NodeType::Symbol: return heap.symbol(node.kids.empty() ? node.text : joined(node));
  case NodeType::Regex: return eval_regex(node);
  case NodeType::Array: {
    std::vector<RubyValue> items;
    items.reserve(node.kids.size());
    eval_arguments(node, 0, items);
    return list(std::move(items));
  }
  case NodeType::Hash: return eval_hash(node);
  case NodeType::Range: {
    RubyValue first = eval(node.kids[0]);
    return heap.range(first, eval(node.kids[1]), node.flag);
  }
  case NodeType::Local: return slot(node);
  case NodeType::Instance: return instance_variable(node.text);
  case NodeType::MatchGroup: return node.text.empty() ? match_group(node.a) : match_part(node.text[0]);
  case NodeType::Constant: return eval_constant(node);
  case NodeType::AssignConstant: {
    return define_constant(node.text, eval(node.kids[0]), node.line);
  }
  case NodeType::Self: return self_;
  case NodeType::Lambda: return make_lambda(*node.block);
  case NodeType::Def: return eval_def(node);
  case NodeType::Class: return eval_class(node);
  case NodeType::SingletonClass: return eval_singleton_class(node);
  case NodeType::Alias:
    if (nesting_ == nullptr) not_rendered(node.line, "an alias outside of a class");
    define_alias(*nesting_->module, node.kids[0]->text, node.kids[1]->text, node.line);
    return {};
  case NodeType::Super: return eval_super(node);
  case NodeType::Retry: throw RetryJump{};
  case NodeType::CurrentMethod:
    if (method_ == nullptr || method_->method == nullptr || method_->method->def == nullptr) not_rendered(node.line, "__method__ here");
    return heap.symbol(method_->method->def->text);
  case NodeType::Binding: return eval_binding(node);
  case NodeType::CaseIn: return eval_case_in(node);
  case NodeType::Matches: return eval_matches(node);
  case NodeType::Global: return global(node.text, node.line);
  case NodeType::ClassVariable: {
    NamedValues& known = class_variables(node.text, node.line);
    const auto found = known.find(node.text);
    if (found == known.end()) not_rendered(node.line, "a class variable that is not set");
    return found->second;
  }
  case NodeType::AssignGlobal:
  case NodeType::AssignClassVariable:
  case NodeType::AssignAttribute: return eval_assign_other(node);
  case NodeType::Yield: return eval_yield(node);
  case NodeType::Return: {
    if (method_ == nullptr) not_rendered(node.line, "return outside of a method");
    RubyValue value = eval(node.kids[0]);
    if (node.flag) return value; // nothing comes after it
    if (node.a != 0) {
      leaving_ = true;
      return value;
    }
    if (!method_->active) not_rendered(node.line, "return from a method that has ended");
    throw ReturnJump{method_, value};
  }
  case NodeType::AssignLocal: {
    RubyValue value = eval(node.kids[0]);
    slot(node) = value;
    return value;
  }
  case NodeType::AssignInstance: {
    RubyValue value = eval(node.kids[0]);
    set_instance_variable(node.text, value);
    return value;
  }
  case NodeType::AssignIndex: {
    RubyValue self = eval(node.kids[0]);
    std::vector<RubyValue> args;
    eval_arguments(node, 1, args);
    call_method({self, MethodId::IndexSet, "[]=", args, nullptr, node.line});
    return args.back();
  }
  case NodeType::AssignMany: {
    RubyValue value = eval(node.block);
    assign_many(node.kids, value);
    return value;
  }
  case NodeType::OpAssign: return eval_op_assign(node);
  case NodeType::And: {
    RubyValue left = eval(node.kids[0]);
    return left.truthy() ? eval(node.kids[1]) : left;
  }
  case NodeType::Or: {
    RubyValue left = eval(node.kids[0]);
    return left.truthy() ? left : eval(node.kids[1]);
  }
  case NodeType::Not: return RubyValue::boolean(!eval(node.kids[0]).truthy());
  case NodeType::Defined: return eval_defined(node);
  case NodeType::If: return eval(node.kids[eval(node.kids[0]).truthy() ? 1 : 2]);
  case NodeType::While: return eval_while(node);
  case NodeType::For: return eval_for(node);
  case NodeType::Case: return eval_case(node);
  case NodeType::Call: return eval_call(node);
  case NodeType::Sequence: return eval_sequence(node);
  case NodeType::Begin: return eval_begin(node);
  case NodeType::Break: throw BreakJump{break_target_, eval(node.kids[0])};
  case NodeType::Next: {
    RubyValue value = eval(node.kids[0]);
    if (node.a == 0) throw NextJump{value};
    leaving_ = true;
    return value;
  }
  case NodeType::Text: out_ += program_->texts[static_cast<size_t>(node.a)]; return {};
  case NodeType::Output: {
    RubyValue value = eval(node.kids[0]);
    if (value.is_string())
      out_ += value.s->text;
    else
      out_ += to_s(value, node.line);
    return {};
  }
  case NodeType::TargetLocal:
  case NodeType::TargetInstance:
  case NodeType::TargetIndex:
  case NodeType::TargetGlobal:
  case NodeType::TargetClassVariable:
  case NodeType::TargetAttribute:
  case NodeType::In:
  case NodeType::PatternList:
  case NodeType::PatternHash:
  case NodeType::PatternAny:
  case NodeType::PatternBind:
  case NodeType::TargetMany:
  case NodeType::TargetSplat:
  case NodeType::TargetDefault:
  case NodeType::TargetKeyword:
  case NodeType::TargetKeywords:
  case NodeType::TargetBlock:
  case NodeType::Unread:
  case NodeType::DoubleSplat:
  case NodeType::Rescue:
  case NodeType::When:
  case NodeType::Splat:
  case NodeType::BlockPass:
  case NodeType::Block: break;
  }
  not_rendered(node.line, "an unexpected construct");
}

RubyValue Interpreter::eval_sequence(const Node& node) {
  RubyValue last;
  for (const Node* kid : node.kids) {
    last = eval(kid);
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

std::string Interpreter::joined(const Node& node) {
  std::string out;
  for (const Node* part : node.kids) {
    if (part->type == NodeType::String && part->kids.empty()) {
      out += part->text;
    } else {
      RubyValue v = eval(part);
      out += to_s(v, node.line);
    }
  }
  return out;
}

RubyValue Interpreter::eval_regex(const Node& node) {
  if (node.kids.empty()) return RubyValue::of(node.regex);
  std::string source;
  for (const Node* part : node.kids) {
    if (part->type == NodeType::String && part->kids.empty()) {
      source += part->text;
    } else {
      RubyValue v = eval(part);
      source += v.is(RubyKind::Regexp) ? regexp_to_s(*v.regex) : to_s(v, node.line);
    }
  }
  try {
    return RubyValue::of(host.regexes().get(source, (node.a & 1) != 0, (node.a & 2) != 0, (node.a & 4) != 0));
  } catch (const RegexError& error) { not_rendered(node.line, fmt::format("a regular expression: {}", error.message)); }
}

void Interpreter::eval_arguments(const Node& node, size_t first, std::vector<RubyValue>& out) {
  for (size_t i = first; i < node.kids.size(); ++i) {
    const Node& kid = *node.kids[i];
    if (kid.type != NodeType::Splat) {
      out.push_back(eval(&kid));
      continue;
    }
    RubyValue v = eval(kid.kids[0]);
    if (v.is_nil()) continue;
    if (v.is_array() || v.is_hash() || v.is(RubyKind::Range))
      items_of(v, out, kid.line);
    else if (v.is(RubyKind::Enumerator) || v.is(RubyKind::Foreign) || v.is(RubyKind::Match))
      not_rendered(kid.line, "* of this value");
    else
      out.push_back(v);
  }
}

/// Whether nobody sees the message of the log (a marked one, see ruby_tree.h), and composing it would do nothing else. Backends tell of
/// each entry that they look at.
bool Interpreter::is_unseen_log(const Node& node) {
  if (host.logs(static_cast<LogLevel>(node.slots - 1))) return false;
  if (nesting_ != nullptr || !constants_.empty()) { // code may have a `Puppet` of its own
    const RubyValue self = eval(node.kids[0]);
    if (!self.is(RubyKind::Class) || self.class_ != RubyClass::Puppet) return false;
  }
  const NodeList& parts = node.kids[1]->kids;
  return std::all_of(parts.begin(), parts.end(), [&](const Node* part) {
    part = only_statement(part);
    if (part->type == NodeType::String) return true;
    const RubyKind kind = slot(*part).kind;
    return kind <= RubyKind::String || kind == RubyKind::Regexp;
  });
}

RubyValue Interpreter::eval_call(const Node& node) {
  step(node.line);
  if (node.slots != 0 && is_unseen_log(node)) return {};
  RubyValue self;
  bool function = node.kids[0] == nullptr;
  if (!function) {
    self = eval(node.kids[0]);
    if (node.flag && self.is_nil()) return {};
    if (node.method == MethodId::Index && self.is_hash() && !extended && node.kids.size() == 2 && node.block == nullptr &&
        node.kids[1]->type == NodeType::String && node.kids[1]->kids.empty()) { // hash['key'], of which there are many
      RubyString key{std::string(node.kids[1]->text)};
      if (const RubyValue* found = self.h->find(RubyValue::of(&key))) return *found;
    }
  }
  RubyValue few[4];
  std::vector<RubyValue> many;
  std::span<const RubyValue> args;
  bool simple = node.kids.size() <= 5;
  for (size_t i = 1; simple && i < node.kids.size(); ++i) simple = node.kids[i]->type != NodeType::Splat;
  if (simple) {
    for (size_t i = 1; i < node.kids.size(); ++i) few[i - 1] = eval(node.kids[i]);
    args = std::span<const RubyValue>(few, node.kids.size() - 1);
  } else {
    eval_arguments(node, 1, many);
    args = many;
  }
  MethodCall call{self, node.method, node.text, args, nullptr, node.line, false, function};
  if (node.kids.size() > 1 && node.kids.back()->type == NodeType::Hash && node.kids.back()->flag) {
    call.keywords = true;
    if (args.back().h->entries().empty()) { // f(**{}) gives nothing
      call.keywords = false;
      call.args = args.first(args.size() - 1);
    }
  }
  running_ = &node;
  if (!function && node.kids[0]->type == NodeType::Self) call.function = self_.is(RubyKind::Object) || self_.is(RubyKind::Module);
  if (node.a != 0 && node.text == "not_found" && args.empty() && node.block == nullptr && self.is(RubyKind::Foreign)) {
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

RubyValue Interpreter::eval_hash(const Node& node) {
  RubyValue hash = heap.hash();
  for (size_t i = 0; i + 1 < node.kids.size(); i += 2) {
    if (node.kids[i]->type == NodeType::DoubleSplat) {
      RubyValue other = eval(node.kids[i]->kids[0]);
      if (!other.is_hash()) not_rendered(node.line, "** of something else than a hash");
      for (const auto& [key, value] : other.h->entries()) hash.h->set(key, value);
      continue;
    }
    RubyValue key = eval(node.kids[i]);
    send(hash, MethodId::IndexSet, {key, eval(node.kids[i + 1])}, node.line);
  }
  return hash;
}

RubyValue Interpreter::eval_constant(const Node& node) {
  RubyValue out;
  if (!node.kids.empty()) {
    const RubyValue in = eval(node.kids[0]);
    if (!in.is(RubyKind::Module) || !find_constant_in(*in.module, node.text, out))
      not_rendered(node.line, fmt::format("constant {}", node.text));
    return out;
  }
  if (RubyClass of_ruby{}; nesting_ == nullptr && constants_.empty() && find_class(node.text, of_ruby) && of_ruby != RubyClass::Primitives)
    return RubyValue::of(of_ruby);
  if (find_constant(node.text, out)) return out;
  if (HostObject* object = host.find_constant(node.text)) return RubyValue::of(object);
  not_rendered(node.line, fmt::format("constant {}", node.text));
}

RubyValue Interpreter::eval_op_assign(const Node& node) {
  const Node& target = *node.kids[0];
  RubyValue self;
  std::vector<RubyValue> args;
  RubyValue old;
  if (target.type == NodeType::TargetLocal) {
    old = slot(target);
  } else if (target.type == NodeType::TargetInstance) {
    old = instance_variable(target.text);
  } else if (target.type == NodeType::TargetGlobal) {
    old = global(target.text, node.line);
  } else if (target.type == NodeType::TargetClassVariable) {
    const NamedValues& known = class_variables(target.text, node.line);
    if (const auto found = known.find(target.text); found != known.end())
      old = found->second;
    else if (node.text != "||")
      not_rendered(node.line, "a class variable that is not set");
  } else if (target.type == NodeType::AssignConstant) {
    if (!find_constant(target.text, old)) old = {};
  } else if (target.type == NodeType::TargetAttribute) {
    self = eval(target.kids[0]);
    if (target.flag && self.is_nil()) return {};
    old = call_attribute(target, self, {});
  } else {
    self = eval(target.kids[0]);
    eval_arguments(target, 1, args);
    old = call_method({self, MethodId::Index, "[]", args, nullptr, node.line});
  }
  RubyValue result;
  if (node.text == "||" || node.text == "&&") {
    if (old.truthy() == (node.text == "||")) return old;
    result = eval(node.kids[1]);
  } else {
    RubyValue right = eval(node.kids[1]);
    result = call_method({old, node.method, node.text, std::span(&right, 1), nullptr, node.line});
  }
  if (target.type == NodeType::TargetLocal) {
    slot(target) = result;
  } else if (target.type == NodeType::TargetInstance || target.type == NodeType::TargetGlobal ||
             target.type == NodeType::TargetClassVariable) {
    assign(target, result);
  } else if (target.type == NodeType::AssignConstant) {
    define_constant(target.text, result, node.line);
  } else if (target.type == NodeType::TargetAttribute) {
    call_attribute(target, self, {&result, 1});
  } else {
    args.push_back(result);
    call_method({self, MethodId::IndexSet, "[]=", args, nullptr, node.line});
  }
  return result;
}

/// Reads `self.name`, or sets it where there is a value.
RubyValue Interpreter::call_attribute(const Node& target, const RubyValue& self, std::span<const RubyValue> value) {
  const std::string_view name = value.empty() ? target.text : host.keep(fmt::format("{}=", target.text));
  const bool own = target.kids[0]->type == NodeType::Self;
  const MethodCall call{self, find_method(name), name, value, nullptr, target.line, false, own};
  return self.is(RubyKind::Instance) ? kernel_function(call) : call_method(call);
}

/// Assignments to attributes, globals and class variables.
RubyValue Interpreter::eval_assign_other(const Node& node) {
  if (node.type != NodeType::AssignAttribute) {
    const RubyValue value = eval(node.kids[0]);
    if (node.type == NodeType::AssignGlobal)
      set_global(node.text, value, node.line);
    else
      class_variables(node.text, node.line).insert_or_assign(std::string(node.text), value);
    return value;
  }
  const RubyValue self = eval(node.kids[0]);
  if (node.flag && self.is_nil()) return {};
  const RubyValue value = eval(node.kids[1]);
  call_attribute(node, self, {&value, 1});
  return value;
}

RubyValue Interpreter::eval_defined(const Node& node) {
  const Node* of = only_statement(node.kids[0]);
  switch (of->type) {
  case NodeType::Instance: {
    RubyValue ignored;
    return find_instance_variable(of->text, ignored) ? str("instance-variable") : RubyValue();
  }
  case NodeType::Local: return str("local-variable");
  case NodeType::Nil:
  case NodeType::True:
  case NodeType::False:
  case NodeType::Integer:
  case NodeType::String:
  case NodeType::Symbol: return str("expression");
  case NodeType::Self: return str("self");
  case NodeType::Yield: return method_ != nullptr && method_->block != nullptr ? str("yield") : RubyValue();
  case NodeType::AssignLocal:
  case NodeType::AssignInstance:
  case NodeType::OpAssign: return str("assignment");
  case NodeType::Global: return globals_.contains(of->text) ? str("global-variable") : RubyValue();
  case NodeType::ClassVariable: return class_variables(of->text, node.line).contains(of->text) ? str("class variable") : RubyValue();
  case NodeType::Constant: {
    RubyValue ignored;
    if (find_constant(of->text, ignored)) return str("constant");
    not_rendered(node.line, "defined? of this expression"); // Ruby or Puppet may have it
  }
  case NodeType::Call:
    if (of->kids[0] == nullptr && methods_.contains(of->text)) return str("method");
    if (of->kids[0] != nullptr && of->method == MethodId::Index) { // defined?(a[i]) depends on whether the receiver has `[]`
      RubyValue self = eval(of->kids[0]);
      if (self.is_array() || self.is_hash() || self.is_string()) return str("method");
      if (self.is_nil()) return {};
    }
    [[fallthrough]];
  default: not_rendered(node.line, "defined? of this expression");
  }
}

} // namespace pupc::compiler::ruby
