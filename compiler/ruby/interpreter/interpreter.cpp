// Evaluation of nodes: variables, control structures, calls with their arguments and blocks.
#include "compiler/ruby/interpreter/interpreter.h"

#include "catalog/base/limits.h"
#include "catalog/base/stack.h"
#include "catalog/value/frozen.h"
#include "compiler/types/runtime_object.h"

#include <fmt/format.h>

namespace pupc::compiler::ruby {

void Interpreter::not_rendered(uint32_t line, std::string reason) { throw NeedsRuby{line, std::move(reason)}; }

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
  } catch (const RubyError&) {
    give_logs(); // an error of Ruby's comes after them
    throw;
  } catch (const CompileError&) {
    give_logs();
    throw;
  } catch (const BreakJump&) { not_rendered(1, "break outside of a block"); } catch (const NextJump&) {
    not_rendered(1, "next outside of a block");
  } catch (const ReturnJump&) { not_rendered(1, "return outside of a method"); }
  if (changed_) give_back_changed();
  for (const auto& [name, value] : pending_variables_) host_.set_variable(name, value);
  give_logs();
  keep_template_methods();
  return std::move(out_);
}

void Interpreter::know_template_methods() {
  if (const TemplateMethods* known = host_.template_methods())
    for (const auto& [name, method] : *known) methods_[name] = {method.node, method.program.get(), {}, true};
}

void Interpreter::keep_template_methods() {
  for (const auto& [name, method] : methods_)
    if (!method.kept) host_.define_template_method(name, *method.program, *method.def, method.path);
}

void Interpreter::give_logs() {
  for (PendingLog& log : logs_)
    log.puppet ? host_.log_of_puppet(log.level, std::move(log.text)) : host_.log(log.level, std::move(log.text));
  logs_.clear();
}

void Interpreter::define() {
  environ_ = make_environ(nullptr, program_->slots);
  eval(program_->body);
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
      RubyProc block; // Puppet defines a method of the scope from it, so it is called like a lambda
      block.node = program_->body->kids[0]->block;
      block.environ = environ_;
      RubyValue all = list(std::move(values));
      result = call_lambda(block, {&all, 1}, 1, false);
    } else {
      RubyProc block;
      block.of_host = true;
      result = call_defined(methods_.at(method),
                            {RubyValue::instance(), MethodId::unknown, method, values, with_block ? &block : nullptr, 1});
    }
  } catch (const RubyError&) {
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
  } catch (const ReturnJump&) { not_rendered(1, "return outside of a method"); } catch (LastCall& call) {
    last = std::move(call);
  }
  if (changed_ && has_changed_outside()) not_rendered(1, "an argument that is changed in place");
  Value value = to_puppet(result, 1);
  for (const auto& [name, set] : pending_variables_) host_.set_variable(name, set);
  give_logs();
  return last ? host_.call_function(last->name, last->args, last->old_api) : value;
}

static bool is_part_of(const Value& whole, const Value& part) {
  if (whole.kind == part.kind && (part.is_list() ? whole.list == part.list : whole.hash == part.hash)) return true;
  if (whole.is_list()) return std::any_of(whole.items().begin(), whole.items().end(), [&](const Value& v) { return is_part_of(v, part); });
  return whole.is_hash() && std::any_of(whole.hash->entries().begin(), whole.hash->entries().end(),
                                        [&](const HashEntry& e) { return is_part_of(e.value, part); });
}

/// Whether the code has changed something in place that Puppet's code sees, too. Lists and hashes that a function of the 3.x API gets are
/// copies; its texts are not.
bool Interpreter::has_changed_outside() {
  for (const auto& [source, ruby] : std::vector(converted_values_)) {
    if ((ruby.is_hash() && ruby.h->stands_for_another()) || eql(to_puppet(ruby, 1), source)) continue;
    if (std::none_of(copies_.begin(), copies_.end(), [&](const Value& copy) { return is_part_of(copy, source); })) return true;
  }
  return std::any_of(texts_.begin(), texts_.end(), [](const auto& text) { return text.second.first.str() != text.second.second->text; });
}

bool Interpreter::is_changeable(const Value& v) const {
  return v.is_list() || v.is_hash() || (v.is_string() && program_->changes_texts && !is_frozen(v));
}

