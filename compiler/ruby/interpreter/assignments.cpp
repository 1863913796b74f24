// Variables and what values are assigned to.
#include "compiler/ruby/interpreter/interpreter.h"
#include "compiler/ruby/syntax/ruby_lexical.h"

#include <algorithm>

namespace pupc::compiler::ruby {

static bool is_name(std::string_view name) { return !name.empty() && is_name_start(name[0]); }

RubyValue& Interpreter::slot(const Node& node) {
  LocalScope* e = environ_;
  for (int32_t up = node.a; up > 0; --up) e = e->up;
  return e->slots[node.b];
}

void Interpreter::assign(const Node& target, const RubyValue& value) {
  switch (target.type) {
  case NodeType::TargetLocal: slot(target) = value; return;
  case NodeType::TargetInstance: set_instance_variable(target.text, value); return;
  case NodeType::TargetGlobal: set_global(target.text, value, target.line); return;
  case NodeType::TargetClassVariable: class_variables(target.text, target.line).insert_or_assign(std::string(target.text), value); return;
  case NodeType::TargetAttribute: call_attribute(target, eval(target.kids[0]), {&value, 1}); return;
  case NodeType::TargetIndex: {
    const RubyValue self = eval(target.kids[0]);
    std::vector<RubyValue> args;
    eval_arguments(target, 1, args);
    args.push_back(value);
    call_method({self, MethodId::IndexSet, "[]=", args, nullptr, target.line});
    return;
  }
  case NodeType::TargetMany: assign_many(target.kids, value); return;
  case NodeType::TargetSplat:
    if (!target.kids.empty()) assign(*target.kids[0], list({value}));
    return;
  default: not_rendered(target.line, "a target of an assignment");
  }
}

void Interpreter::assign_many(std::span<Node* const> targets, const RubyValue& value) {
  if (value.is_array() && std::all_of(targets.begin(), targets.end(), [](const Node* t) { return t->type == NodeType::TargetLocal; })) {
    for (size_t i = 0; i < targets.size(); ++i) slot(*targets[i]) = i < value.a->items.size() ? value.a->items[i] : RubyValue();
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
  if (!targets[splat]->kids.empty()) {
    std::vector<RubyValue> rest;
    for (size_t i = splat; i < end; ++i) rest.push_back(values[i]);
    assign(*targets[splat]->kids[0], list(std::move(rest)));
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
    note_variable(self_, name);
    own->insert_or_assign(name, value);
    return;
  }
  instance_variables_.insert_or_assign(name, value);
}

RubyValue Interpreter::instance_variable(std::string_view name) {
  RubyValue out;
  find_instance_variable(name, out);
  return out;
}

/// $& (the last match), $` (what is before it) or $' (behind it).
RubyValue Interpreter::match_part(char name) {
  if (!last_match.is(RubyKind::Match)) return {};
  const RubyMatch& m = *last_match.match;
  const auto begin = static_cast<size_t>(m.result.groups[0].begin), end = static_cast<size_t>(m.result.groups[0].end);
  return str(name == '`' ? m.text.substr(0, begin) : name == '&' ? m.text.substr(begin, end - begin) : m.text.substr(end));
}

RubyValue Interpreter::match_group(int n) {
  if (!last_match.is(RubyKind::Match)) return {};
  if (n == 0) return last_match;
  return group_text(*last_match.match, static_cast<size_t>(n));
}

} // namespace pupc::compiler::ruby
