// Pattern matching: case … in, value in pattern, value => pattern.
#include "compiler/ruby/interpreter/interpreter.h"

#include <fmt/format.h>

#include <algorithm>

namespace pupc::compiler::ruby {

/// Raises the error of a value that no pattern matches; of a single pattern it says why.
void Interpreter::no_match(const RubyValue& value, bool single, uint32_t line) {
  if (!single) throw RubyError{line, value.is_nil() ? "NoMatchingPatternError" : to_s(value, line), RubyClass::NoMatchingPattern};
  const std::string whole = inspect(value, line);
  const Mismatch& why = mismatch_;
  std::string text;
  switch (why.reason) {
  case Mismatch::Value: text = fmt::format("{} === {} does not return true", inspect(why.wanted, line), inspect(why.found, line)); break;
  case Mismatch::Length:
  case Mismatch::LeastLength:
    text = fmt::format("{} length mismatch (given {}, expected {}{})", inspect(why.found, line), why.found.a->items.size(), why.expected,
                       why.reason == Mismatch::LeastLength ? "+" : "");
    break;
  case Mismatch::Find: text = inspect(why.found, line) + " does not match to find pattern"; break;
  case Mismatch::NoList: text = inspect(why.found, line) + " does not respond to #deconstruct"; break;
  case Mismatch::NoHash: text = inspect(why.found, line) + " does not respond to #deconstruct_keys"; break;
  case Mismatch::NotEmpty: text = inspect(why.found, line) + " is not empty"; break;
  case Mismatch::Rest: text = fmt::format("rest of {} is not empty", inspect(why.found, line)); break;
  case Mismatch::Guard: text = "guard clause does not return true"; break;
  case Mismatch::Key: {
    const RubyValue error = heap.exception(RubyClass::NoMatchingPatternKey,
                                           fmt::format("{}: key not found: {}", whole, inspect(why.wanted, line)));
    error.exception->instance_variables.emplace("key", why.wanted);
    error.exception->instance_variables.emplace("matchee", why.found);
    throw RubyError{line, error.exception->message, RubyClass::NoMatchingPatternKey, error.exception};
  }
  }
  throw RubyError{line, fmt::format("{}: {}", whole, text), RubyClass::NoMatchingPattern};
}

/// A pattern does not match: notes why.
bool Interpreter::mismatch(Mismatch::Reason reason, const RubyValue& found, const RubyValue& wanted, size_t expected) {
  mismatch_ = {reason, found, wanted, expected};
  return false;
}

RubyValue Interpreter::eval_case_in(const Case& node) {
  const RubyValue subject = eval(node.subject);
  for (const Node* one : node.branches) {
    const auto& branch = one->as<In>();
    if (!matches(*branch.pattern, subject)) continue;
    if (branch.guard != nullptr && eval(branch.guard).truthy() == branch.unless) {
      mismatch(Mismatch::Guard, subject);
      continue;
    }
    return eval(branch.body);
  }
  if (node.otherwise == nullptr) no_match(subject, node.branches.size() == 1, node.line);
  return eval(node.otherwise);
}

RubyValue Interpreter::eval_matches(const Matches& node) {
  const RubyValue value = eval(node.value);
  const bool found = matches(*node.pattern, value);
  if (node.asks) return RubyValue::boolean(found);
  if (!found) no_match(value, true, node.line);
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
  default: return matches_value(pattern, value);
  }
}

bool Interpreter::matches_value(const Node& pattern, const RubyValue& value) {
  const RubyValue wanted = eval(&pattern);
  return case_equals(wanted, value, pattern.line) || mismatch(Mismatch::Value, value, wanted);
}

bool Interpreter::matches_list(const PatternList& pattern, const RubyValue& value) {
  if (pattern.constant != nullptr && !matches_value(*pattern.constant, value)) return false;
  RubyValue all = value;
  if (value.is(RubyKind::Object) && find_method_of(value, "deconstruct") != nullptr)
    all = call_method({value, MethodId::unknown, "deconstruct", {}, nullptr, pattern.line});
  if (!all.is_array()) return mismatch(Mismatch::NoList, value);
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
    if (pattern.open ? items.size() < fixed : items.size() != fixed)
      return mismatch(pattern.open ? Mismatch::LeastLength : Mismatch::Length, all, {}, fixed);
    for (size_t i = 0; i < fixed; ++i)
      if (!matches(*parts[i], items[i])) return false;
    return true;
  }
  if (items.size() < fixed) return mismatch(Mismatch::LeastLength, all, {}, fixed);
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
  return mismatch(Mismatch::Find, all);
}

bool Interpreter::matches_hash(const PatternHash& pattern, const RubyValue& value) {
  if (pattern.constant != nullptr && !matches_value(*pattern.constant, value)) return false;
  RubyValue all = value;
  if (value.is(RubyKind::Object) && find_method_of(value, "deconstruct_keys") != nullptr) {
    const RubyValue keys{};
    all = call_method({value, MethodId::unknown, "deconstruct_keys", {&keys, 1}, nullptr, pattern.line});
  }
  if (!all.is_hash()) return mismatch(Mismatch::NoHash, value);
  RubyValue rest = heap.hash();
  for (const auto& [key, item] : all.h->entries()) rest.h->set(key, item);
  if (pattern.pairs.empty() && pattern.rest == nullptr && !pattern.whole)
    return all.h->size() == 0 || mismatch(Mismatch::NotEmpty, all); // {}
  for (const PatternHash::Pair& pair : pattern.pairs)               // all keys first
    if (const RubyValue key = heap.symbol(pair.key); all.h->find(key) == nullptr) return mismatch(Mismatch::Key, all, key);
  for (const PatternHash::Pair& pair : pattern.pairs) {
    const RubyValue key = heap.symbol(pair.key);
    const RubyValue item = *all.h->find(key);
    RubyValue removed;
    rest.h->erase(key, removed);
    if (!matches(*pair.pattern, item)) return false;
  }
  if (pattern.rest != nullptr && pattern.rest->as<RestTarget>().target != nullptr) assign(*pattern.rest->as<RestTarget>().target, rest);
  return !pattern.whole || rest.h->size() == 0 || mismatch(Mismatch::Rest, rest);
}

} // namespace pupc::compiler::ruby