/// Stores texts, lists and hashes that a template changed in place back into their variables: in Puppet, both are the same object.
void Interpreter::give_back_changed() {
  std::vector<std::pair<std::string_view, Value>> changed;
  for (const auto& [name, ruby] : read_) {
    Value before;
    if (!host_.lookup_variable(name, before)) continue;
    if (Value after = to_puppet(ruby, 1); !eql(before, after)) changed.emplace_back(name, after);
  }
  for (const auto& [name, after] : changed) host_.change_variable(name, after);
}

RubyValue& Interpreter::slot(const Node& node) {
  LocalScope* e = environ_;
  for (int32_t up = node.a; up > 0; --up) e = e->up;
  return e->slots[node.b];
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
  case NodeType::Symbol: return heap_.symbol(node.kids.empty() ? node.text : joined(node));
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
    return heap_.range(first, eval(node.kids[1]), node.flag);
  }
  case NodeType::Local: return slot(node);
  case NodeType::Instance: return instance_variable(node.text);
  case NodeType::MatchGroup: return node.text.empty() ? match_group(node.a) : match_part(node.text[0]);
  case NodeType::Constant: return eval_constant(node);
  case NodeType::AssignConstant: {
    RubyValue value = eval(node.kids[0]);
    if (!constants_.emplace(node.text, value).second) not_rendered(node.line, "a constant that changes");
    return value;
  }
  case NodeType::Self: return program_->self == Self::Scope ? RubyValue::scope() : RubyValue::instance();
  case NodeType::Lambda: return make_lambda(*node.block);
  case NodeType::Def: methods_[node.text] = {&node, program_, path_}; return heap_.symbol(node.text);
  case NodeType::Yield: return eval_yield(node);
  case NodeType::Return: {
    if (method_ == nullptr) not_rendered(node.line, "return outside of a method");
    RubyValue value = eval(node.kids[0]);
    if (node.flag) return value; // nothing comes after it
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
  case NodeType::Next: throw NextJump{eval(node.kids[0])};
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
  for (const Node* kid : node.kids) last = eval(kid);
  return last;
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
    return RubyValue::of(host_.regexes().get(source, (node.a & 1) != 0, (node.a & 2) != 0, (node.a & 4) != 0));
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

RubyValue Interpreter::eval_call(const Node& node) {
  step(node.line);
  RubyValue self;
  bool function = node.kids[0] == nullptr;
  if (!function) {
    self = eval(node.kids[0]);
    if (node.flag && self.is_nil()) return {};
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
    if (args.back().h->entries().empty()) not_rendered(node.line, "** of an empty hash");
  }
  running_ = &node;
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
  RubyValue hash = heap_.hash();
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
  if (!constants_.empty())
    if (auto known = constants_.find(node.text); known != constants_.end()) return known->second;
  RubyClass c = RubyClass::Object;
  if (!find_class(node.text, c)) not_rendered(node.line, fmt::format("constant {}", node.text));
  return RubyValue::of(c);
}

void Interpreter::assign(const Node& target, const RubyValue& value) {
  switch (target.type) {
  case NodeType::TargetLocal: slot(target) = value; return;
  case NodeType::TargetInstance: set_instance_variable(target.text, value); return;
  case NodeType::TargetMany: assign_many(target.kids, value); return;
  case NodeType::TargetSplat:
    if (!target.kids.empty()) assign(*target.kids[0], list({value}));
    return;
  default: not_rendered(target.line, "a target of an assignment");
  }
}

void Interpreter::assign_many(std::span<Node* const> targets, const RubyValue& value) {
  std::vector<RubyValue> values;
  if (value.is_array())
    values = value.a->items;
  else
    values = {value}; // also nil
  size_t splat = targets.size();
  for (size_t i = 0; i < targets.size(); ++i)
    if (targets[i]->type == NodeType::TargetSplat) splat = i;
  auto value_at = [&](size_t i) { return i < values.size() ? values[i] : RubyValue(); };
  for (size_t i = 0; i < std::min(splat, targets.size()); ++i) assign(*targets[i], value_at(i));
  if (splat == targets.size()) return;
  size_t behind = targets.size() - splat - 1;
  size_t end = values.size() > splat + behind ? values.size() - behind : std::min(values.size(), splat);
  if (!targets[splat]->kids.empty()) {
    std::vector<RubyValue> rest;
    for (size_t i = splat; i < end; ++i) rest.push_back(values[i]);
    assign(*targets[splat]->kids[0], list(std::move(rest)));
  }
  for (size_t i = 0; i < behind; ++i) assign(*targets[splat + 1 + i], value_at(std::max(end, splat) + i));
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
  } else if (target.type == NodeType::TargetInstance) {
    set_instance_variable(target.text, result);
  } else {
    args.push_back(result);
    call_method({self, MethodId::IndexSet, "[]=", args, nullptr, node.line});
  }
  return result;
}

