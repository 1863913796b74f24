// Conditions that always or never hold, and choices that are never taken.
#include "catalog/base/stack.h"
#include "catalog/base/stack_memory.h"
#include "catalog/base/text.h"

#include "compiler/analysis/tree_queries.h"
#include "compiler/analysis/walker.h"
#include "compiler/ast/children.h"

#include "compiler/types/core_types.h"

#include <fmt/format.h>
#include <map>
#include <set>

namespace pupc::compiler {
namespace {

/// Collects in `out` the strings that the type accepts, in lower case. False when it also accepts other strings. Values that are not
/// strings do not matter.
bool enum_texts(const Type* type, std::set<std::string>& out, int depth = 0) {
  if (type == nullptr || depth > 12) return false;
  switch (type->kind) {
  case TypeKind::Enum:
    for (std::string_view v : type_cast<EnumType>(type).values) out.insert(ascii_lower(v));
    return true;
  case TypeKind::String:
    if (!type_cast<StringType>(type).has_value) return false;
    out.insert(ascii_lower(type_cast<StringType>(type).value));
    return true;
  case TypeKind::Undef:
  case TypeKind::Boolean:
  case TypeKind::Integer:
  case TypeKind::Float:
  case TypeKind::Numeric:
  case TypeKind::Array:
  case TypeKind::Tuple:
  case TypeKind::Hash:
  case TypeKind::Struct: return true;
  case TypeKind::Optional: return enum_texts(type_cast<WrapperType>(type).inner, out, depth + 1);
  case TypeKind::Variant:
    for (const Type* t : type_cast<VariantType>(type).types)
      if (!enum_texts(t, out, depth + 1)) return false;
    return true;
  case TypeKind::TypeAlias: return enum_texts(type_cast<TypeAliasType>(type).resolved, out, depth + 1);
  default: return false;
  }
}

/// "/^Red/": a text with the marks of a regular expression, and no path.
/// `never_a_path`: the text is compared with one that never begins with a slash.
bool looks_like_pattern(std::string_view text, bool never_a_path) {
  if (text.size() < (never_a_path ? 3 : 4) || text.front() != '/' || text.back() != '/') return false;
  if (never_a_path) return true;
  text = text.substr(1, text.size() - 2);
  return text.front() == '^' || text.back() == '$' || text.find_first_of("|(*\\[") != std::string_view::npos;
}

/// Where an expression begins: an operator's own place is that of the operator or of its first part.
uint32_t first_offset(const Node& n) {
  uint32_t first = n.offset;
  if (!native_stack_low()) for_each_child(n, [&](const Node* child) { first = std::min(first, first_offset(*child)); });
  return first;
}

bool same_text(const Node* a, const Node* b) {
  if (a->kind != b->kind) return false;
  if (a->kind == NodeKind::Name) return a->as<Name>().name == b->as<Name>().name;
  const Value &v = a->as<Literal>().value, &w = b->as<Literal>().value;
  return !v.is_string() || !w.is_string() || v.str() == w.str();
}

} // namespace

const Type* Walker::declared_type(const Node* n) {
  n = unparenthesised(n);
  if (n == nullptr || n->kind != NodeKind::Variable || body_ == nullptr) return nullptr;
  const auto& v = n->as<Variable>();
  if (v.form() != Variable::Form::Simple || v.slot == Variable::no_slot) return nullptr;
  Body* body = body_;
  for (uint16_t up = v.up; up > 0 && body != nullptr; --up) body = body->outer;
  if (body == nullptr || v.slot >= body->slots.size() || !assignments_of(*body, v.slot).empty()) return nullptr;
  const Parameter* p = body->parameter_of(v);
  return p != nullptr && !p->captures_rest ? program_.type_of(*p, *source_) : nullptr;
}

/// The reason why the tested expression never equals the literal; empty when it may.
std::string Walker::never_equal(const Node* tested, const Node* literal) {
  tested = unparenthesised(tested);
  literal = unparenthesised(literal);
  if (tested->kind != NodeKind::Variable || (literal->kind != NodeKind::Literal && literal->kind != NodeKind::Name)) return {};
  const StaticValue value = static_value(literal);
  if (!value.known || value.value.is(Kind::Default) || value.value.is(Kind::Regex)) return {};
  const StaticValue given = static_value(tested);
  KindSet wanted = value.kinds;
  if ((wanted & kinds::number) != 0) wanted |= kinds::number;
  if ((given.kinds & wanted) == 0 && given.kinds != kinds::any) {
    if (value.value.is_undef()) return {}; // a defensive test against undef is no mistake
    return fmt::format("'{}' is never a {}", tested->as<Variable>().name.str(),
                       value.value.is_string() ? "String"
                       : value.value.is_bool() ? "Boolean"
                                               : "number");
  }
  std::set<std::string> texts;
  if (value.value.is_string() && enum_texts(declared_type(tested), texts) && !texts.empty() &&
      !texts.contains(ascii_lower(value.value.str())))
    return fmt::format("'{}' is never '{}'", tested->as<Variable>().name.str(), value.value.str());
  return {};
}

void Walker::check_condition(const Node& test) {
  const Node* n = unparenthesised(&test);
  if (n->kind == NodeKind::Assignment) {
    report(CheckCode::assignment_in_condition, *n, "This sets a variable instead of comparing it", "Write == to compare.");
    return;
  }
  const bool text = n->kind == NodeKind::Interpolation;
  if (n->kind != NodeKind::Literal && !text) return;
  const bool holds = text || n->as<Literal>().value.truthy();
  const bool is_bool = !text && n->as<Literal>().value.is_bool();
  report(CheckCode::constant_condition, *n, fmt::format("This condition {} holds", holds ? "always" : "never"),
         is_bool ? "" : "Every value but undef and false is true, also an empty text.");
}

/// A number compared with a parameter whose type has bounds: `$n > 20` with Integer[1, 10].
void Walker::check_order(const Binary& b) {
  const bool turned = unparenthesised(b.left)->kind != NodeKind::Variable;
  const Node *tested = unparenthesised(turned ? b.right : b.left), *literal = unparenthesised(turned ? b.left : b.right);
  const Type* type = declared_type(tested);
  for (int depth = 0; type != nullptr && type->kind == TypeKind::TypeAlias && depth < 12; ++depth)
    type = type_cast<TypeAliasType>(type).resolved;
  if (type == nullptr || type->kind != TypeKind::Integer || literal->kind == NodeKind::Variable) return;
  const Range& range = type_cast<RangeType>(type).range;
  const StaticValue v = static_value(literal);
  if (!v.known || !v.value.is_int()) return;
  const int64_t n = v.value.i;
  BinaryOp op = b.op();
  if (turned)
    op = op == BinaryOp::Less           ? BinaryOp::Greater
         : op == BinaryOp::LessEqual    ? BinaryOp::GreaterEqual
         : op == BinaryOp::Greater      ? BinaryOp::Less
         : op == BinaryOp::GreaterEqual ? BinaryOp::LessEqual
                                        : op;
  const bool below = !range.to_open && range.to < n, above = !range.from_open && range.from > n; // all values are
  const bool at_most = !range.to_open && range.to <= n, at_least = !range.from_open && range.from >= n;
  bool never = false, always = false;
  switch (op) {
  case BinaryOp::Greater: never = at_most, always = above; break;
  case BinaryOp::GreaterEqual: never = below, always = at_least; break;
  case BinaryOp::Less: never = at_least, always = below; break;
  case BinaryOp::LessEqual: never = above, always = at_most; break;
  case BinaryOp::Equal: never = below || above; break;
  case BinaryOp::NotEqual: always = below || above; break;
  default: return;
  }
  if (never || always)
    report(CheckCode::impossible_comparison, b,
           fmt::format("This comparison {} holds: '{}' is {}", never ? "never" : "always", tested->as<Variable>().name.str(),
                       type->to_string()),
           {}, never ? std::nullopt : std::optional(Severity::Hint)); // what always holds may be a precaution
}

void Walker::check_comparison(const Binary& b) {
  check_order(b);
  if (b.op() != BinaryOp::Equal && b.op() != BinaryOp::NotEqual) return;
  std::string why = never_equal(b.left, b.right);
  if (why.empty()) why = never_equal(b.right, b.left);
  if (why.empty()) return;
  report(CheckCode::impossible_comparison, b,
         fmt::format("This comparison {} holds: {}", b.op() == BinaryOp::Equal ? "never" : "always", why), {},
         b.op() == BinaryOp::Equal ? std::nullopt : std::optional(Severity::Hint));
}

/// An elsif whose condition stands before it, word for word.
void Walker::check_repeated_condition(const If& first) {
  if ((first.flags & if_elsif) != 0 || first.else_part == nullptr || first.else_part->kind != NodeKind::If) return;
  std::set<std::string_view> seen;
  for (const Node* n = &first; n != nullptr && n->kind == NodeKind::If; n = n->as<If>().else_part) {
    const Node& test = *n->as<If>().test;
    const uint32_t begin = first_offset(test), end = n->as<If>().then_block->offset;
    if (end <= begin) return;
    if (!seen.insert(trimmed(source_->text().substr(begin, end - begin), " \t\r\n{")).second)
      report(CheckCode::unreachable_choice, test, "This choice is never taken: the same condition stands before it");
  }
}

void Walker::check_choices(const Node* tested, std::span<const Node* const> values) {
  StackMemory<2048> memory;
  std::pmr::map<std::string, const Node*> seen(&memory.resource);
  for (const Node* value : values) {
    if (value->kind == NodeKind::Unfold) continue;
    if (value->kind == NodeKind::Literal || value->kind == NodeKind::Name) {
      const StaticValue v = static_value(value);
      if (!v.known || v.value.is(Kind::Default)) continue;
      std::string key(1, static_cast<char>('0' + static_cast<int>(v.value.kind)));
      if (v.value.is_string())
        key += ascii_lower(v.value.str());
      else if (v.value.is_int())
        key += std::to_string(v.value.i);
      else if (v.value.is_bool())
        key += v.value.b ? "1" : "0";
      else if (!v.value.is_undef())
        continue;
      auto at = seen.find(key);
      if (at != seen.end())
        report(CheckCode::unreachable_choice, *value, "This choice is never taken: the same value stands before it",
               v.value.is_string() ? "The case of letters does not count." : "",
               same_text(at->second, value) ? std::nullopt : std::optional(Severity::Hint)); // other letter case: perhaps a precaution
      else
        seen.emplace(std::move(key), value);
    }
    if (value->kind == NodeKind::Literal && value->as<Literal>().value.is_string() &&
        looks_like_pattern(value->as<Literal>().value.str(), fact_kinds(tested) == kinds::string))
      report(CheckCode::unreachable_choice, *value, "This is a text, not a regular expression", "Leave out the quotes.");
    if (std::string why = never_equal(tested, value); !why.empty())
      report(CheckCode::unreachable_choice, *value, fmt::format("This choice is never taken: {}", why));
  }
}

void Walker::check_case(const Case& c) {
  StackMemory<256> memory;
  std::pmr::vector<const Node*> values(&memory.resource);
  for (const CaseOption& option : c.options)
    for (const Node* value : option.values) values.push_back(value);
  check_choices(c.test, values);
}

void Walker::check_selector(const Selector& s) {
  StackMemory<256> memory;
  std::pmr::vector<const Node*> values(&memory.resource);
  for (const SelectorEntry& entry : s.entries) values.push_back(entry.match);
  check_choices(s.left, values);
}

} // namespace pupc::compiler
