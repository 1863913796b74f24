// Pattern matching: case … in, value in pattern, value => pattern.
#include "compiler/ruby/interpreter/interpreter.h"

#include <fmt/format.h>

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

RubyValue Interpreter::eval_case_in(const Node& node) {
  const RubyValue subject = eval(node.kids[0]);
  for (size_t i = 1; i + 1 < node.kids.size(); ++i) {
    const Node& branch = *node.kids[i];
    if (!matches(*branch.kids[0], subject)) continue;
    if (branch.kids[1] != nullptr && eval(branch.kids[1]).truthy() == branch.flag) {
      mismatch(Mismatch::Guard, subject);
      continue;
    }
    return eval(branch.kids[2]);
  }
  if (!node.flag) no_match(subject, node.kids.size() == 3, node.line);
  return eval(node.kids.back());
}

RubyValue Interpreter::eval_matches(const Node& node) {
  const RubyValue value = eval(node.kids[0]);
  const bool found = matches(*node.kids[1], value);
  if (node.flag) return RubyValue::boolean(found);
  if (!found) no_match(value, true, node.line);
  return {};
}

bool Interpreter::matches(const Node& pattern, const RubyValue& value) {
  step(pattern.line);
  switch (pattern.type) {
  case NodeType::TargetLocal: assign(pattern, value); return true;
  case NodeType::PatternBind:
    if (!matches(*pattern.kids[0], value)) return false;
    assign(*pattern.kids[1], value);
    return true;
  case NodeType::PatternAny:
    for (const Node* one : pattern.kids)
      if (matches(*one, value)) return true;
    return false;
  case NodeType::PatternList: return matches_list(pattern, value);
  case NodeType::PatternHash: return matches_hash(pattern, value);
  default: return matches_value(pattern, value);
  }
}

bool Interpreter::matches_value(const Node& pattern, const RubyValue& value) {
  const RubyValue wanted = eval(&pattern);
  return case_equals(wanted, value, pattern.line) || mismatch(Mismatch::Value, value, wanted);
}

bool Interpreter::matches_list(const Node& pattern, const RubyValue& value) {
  if (pattern.kids[0] != nullptr && !matches_value(*pattern.kids[0], value)) return false;
  RubyValue all = value;
  if (value.is(RubyKind::Object) && find_method_of(value, "deconstruct") != nullptr)
    all = call_method({value, MethodId::unknown, "deconstruct", {}, nullptr, pattern.line});
  if (!all.is_array()) return mismatch(Mismatch::NoList, value);
  const std::vector<RubyValue> items = all.a->items;
  std::vector<const Node*> parts(pattern.kids.begin() + 1, pattern.kids.end());
  size_t splats = 0, first = parts.size();
  for (size_t i = 0; i < parts.size(); ++i)
    if (parts[i]->type == NodeType::TargetSplat) {
      first = std::min(first, i);
      ++splats;
    }
  const size_t fixed = parts.size() - splats;
  auto take = [&](const Node& splat, size_t begin, size_t end) {
    if (splat.kids.empty()) return;
    assign(*splat.kids[0], list({items.begin() + static_cast<ptrdiff_t>(begin), items.begin() + static_cast<ptrdiff_t>(end)}));
  };
  if (splats == 0) {
    if (pattern.flag ? items.size() < fixed : items.size() != fixed)
      return mismatch(pattern.flag ? Mismatch::LeastLength : Mismatch::Length, all, {}, fixed);
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
    take(*parts.front(), 0, begin);
    take(*parts.back(), begin + fixed, items.size());
    return true;
  }
  return mismatch(Mismatch::Find, all);
}

bool Interpreter::matches_hash(const Node& pattern, const RubyValue& value) {
  if (pattern.kids[0] != nullptr && !matches_value(*pattern.kids[0], value)) return false;
  RubyValue all = value;
  if (value.is(RubyKind::Object) && find_method_of(value, "deconstruct_keys") != nullptr) {
    const RubyValue keys;
    all = call_method({value, MethodId::unknown, "deconstruct_keys", {&keys, 1}, nullptr, pattern.line});
  }
  if (!all.is_hash()) return mismatch(Mismatch::NoHash, value);
  RubyValue rest = heap.hash();
  for (const auto& [key, item] : all.h->entries()) rest.h->set(key, item);
  if (pattern.kids.size() == 1 && !pattern.flag) return all.h->size() == 0 || mismatch(Mismatch::NotEmpty, all); // {}
  for (size_t i = 1; i < pattern.kids.size(); i += 2)                                                            // all keys first
    if (const Node& part = *pattern.kids[i]; part.type != NodeType::TargetKeywords)
      if (const RubyValue key = heap.symbol(part.text); all.h->find(key) == nullptr) return mismatch(Mismatch::Key, all, key);
  for (size_t i = 1; i < pattern.kids.size(); ++i) {
    const Node& part = *pattern.kids[i];
    if (part.type == NodeType::TargetKeywords) {
      if (!part.kids.empty()) assign(*part.kids[0], rest);
      continue;
    }
    const RubyValue key = heap.symbol(part.text);
    const RubyValue item = *all.h->find(key);
    RubyValue removed;
    rest.h->erase(key, removed);
    const Node* inner = pattern.kids[++i];
    if (inner == nullptr)
      assign(*part.block, item);
    else if (!matches(*inner, item))
      return false;
  }
  return !pattern.flag || rest.h->size() == 0 || mismatch(Mismatch::Rest, rest);
}

} // namespace pupc::compiler::ruby