RubyValue Interpreter::eval_defined(const Node& node) {
  const Node* of = node.kids[0];
  while (of->type == NodeType::Sequence && of->kids.size() == 1) of = of->kids[0];
  switch (of->type) {
  case NodeType::Instance: {
    RubyValue ignored;
    return find_instance_variable(of->text, ignored) ? str("instance-variable") : RubyValue();
  }
  case NodeType::Local: return str("local-variable");
  case NodeType::Nil: return str("expression");
  case NodeType::Call:
    if (of->kids[0] != nullptr && of->method == MethodId::Index) { // defined?(a[i]) depends on whether the receiver has `[]`
      RubyValue self = eval(of->kids[0]);
      if (self.is_array() || self.is_hash() || self.is_string()) return str("method");
      if (self.is_nil()) return {};
    }
    [[fallthrough]];
  default: not_rendered(node.line, "defined? of this expression");
  }
}

RubyValue Interpreter::eval_while(const Node& node) {
  const void* saved = std::exchange(break_target_, &node);
  RubyValue result;
  try {
    while (eval(node.kids[0]).truthy() != node.flag) {
      step(node.line);
      try {
        eval(node.kids[1]);
      } catch (const NextJump&) { break_target_ = &node; }
    }
  } catch (const BreakJump& jump) {
    break_target_ = saved;
    if (jump.target != &node) throw;
    return jump.value;
  }
  break_target_ = saved;
  return result;
}

RubyValue Interpreter::eval_for(const Node& node) {
  RubyValue source = eval(node.kids[1]);
  std::vector<RubyValue> items;
  if (!items_of(source, items, node.line)) not_rendered(node.line, "for over this value");
  const void* saved = std::exchange(break_target_, &node);
  try {
    for (const RubyValue& item : items) {
      step(node.line);
      assign(*node.kids[0], item);
      try {
        eval(node.kids[2]);
      } catch (const NextJump&) { break_target_ = &node; }
    }
  } catch (const BreakJump& jump) {
    break_target_ = saved;
    if (jump.target != &node) throw;
    return jump.value;
  }
  break_target_ = saved;
  return source;
}

RubyValue Interpreter::eval_case(const Node& node) {
  bool has_subject = node.kids[0] != nullptr;
  RubyValue subject = eval(node.kids[0]);
  for (size_t i = 1; i + 1 < node.kids.size(); ++i) {
    const Node& when = *node.kids[i];
    for (size_t j = 0; j + 1 < when.kids.size(); ++j) {
      std::vector<RubyValue> values;
      if (when.kids[j]->type == NodeType::Splat)
        items_of(eval(when.kids[j]->kids[0]), values, when.line);
      else
        values.push_back(eval(when.kids[j]));
      for (const RubyValue& v : values)
        if (has_subject ? case_equals(v, subject, when.line) : v.truthy()) return eval(when.kids.back());
    }
  }
  return eval(node.kids.back());
}

RubyValue Interpreter::eval_begin(const Node& node) {
  if (node.kids[2] == nullptr) return eval_guarded(node);
  RubyValue result;
  try {
    result = eval_guarded(node);
  } catch (const NeedsRuby&) { throw; } catch (...) {
    eval(node.kids[2]);
    throw;
  }
  eval(node.kids[2]);
  return result;
}

