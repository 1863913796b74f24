// Variables and what values are assigned to.
#include "compiler/ruby/interpreter/interpreter.h"
#include "compiler/ruby/syntax/ruby_lexical.h"

#include <fmt/format.h>

#include <algorithm>

namespace pupc::compiler::ruby {

static bool is_name(std::string_view name) { return !name.empty() && is_name_start(name[0]); }

RubyValue Interpreter::eval_assign(const Assign& node) {
  switch (node.target->type) {
  case NodeType::TargetLocal: return slot(node.target->as<LocalVariable>()) = eval(node.value);
  case NodeType::TargetConstant: return define_constant(node.target->as<NamedVariable>().name, eval(node.value), node.line);
  case NodeType::TargetAttribute: {
    const auto& target = node.target->as<AttributeTarget>();
    const RubyValue self = eval(target.receiver);
    if (target.safe && self.is_nil()) return {};
    const RubyValue value = eval(node.value);
    call_attribute(target, self, {&value, 1});
    return value;
  }
  case NodeType::TargetIndex: {
    const auto& target = node.target->as<IndexTarget>();
    const RubyValue self = eval(target.receiver);
    std::vector<RubyValue> args;
    eval_arguments(target.arguments, args);
    args.push_back(eval(node.value));
    call_method({self, MethodId::IndexSet, "[]=", args, nullptr, node.line});
    return args.back();
  }
  default: {
    const RubyValue value = eval(node.value);
    assign(*node.target, value);
    return value;
  }
  }
}

RubyValue Interpreter::eval_op_assign(const OpAssign& node) {
  const Node& target = *node.target;
  RubyValue self, old;
  std::vector<RubyValue> args;
  switch (target.type) {
  case NodeType::TargetLocal: old = slot(target.as<LocalVariable>()); break;
  case NodeType::TargetInstance: old = instance_variable(target.as<NamedVariable>().name); break;
  case NodeType::TargetGlobal: old = global(target.as<NamedVariable>().name, node.line); break;
  case NodeType::TargetClassVariable: {
    const auto& variable = target.as<NamedVariable>();
    if (node.op != "||" || class_variables(variable.name, node.line).contains(variable.name)) old = class_variable(variable);
    break;
  }
  case NodeType::TargetConstant:
    if (!find_constant(target.as<NamedVariable>().name, old)) old = {};
    break;
  case NodeType::TargetAttribute:
    self = eval(target.as<AttributeTarget>().receiver);
    if (target.as<AttributeTarget>().safe && self.is_nil()) return {};
    old = call_attribute(target.as<AttributeTarget>(), self, {});
    break;
  default:
    self = eval(target.as<IndexTarget>().receiver);
    eval_arguments(target.as<IndexTarget>().arguments, args);
    old = call_method({self, MethodId::Index, "[]", args, nullptr, node.line});
  }
  RubyValue result;
  if (node.op == "||" || node.op == "&&") {
    if (old.truthy() == (node.op == "||")) return old;
    result = eval(node.value);
  } else {
    RubyValue right = eval(node.value);
    result = call_method({old, node.method, node.op, std::span(&right, 1), nullptr, node.line});
  }
  switch (target.type) {
  case NodeType::TargetConstant: define_constant(target.as<NamedVariable>().name, result, node.line); break;
  case NodeType::TargetAttribute: call_attribute(target.as<AttributeTarget>(), self, {&result, 1}); break;
  case NodeType::TargetIndex:
    args.push_back(result);
    call_method({self, MethodId::IndexSet, "[]=", args, nullptr, node.line});
    break;
  default: assign(target, result);
  }
  return result;
}

/// Reads `self.name`, or sets it where there is a value.
RubyValue Interpreter::call_attribute(const AttributeTarget& target, const RubyValue& self, std::span<const RubyValue> value) {
  const std::string_view name = value.empty() ? target.name : host.keep(fmt::format("{}=", target.name));
  const bool own = target.receiver->type == NodeType::Self;
  const MethodCall call{self, find_method(name), name, value, nullptr, target.line, false, own};
  return self.is(RubyKind::Instance) ? kernel_function(call) : call_method(call);
}

void Interpreter::assign(const Node& target, const RubyValue& value) {
  switch (target.type) {
  case NodeType::TargetLocal: slot(target.as<LocalVariable>()) = value; return;
  case NodeType::TargetInstance: set_instance_variable(target.as<NamedVariable>().name, value); return;
  case NodeType::TargetGlobal: set_global(target.as<NamedVariable>().name, value, target.line); return;
  case NodeType::TargetClassVariable: {
    const std::string_view name = target.as<NamedVariable>().name;
    change_kept(target.line, "a class variable that a call sets");
    class_variables(name, target.line).insert_or_assign(std::string(name), value);
    return;
  }
  case NodeType::TargetAttribute:
    call_attribute(target.as<AttributeTarget>(), eval(target.as<AttributeTarget>().receiver), {&value, 1});
    return;
  case NodeType::TargetIndex: {
    const RubyValue self = eval(target.as<IndexTarget>().receiver);
    std::vector<RubyValue> args;
    eval_arguments(target.as<IndexTarget>().arguments, args);
    args.push_back(value);
    call_method({self, MethodId::IndexSet, "[]=", args, nullptr, target.line});
    return;
  }
  case NodeType::TargetMany: assign_many(target.as<ManyTarget>().targets, value); return;
  case NodeType::TargetSplat:
    if (const Node* inner = target.as<RestTarget>().target) assign(*inner, list({value}));
    return;
  default: not_rendered(target.line, "a target of an assignment");
  }
}

void Interpreter::assign_many(const NodeList& targets, const RubyValue& value) {
  if (value.is_array() && std::ranges::all_of(targets, [](const Node* t) { return t->type == NodeType::TargetLocal; })) {
    for (size_t i = 0; i < targets.size(); ++i)
      slot(targets[i]->as<LocalVariable>()) = i < value.a->items.size() ? value.a->items[i] : RubyValue();
    return;
  }
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
  if (const Node* inner = targets[splat]->as<RestTarget>().target) {
    std::vector<RubyValue> rest;
    for (size_t i = splat; i < end; ++i) rest.push_back(values[i]);
    assign(*inner, list(std::move(rest)));
  }
  for (size_t i = 0; i < behind; ++i) assign(*targets[splat + 1 + i], value_at(std::max(end, splat) + i));
}

RubyValue Interpreter::global(std::string_view name, uint32_t line) {
  if (name == "!") return rescued_ != nullptr ? exception_of(*rescued_) : RubyValue();
  if (name == "/") return str("\n");
  if (name == ";" || name == ",") return {};
  const auto known = globals_.find(name);
  if (known != globals_.end()) return known->second;
  if (name == "DEBUG" || name == "VERBOSE" || name.size() == 1 || name.starts_with("std") || name == "PROGRAM_NAME" ||
      name == "LOAD_PATH" || name == "LOADED_FEATURES")
    not_rendered(line, "a global variable of Ruby's own");
  not_rendered(line, "a global variable"); // another call may have set it
}

void Interpreter::set_global(std::string_view name, const RubyValue& value, uint32_t line) {
  if (!is_name(name) || name.starts_with("std") || name == "VERBOSE" || name == "DEBUG" || name == "PROGRAM_NAME")
    not_rendered(line, "a global variable of Ruby's own");
  globals_.insert_or_assign(std::string(name), value);
}

/// The class variables of the class around the code that has this one already; else those of the innermost class.
NamedValues& Interpreter::class_variables(std::string_view name, uint32_t line) {
  if (nesting_ == nullptr) {
    if (program_->self != Self::Scope) not_rendered(line, "a class variable");
    return own_class_variables_; // of the module of 3.x functions
  }
  for (RubyModule* m = nesting_->module; m != nullptr; m = m->parent)
    if (m->class_variables.contains(name)) return m->class_variables;
  return nesting_->module->class_variables;
}

const RubyValue& Interpreter::class_variable(const NamedVariable& node) {
  const NamedValues& known = class_variables(node.name, node.line);
  const auto found = known.find(node.name);
  if (found == known.end()) not_rendered(node.line, "a class variable that is not set");
  return found->second;
}

bool Interpreter::find_instance_variable(std::string_view name, RubyValue& out) {
  if (NamedValues* own = variables_of(self_)) {
    const auto known = own->find(name);
    if (known != own->end()) out = known->second;
    return known != own->end();
  }
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
  if (!host.instance_variable(std::string(name), found)) return false;
  out = from_puppet(found);
  instance_variables_.emplace(name, out);
  if (is_changeable(found)) read_.emplace_back(name, out);
  return true;
}

void Interpreter::set_instance_variable(std::string_view name, const RubyValue& value) {
  if (self_.is(RubyKind::Object) && self_.object->frozen) not_rendered(1, "a frozen object");
  if (NamedValues* own = variables_of(self_)) {
    check_lasting(self_, 1);
    note_variable(self_, name);
    own->insert_or_assign(name, value);
    return;
  }
  note_assignment(name);
  instance_variables_.insert_or_assign(name, value);
}

RubyValue Interpreter::instance_variable(std::string_view name) {
  RubyValue out;
  find_instance_variable(name, out);
  return out;
}

/// $1 …, $~, $& (the last match), $` (what is before it) or $' (behind it).
RubyValue Interpreter::match_group(const MatchGroup& node) {
  if (!last_match.is(RubyKind::Match)) return {};
  const RubyMatch& m = *last_match.match;
  if (node.number != 0) return group_text(m, static_cast<size_t>(node.number));
  if (node.part == '~') return last_match;
  const auto begin = static_cast<size_t>(m.result.groups[0].begin), end = static_cast<size_t>(m.result.groups[0].end);
  return str(node.part == '`' ? m.text.substr(0, begin) : node.part == '&' ? m.text.substr(begin, end - begin) : m.text.substr(end));
}

} // namespace pupc::compiler::ruby
