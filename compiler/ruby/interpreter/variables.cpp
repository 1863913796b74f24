// Variables and what values are assigned to.
#include "compiler/ruby/interpreter/interpreter.h"

namespace pupc::compiler::ruby {

RubyValue& Interpreter::slot(const Node& node) {
  LocalScope* e = environ_;
  for (int32_t up = node.a; up > 0; --up) e = e->up;
  return e->slots[node.b];
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
  if (!host.instance_variable(std::string(name), found)) return false;
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