/// Evaluates a body with its rescue and else clauses.
RubyValue Interpreter::eval_guarded(const Node& node) {
  if (node.kids.size() == 3) return eval(node.kids[0]);
  LocalScope* environ = environ_;
  const void* target = break_target_;
  MethodFrame* method = method_;
  RubyError caught{};
  bool failed = false;
  RubyValue value;
  try {
    value = eval(node.kids[0]);
  } catch (RubyError& error) {
    failed = true;
    caught = std::move(error);
  } catch (const CompileError& error) {
    if (is_limit(error.diagnostic.code)) throw; // a limit: Ruby would not end either
    not_rendered(node.line, "rescue of a function's error");
  }
  if (!failed) return node.kids[1] != nullptr ? eval(node.kids[1]) : value;
  environ_ = environ;
  break_target_ = target;
  method_ = method;
  for (size_t i = 3; i < node.kids.size(); ++i) {
    const Node& clause = *node.kids[i];
    bool matches = clause.kids.size() == 1 && caught.class_ != RubyClass::Exception; // without a class: any StandardError
    for (size_t k = 0; k + 1 < clause.kids.size() && !matches; ++k) {
      RubyValue wanted = eval(clause.kids[k]);
      if (!wanted.is(RubyKind::Class)) not_rendered(clause.line, "rescue of something else than a class");
      if (caught.class_ == RubyClass::Other && wanted.class_ != RubyClass::StandardError && wanted.class_ != RubyClass::Exception)
        not_rendered(clause.line, "the class of an error");
      matches = caught.class_ == RubyClass::Other || descends(caught.class_, wanted.class_);
    }
    if (!matches) continue;
    if (clause.block != nullptr) {
      if (caught.class_ == RubyClass::Other) not_rendered(clause.line, "the class of an error");
      assign(*clause.block, heap_.exception(caught.class_, caught.message));
    }
    return eval(clause.kids.back());
  }
  throw RubyError(std::move(caught));
}

// ---------------------------------------------------------------------------------------------------------------------
// variables

bool Interpreter::find_instance_variable(std::string_view name, RubyValue& out) {
  auto known = instance_variables_.find(name);
  if (known != instance_variables_.end()) {
    out = known->second;
    return true;
  }
  if (program_->self != Self::Template) return false;
  for (size_t i = 0; i < own_visible_; ++i)
    if (own_variables_[i].first == name) {
      out = own_variables_[i].second;
      return !out.is_nil();
    }
  Value found;
  if (!host_.instance_variable(std::string(name), found)) return false;
  out = from_puppet(found);
  instance_variables_.emplace(name, out);
  if (is_changeable(found)) read_.emplace_back(name, out);
  return true;
}

void Interpreter::set_instance_variable(std::string_view name, const RubyValue& value) {
  if (auto known = instance_variables_.find(name); known != instance_variables_.end())
    known->second = value;
  else
    instance_variables_.emplace(name, value);
}

RubyValue Interpreter::instance_variable(std::string_view name) {
  RubyValue out;
  find_instance_variable(name, out);
  return out;
}

/// $& (the last match), $` (what is before it) or $' (behind it).
RubyValue Interpreter::match_part(char name) {
  if (!last_match_.is(RubyKind::Match)) return {};
  const RubyMatch& m = *last_match_.match;
  const auto begin = static_cast<size_t>(m.result.groups[0].begin), end = static_cast<size_t>(m.result.groups[0].end);
  return str(name == '`' ? m.text.substr(0, begin) : name == '&' ? m.text.substr(begin, end - begin) : m.text.substr(end));
}

RubyValue Interpreter::match_group(int n) {
  if (!last_match_.is(RubyKind::Match)) return {};
  if (n == 0) return last_match_;
  return group_text(*last_match_.match, static_cast<size_t>(n));
}

/// The text of a match's group; nil when it has none.
RubyValue Interpreter::group_text(const RubyMatch& m, size_t group) {
  if (group >= m.result.groups.size() || m.result.groups[group].begin < 0) return {};
  const MatchResult::Range& range = m.result.groups[group];
  return str(m.text.substr(static_cast<size_t>(range.begin), static_cast<size_t>(range.end - range.begin)));
}

/// Code that changes texts in place gets one object for each text of Puppet's, as in Ruby.
RubyValue Interpreter::text_from_puppet(const Value& v) {
  RubyValue text = str(std::string(v.str()));
  text.s->frozen = is_frozen(v);
  if (!program_->changes_texts || is_frozen(v) || v.len == 0) return text;
  auto [known, fresh] = texts_.try_emplace(v.s, v, text.s);
  return !fresh && known->second.first.len == v.len ? RubyValue::of(known->second.second) : text;
}

