// Pattern matching: case … in, value in pattern, value => pattern.
#include "compiler/ruby/interpreter/interpreter.h"

#include <fmt/format.h>

#include <algorithm>

namespace pupc::compiler::ruby {

void Interpreter::no_match(const RubyValue& value, uint32_t line) {
  inspect(value, line);
  not_rendered(line, "a value that no pattern matches"); // Ruby says why
}

RubyValue Interpreter::eval_case_in(const Case& node) {
  const RubyValue subject = eval(node.subject);
  for (const Node* one : node.branches) {
    const auto& branch = one->as<In>();
    if (!matches(*branch.pattern, subject)) continue;
    if (branch.guard != nullptr && eval(branch.guard).truthy() == branch.unless) continue;
    return eval(branch.body);
  }
  if (node.otherwise == nullptr) no_match(subject, node.line);
  return eval(node.otherwise);
}

RubyValue Interpreter::eval_matches(const Matches& node) {
  const RubyValue value = eval(node.value);
  const bool found = matches(*node.pattern, value);
  if (node.asks) return RubyValue::boolean(found);
  if (!found) {
    if (node.pattern->type == NodeType::PatternHash || node.pattern->type == NodeType::PatternList)
      not_rendered(node.line, "a pattern that does not match");
    no_match(value, node.line);
  }
  return {};
}

bool Interpreter::matches(const Node& pattern, const RubyValue& value) {
  step(pattern.line);
  switch (pattern.type) {
  case NodeType::TargetLocal: assign(pattern, value); return true;
  case NodeType::PatternBind:
    if (!matches(*pattern.as<PatternBind>().pattern, value)) return false;
    assign(*pattern.as<PatternBind>().target, value);
    return true;
  case NodeType::PatternAny:
    return std::ranges::any_of(pattern.as<PatternAny>().patterns, [&](const Node* one) { return matches(*one, value); });
  case NodeType::PatternList: return matches_list(pattern.as<PatternList>(), value);
  case NodeType::PatternHash: return matches_hash(pattern.as<PatternHash>(), value);
  default: return case_equals(eval(&pattern), value, pattern.line);
  }
}

bool Interpreter::matches_list(const PatternList& pattern, const RubyValue& value) {
  if (pattern.constant != nullptr && !case_equals(eval(pattern.constant), value, pattern.line)) return false;
  RubyValue all = value;
  if (value.is(RubyKind::Object) && find_method_of(value, "deconstruct") != nullptr)
    all = call_method({value, MethodId::unknown, "deconstruct", {}, nullptr, pattern.line});
  if (!all.is_array()) return false;
  const std::vector<RubyValue> items = all.a->items;
  const NodeList& parts = pattern.patterns;
  size_t splats = 0, first = parts.size();
  for (size_t i = 0; i < parts.size(); ++i)
    if (parts[i]->type == NodeType::TargetSplat) {
      first = std::min(first, i);
      ++splats;
    }
  const size_t fixed = parts.size() - splats;
  auto take = [&](const Node& splat, size_t begin, size_t end) {
    if (const Node* target = splat.as<RestTarget>().target)
      assign(*target, list({items.begin() + static_cast<ptrdiff_t>(begin), items.begin() + static_cast<ptrdiff_t>(end)}));
  };
  if (splats == 0) {
    if (pattern.open ? items.size() < fixed : items.size() != fixed) return false;
    for (size_t i = 0; i < fixed; ++i)
      if (!matches(*parts[i], items[i])) return false;
    return true;
  }
  if (items.size() < fixed) return false;
  if (splats == 1) {
    const size_t behind = fixed - first;
    for (size_t i = 0; i < first; ++i)
      if (!matches(*parts[i], items[i])) return false;
    take(*parts[first], first, items.size() - behind);
    for (size_t i = 0; i < behind; ++i)
      if (!matches(*parts[first + 1 + i], items[items.size() - behind + i])) return false;
    return true;
  }
  for (size_t begin = 0; begin + fixed <= items.size(); ++begin) { // [*, a, b, *]
    bool all_match = true;
    for (size_t i = 0; all_match && i < fixed; ++i) all_match = matches(*parts[1 + i], items[begin + i]);
    if (!all_match) continue;
    take(*parts[0], 0, begin);
    take(*parts.back(), begin + fixed, items.size());
    return true;
  }
  return false;
}

bool Interpreter::matches_hash(const PatternHash& pattern, const RubyValue& value) {
  if (pattern.constant != nullptr && !case_equals(eval(pattern.constant), value, pattern.line)) return false;
  RubyValue all = value;
  if (value.is(RubyKind::Object) && find_method_of(value, "deconstruct_keys") != nullptr) {
    const RubyValue keys{};
    all = call_method({value, MethodId::unknown, "deconstruct_keys", {&keys, 1}, nullptr, pattern.line});
  }
  if (!all.is_hash()) return false;
  RubyValue rest = heap.hash();
  for (const auto& [key, item] : all.h->entries()) rest.h->set(key, item);
  if (pattern.pairs.empty() && pattern.rest == nullptr && !pattern.whole) return all.h->size() == 0; // {}
  for (const PatternHash::Pair& pair : pattern.pairs) {
    const RubyValue key = heap.symbol(pair.key);
    RubyValue* found = all.h->find(key);
    if (found == nullptr) return false;
    const RubyValue item = *found;
    RubyValue removed;
    rest.h->erase(key, removed);
    if (!matches(*pair.pattern, item)) return false;
  }
  if (pattern.rest != nullptr && pattern.rest->as<RestTarget>().target != nullptr) assign(*pattern.rest->as<RestTarget>().target, rest);
  return !pattern.whole || rest.h->size() == 0;
}

} // namespace pupc::compiler::ruby