RubyValue Interpreter::from_puppet(const Value& v) {
  check_native_stack();
  switch (v.kind) {
  case Kind::Undef: return {};
  case Kind::Default: return heap_.symbol("default");
  case Kind::Bool: return RubyValue::boolean(v.b);
  case Kind::Int: return RubyValue::integer(v.i);
  case Kind::Float: return RubyValue::floating(v.d);
  case Kind::String:
    if ((v.flags & bytes_text_flag) != 0 && !is_ascii(v.str())) not_rendered(1, "a text of bytes");
    return text_from_puppet(v);
  case Kind::Regex: return RubyValue::of(v.regex);
  case Kind::List: {
    auto known = converted_.find(v.list);
    if (known != converted_.end()) return known->second;
    std::vector<RubyValue> items;
    items.reserve(v.list->size);
    for (const Value& item : v.items()) items.push_back(from_puppet(item));
    RubyValue made = list(std::move(items));
    made.a->frozen = is_frozen(v);
    converted_values_.emplace_back(v, made);
    sources_[made.a] = v;
    return converted_[v.list] = made;
  }
  case Kind::Hash: {
    auto known = converted_.find(v.hash);
    if (known != converted_.end()) return known->second;
    RubyValue hash = heap_.hash();
    hash.h->wrap(*v.hash, *this);
    hash.h->frozen = is_frozen(v);
    converted_values_.emplace_back(v, hash);
    sources_[hash.h] = v;
    return converted_[v.hash] = hash;
  }
  default: {
    if (const auto* object = as_runtime_object(v); object != nullptr && object->is_symbol()) return heap_.symbol(object->symbol);
    Value* copy = static_cast<Value*>(host_.arena().allocate(sizeof(Value), alignof(Value)));
    *copy = v;
    return RubyValue::foreign_value(copy);
  }
  }
}

/// The list or hash of Puppet's that the object was made from, as long as the code has changed nothing in place. Null for a new object.
const Value* Interpreter::unchanged_source(const void* object) const {
  auto known = changed_ ? sources_.end() : sources_.find(object);
  return known == sources_.end() ? nullptr : &known->second;
}

Value Interpreter::to_puppet(const RubyValue& v, uint32_t line) {
  check_native_stack();
  Arena& arena = host_.arena();
  switch (v.kind) {
  case RubyKind::Nil: return Value::undef();
  case RubyKind::True: return Value::boolean(true);
  case RubyKind::False: return Value::boolean(false);
  case RubyKind::Integer: return Value::integer(v.i);
  case RubyKind::Float: return Value::floating(v.d);
  case RubyKind::String: {
    const Value text = Value::string(arena.copy(v.s->text));
    return v.s->frozen ? frozen_text(text) : text;
  }
  case RubyKind::Regexp: // the program, whose pattern it may be, can end before the value
    return Value::of(host_.regexes().get(v.regex->source(), v.regex->ignore_case(), v.regex->extended(), v.regex->multi_line()));
  case RubyKind::Foreign: return *v.foreign;
  case RubyKind::Symbol:
    if (v.s->text == "undef") return Value::undef();
    if (v.s->text == "default") return Value::default_value();
    return ruby_symbol(arena, v.s->text);
  case RubyKind::Array: {
    if (const Value* same = unchanged_source(v.a)) return *same;
    ListBuilder items(arena, v.a->items.size());
    for (const RubyValue& item : v.a->items) items.add(to_puppet(item, line));
    return items.finish();
  }
  case RubyKind::Hash: {
    if (const Value* same = unchanged_source(v.h)) return *same;
    if (auto known = sources_.find(v.h); v.h->untouched() && known != sources_.end()) return known->second;
    HashBuilder hash(arena, v.h->entries().size());
    for (auto& [key, value] : v.h->entries()) hash.set(to_puppet(key, line), to_puppet(value, line));
    return hash.finish();
  }
  default: break;
  }
  not_rendered(line, "a value that the language does not have as an argument of a function");
}

} // namespace pupc::compiler::ruby
