// Conditions that always or never hold, and choices that are never taken.
#include "catalog/base/stack.h"
#include "catalog/base/stack_memory.h"
#include "catalog/base/text.h"

#include "compiler/analysis/codebase/fact_names.h"
#include "compiler/analysis/codebase/tree_queries.h"
#include "compiler/analysis/ruby/facts_in_ruby.h"
#include "compiler/analysis/walker.h"
#include "compiler/ast/children.h"

#include "compiler/types/bare_type.h"
#include "compiler/types/core_types.h"

#include <fmt/format.h>
#include <map>
#include <set>

namespace pupc::compiler {
/// Collects in `out` the strings that the type accepts, in lower case. False when it also accepts other strings. Values that are not
/// strings do not matter.
bool enum_texts(const Type* type, std::set<std::string>& out, int depth) {
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

uint32_t last_offset(const Node& n) {
  uint32_t last = n.offset + n.length;
  if (!native_stack_low()) for_each_child(n, [&](const Node* child) { last = std::max(last, last_offset(*child)); });
  return last;
}

uint32_t first_offset(const Node& n) {
  uint32_t first = n.offset;
  if (!native_stack_low()) for_each_child(n, [&](const Node* child) { first = std::min(first, first_offset(*child)); });
  return first;
}

std::string_view source_text(const SourceFile& source, const Node& first, const Node& last) {
  const uint32_t begin = first_offset(first), end = last_offset(last);
  return end > begin && end <= source.text().size() ? source.text().substr(begin, end - begin) : std::string_view();
}

namespace {

/// Collects the values of a type that has only some: those of Enum, Boolean (`truths`), Optional and Variant of these. False for others.
bool finite_values(const Type* type, std::vector<std::string_view>& texts, bool& undef, bool& truths, int depth = 0) {
  if (type == nullptr || depth > 12) return false;
  switch (type->kind) {
  case TypeKind::Enum: {
    const auto& own = type_cast<EnumType>(type).values;
    texts.insert(texts.end(), own.begin(), own.end());
    return true;
  }
  case TypeKind::Boolean: truths = true; return true;
  case TypeKind::String:
    if (!type_cast<StringType>(type).has_value) return false;
    texts.push_back(type_cast<StringType>(type).value);
    return true;
  case TypeKind::Undef: undef = true; return true;
  case TypeKind::Optional: undef = true; return finite_values(type_cast<WrapperType>(type).inner, texts, undef, truths, depth + 1);
  case TypeKind::Variant:
    for (const Type* t : type_cast<VariantType>(type).types)
      if (!finite_values(t, texts, undef, truths, depth + 1)) return false;
    return true;
  case TypeKind::TypeAlias: return finite_values(type_cast<TypeAliasType>(type).resolved, texts, undef, truths, depth + 1);
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

/// The expression as it stands in the source.
std::string written(const SourceFile& source, const Node& n) {
  const std::string_view text = source_text(source, n);
  return text.empty() || text.size() > 60 || text.find('\n') != std::string_view::npos ? "…" : std::string(text);
}

/// Whether the branch of this choice is for the family of the system that it names, too: 'Debian', 'Devuan': { … }
bool has_family_beside(const Case& c, const Node* choice) {
  const std::string_view family = family_of_system(written_text(*choice).value_or(""));
  if (family.empty()) return false;
  const auto takes = [&](const Node* n) {
    if (n->kind == NodeKind::RegexLiteral) return n->as<Literal>().value.regex->matches(std::string(family));
    return ascii_lower(written_text(*n).value_or("")) == ascii_lower(family);
  };
  return std::ranges::any_of(c.options, [&](const CaseOption& option) {
    return std::ranges::find(option.values, choice) != option.values.end() && std::ranges::any_of(option.values, takes);
  });
}

bool same_text(const Node* a, const Node* b) {
  if (a->kind != b->kind) return false;
  if (a->kind == NodeKind::Name) return a->as<Name>().name == b->as<Name>().name;
  const Value &v = a->as<Literal>().value, &w = b->as<Literal>().value;
  return !v.is_string() || !w.is_string() || v.str() == w.str();
}

} // namespace

/// The expression as messages name it.
std::string Walker::shown(const Node& n) const {
  if (n.kind == NodeKind::Variable) return std::string(n.as<Variable>().name.str());
  if (n.kind == NodeKind::Access) return written(*source_, n);
  if (n.kind == NodeKind::Call && n.as<Call>().functor->kind == NodeKind::Name)
    return fmt::format("{}()", n.as<Call>().functor->as<Name>().name.str());
  if (n.kind == NodeKind::MethodCall && n.as<MethodCall>().name->kind == NodeKind::Name)
    return fmt::format("{}()", n.as<MethodCall>().name->as<Name>().name.str());
  return "this";
}

/// The reason why the tested expression never equals the literal; empty when it may.
std::string Walker::never_equal(const Node* tested, const Node* literal) {
  tested = unparenthesised(tested);
  literal = unparenthesised(literal);
  if (literal->kind != NodeKind::Literal && literal->kind != NodeKind::Name && literal->kind != NodeKind::Minus) return {};
  const StaticValue value = static_value(literal);
  if (!value.known || value.value.is(Kind::Default) || value.value.is(Kind::Regex)) return {};
  const StaticValue given = static_value(tested);
  if (given.known && tested->kind != NodeKind::Variable) return {}; // two literals: a condition of its own
  KindSet wanted = value.kinds;
  if ((wanted & kinds::number) != 0) wanted |= kinds::number;
  if ((given.kinds & wanted) == 0 && given.kinds != kinds::any) {
    if (value.value.is_undef()) return {}; // a defensive test against undef is no mistake
    return fmt::format("'{}' is never a {}", shown(*tested),
                       value.value.is_string() ? "String"
                       : value.value.is_bool() ? "Boolean"
                                               : "number");
  }
  if (value.value.is_string() && tested->kind == NodeKind::Access)
    if (const std::string fact = fact_path(tested); !fact.empty() && !program_.custom_facts().contains(fact.substr(0, fact.find('.'))))
      if (std::string why = never_value_of_fact(fact, value.value.str()); !why.empty()) return why;
  if (value.value.is_string() && tested->kind == NodeKind::Access)
    if (const std::string fact = fact_path(tested); program_.custom_facts().contains(fact))
      if (std::string why = never_value_of_custom_fact(program_, fact, value.value.str()); !why.empty()) return why;
  std::set<std::string> texts;
  if (value.value.is_string() && enum_texts(declared_type(tested), texts) && !texts.empty() &&
      !texts.contains(ascii_lower(value.value.str())))
    return fmt::format("'{}' is never '{}'", shown(*tested), value.value.str());
  return {};
}

void Walker::check_condition(const Node& test) {
  const Node* n = unparenthesised(&test);
  if (n->kind == NodeKind::Assignment) {
    report(CheckCode::assignment_in_condition, *n, "This sets a variable instead of comparing it", "Write == to compare.");
    return;
  }
  if (n->kind == NodeKind::Not) return check_bare_word(*unparenthesised(n->as<Unary>().operand));
  if (n->kind == NodeKind::Name) return check_bare_word(*n);
  const bool text = n->kind == NodeKind::Interpolation;
  if (n->kind == NodeKind::Call || n->kind == NodeKind::MethodCall) return check_call_as_condition(*n);
  if (n->kind == NodeKind::Variable) { // if $ensure: one of a few texts
    std::set<std::string> texts;
    const Type* type = is_narrowed(n->as<Variable>()) ? nullptr : bare_type(declared_type(n));
    if (type != nullptr && type->kind == TypeKind::Enum && enum_texts(type, texts) &&
        (accepted_kinds(declared_type(n)) & kinds::undef) == 0)
      report(CheckCode::constant_condition, *n, fmt::format("This condition always holds: '{}' is never false", shown(*n)),
             "Compare it with a value.");
    return;
  }
  if (n->kind != NodeKind::Literal && !text) return;
  const bool holds = text || n->as<Literal>().value.truthy();
  const bool is_bool = !text && n->as<Literal>().value.is_bool();
  report(CheckCode::constant_condition, *n, fmt::format("This condition {} holds", holds ? "always" : "never"),
         is_bool ? "" : "Every value but undef and false is true, also an empty text.");
}

/// A call as a condition, or as an operand of one: a number, a text or a collection is true whatever it is.
void Walker::check_call_as_condition(const Node& n) {
  const KindSet kinds = static_value(&n).kinds;
  if ((kinds & ~(kinds::number | kinds::list | kinds::hash | kinds::sensitive)) == 0 && kinds != 0)
    return report(CheckCode::constant_condition, n, fmt::format("This condition always holds: '{}' is never false", shown(n)),
                  "Compare it with a value.");
  // defined('a') asks whether the class can be loaded, which those of the own module always can.
  const auto* call = n.kind == NodeKind::Call ? &n.as<Call>() : nullptr;
  if (call == nullptr || call->functor->kind != NodeKind::Name || call->functor->as<Name>().name.str() != "defined" ||
      call->arguments.size != 1)
    return;
  const auto text = literal_text(call->arguments[0]);
  const std::string_view name = text ? without_leading_colons(*text) : std::string_view();
  if (module_ != nullptr && name.substr(0, name.find("::")) == module_->name && program_.defines(NodeKind::ClassDef, intern(name)))
    report(CheckCode::constant_condition, n, fmt::format("This condition always holds: the class '{}' can be loaded", name),
           fmt::format("Write defined(Class['{}']) to ask whether it is declared.", name));
}

/// `if manage_service`: a word is a text, which is always true.
void Walker::check_bare_word(const Node& n) {
  if (n.kind != NodeKind::Name) return;
  const Symbol word = n.as<Name>().name;
  bool variable = false;
  for (const Body* b = body_; b != nullptr; b = b->outer) variable = variable || slot_in(b->layout, word) >= 0;
  report(CheckCode::constant_condition, n, fmt::format("This is the text '{}', which is always true", word.str()),
         variable ? fmt::format("Did you mean ${}?", word.str()) : "");
}

/// `$x == 'a' or 'b'`: an operand of and, or that is a text or number, which is always true.
void Walker::check_operand_of_logic(const Node* operand) {
  operand = unparenthesised(operand);
  if (operand->kind == NodeKind::And || operand->kind == NodeKind::Or || operand->kind == NodeKind::Not) return;
  if (operand->kind == NodeKind::Call || operand->kind == NodeKind::MethodCall) return check_call_as_condition(*operand);
  const bool text = operand->kind == NodeKind::Interpolation || operand->kind == NodeKind::Name;
  if (!text && (operand->kind != NodeKind::Literal || operand->as<Literal>().value.is_bool())) return;
  const bool holds = text || operand->as<Literal>().value.truthy();
  report(CheckCode::constant_condition, *operand, fmt::format("This operand is always {}", holds ? "true" : "false"),
         "Compare each value: $x == 'a' or $x == 'b', or $x in ['a', 'b'].");
}

/// `$a == 1 and $a == 1`: an operand of and, or that stands before it in the same words.
void Walker::check_repeated_operand(const Binary& b) {
  const auto words = [&](const Node& n) { return trimmed(source_text(*source_, n)); };
  const std::string_view last = words(*unparenthesised(b.right));
  const Node* n = b.left;
  for (; !last.empty() && n->kind == b.kind; n = n->as<Binary>().left)
    if (words(*unparenthesised(n->as<Binary>().right)) == last) break;
  if (last.empty() || (n->kind != b.kind && words(*unparenthesised(n)) != last)) return;
  report(CheckCode::constant_condition, *b.right, fmt::format("This is the same as what stands before it: '{}'", last));
}

/// `$version >= '13'`: texts are compared letter by letter.
void Walker::check_versions(const Binary& b) {
  const BinaryOp op = b.op();
  if (op != BinaryOp::Less && op != BinaryOp::LessEqual && op != BinaryOp::Greater && op != BinaryOp::GreaterEqual) return;
  for (const auto& [tested, literal] :
       {std::pair(unparenthesised(b.left), unparenthesised(b.right)), std::pair(unparenthesised(b.right), unparenthesised(b.left))}) {
    if (literal->kind != NodeKind::Literal || !literal->as<Literal>().value.is_string()) continue;
    const std::string_view text = literal->as<Literal>().value.str();
    if (text.empty() || text.front() < '0' || text.front() > '9' || text.find_first_not_of("0123456789.-") != std::string_view::npos)
      continue;
    if (text.size() == 10 && text[4] == '-' && text[7] == '-') continue; // a date
    const StaticValue given = static_value(tested);
    if (given.known && tested->kind == NodeKind::Literal) continue;
    if ((given.kinds & kinds::string) == 0) continue; // another check tells
    return report(CheckCode::version_as_text, b, "This compares texts, in which '9' is greater than '10'",
                  fmt::format("Write versioncmp({}, '{}') {} 0.", written(*source_, *b.left), text, spelling(op)));
  }
}

/// A number compared with a parameter whose type has bounds: `$n > 20` with Integer[1, 10].
void Walker::check_order(const Binary& b) {
  const Node* first = unparenthesised(b.left);
  const bool turned = first->kind == NodeKind::Literal || first->kind == NodeKind::Minus;
  const Node *tested = unparenthesised(turned ? b.right : b.left), *literal = unparenthesised(turned ? b.left : b.right);
  const Type* type = without_aliases(declared_type(tested));
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
           fmt::format("This comparison {} holds: '{}' is {}", never ? "never" : "always", shown(*tested), type->to_string()), {},
           never ? std::nullopt : std::optional(Severity::Hint)); // what always holds may be a precaution
}

/// Whether a condition around asks for the same variable: the `and` or `or` that the comparison is in, or that of a branch.
bool Walker::is_asked_beside(const Variable& v) const {
  const auto count = [&](auto&& self, const Node& n) -> int {
    int found = n.kind == NodeKind::Variable && n.as<Variable>().name == v.name ? 1 : 0;
    if (!native_stack_low()) for_each_child(n, [&](const Node* child) { found += self(self, *child); });
    return found;
  };
  if (logic_ != nullptr && count(count, *logic_) > 1) return true;
  for (uint32_t branch = branch_; branch != 0; branch = outer_branches_[branch])
    if (const Node* condition = branch_conditions_[branch]; condition != nullptr && count(count, *condition) > 0) return true;
  return false;
}

/// `$x != ''` where $x is a text of some length, or undef: undef is no empty text.
bool Walker::mistaken_for_undef(const Node* tested, const Node* literal) {
  tested = unparenthesised(tested);
  literal = unparenthesised(literal);
  if (literal->kind != NodeKind::Literal || !literal->as<Literal>().value.is_string() || !literal->as<Literal>().value.str().empty() ||
      tested->kind != NodeKind::Variable || is_narrowed(tested->as<Variable>()))
    return false;
  const Type* type = declared_type(tested);
  return type != nullptr && !is_instance(program_.types(), type, Value::string("")) &&
         is_instance(program_.types(), type, Value::undef()) && !is_asked_beside(tested->as<Variable>());
}

void Walker::check_comparison(const Binary& b) {
  check_order(b);
  check_versions(b);
  if (b.op() != BinaryOp::Equal && b.op() != BinaryOp::NotEqual) return;
  if (mistaken_for_undef(b.left, b.right) || mistaken_for_undef(b.right, b.left))
    return report(CheckCode::impossible_comparison, b,
                  fmt::format("This comparison {} holds: '{}' is never an empty text, and undef is none",
                              b.op() == BinaryOp::Equal ? "never" : "always",
                              shown(*unparenthesised(unparenthesised(b.left)->kind == NodeKind::Variable ? b.left : b.right))),
                  "Compare it with undef.", Severity::Warning);
  std::string why = never_equal(b.left, b.right);
  if (why.empty()) why = never_equal(b.right, b.left);
  if (why.empty()) return;
  report(CheckCode::impossible_comparison, b,
         fmt::format("This comparison {} holds: {}", b.op() == BinaryOp::Equal ? "never" : "always", why), {},
         b.op() == BinaryOp::Equal ? std::nullopt : std::optional(Severity::Hint));
}

/// `!$x in ['a', undef]`: what is looked for is never among the elements that stand there.
void Walker::check_membership(const Binary& b) {
  if (b.kind != NodeKind::In) return;
  const Node *wanted = unparenthesised(b.left), *list = unparenthesised(b.right);
  if (wanted->kind == NodeKind::Variable && list->kind == NodeKind::Variable && wanted->as<Variable>().name == list->as<Variable>().name)
    report(CheckCode::constant_condition, *list, fmt::format("'{}' is looked for in itself", shown(*wanted)));
  if (list->kind != NodeKind::ListLiteral || list->as<ListLiteral>().elements.size == 0) return;
  const StaticValue given = static_value(wanted);
  if (given.known || given.kinds == kinds::any) return;
  bool never = true;
  for (const Node* element : list->as<ListLiteral>().elements) {
    const StaticValue v = static_value(element);
    if (!v.known || (v.kinds & (kinds::regexp | kinds::type | kinds::default_)) != 0) return;
    never = never && (given.kinds & ((v.kinds & kinds::number) != 0 ? kinds::number : v.kinds)) == 0;
    if (!v.value.is_string() || element->kind == NodeKind::Variable) continue;
    if (const std::string why = never_equal(wanted, element); !why.empty() && (given.kinds & kinds::string) != 0)
      report(CheckCode::unreachable_choice, *element, fmt::format("This is never found: {}", why));
  }
  if (!never) return;
  const bool negated = wanted->kind == NodeKind::Not;
  report(CheckCode::impossible_comparison, b, "This comparison never holds: no element is of the kind that is looked for",
         negated ? "! binds more tightly than in: write !(… in …)." : "");
}

/// Both branches of an if in the same words.
void Walker::check_same_branches(const If& i) {
  if ((i.flags & if_elsif) != 0 || i.else_part == nullptr || i.else_part->kind != NodeKind::Block || i.then_block == nullptr) return;
  const auto words = [&](const Node& n) -> std::string_view {
    const auto& statements = n.as<Block>().statements;
    return statements.size == 0 ? std::string_view() : source_text(*source_, *statements[0], *statements[statements.size - 1]);
  };
  const std::string_view then = words(*i.then_block);
  if (then.size() > 3 && i.then_block->as<Block>().statements.size == i.else_part->as<Block>().statements.size &&
      then == words(*i.else_part))
    report(CheckCode::constant_condition, *i.else_part, "Both branches are the same");
}

/// An elsif whose condition stands before it, word for word.
void Walker::check_repeated_condition(const If& first) {
  check_same_branches(first);
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

void Walker::check_choices(const Node* tested, std::span<const Node* const> values, const Case* of) {
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
    // 'true', true: whatever kind it is.
    const auto is_twin = [&](const Node* other) {
      const auto text = other->kind == NodeKind::Literal && other->as<Literal>().value.is_bool() ? literal_text(value) : std::nullopt;
      return text && *text == (other->as<Literal>().value.b ? "true" : "false");
    };
    if (std::ranges::any_of(values, is_twin) || (of != nullptr && has_family_beside(*of, value))) continue;
    if (std::string why = never_equal(tested, value); !why.empty())
      report(CheckCode::unreachable_choice, *value, fmt::format("This choice is never taken: {}", why));
  }
}

/// Values that the tested parameter may have by its type and that no choice takes.
void Walker::check_coverage(const Node& at, const Node* tested, std::span<const Node* const> values, bool selector) {
  const Type* type = declared_type(tested);
  std::vector<std::string_view> wanted;
  bool undef = false, truths = false;
  if (type == nullptr || !finite_values(type, wanted, undef, truths) || wanted.size() + (truths ? 2 : 0) < 2) return;
  std::set<std::string> taken;
  bool truth[2] = {false, false};
  for (const Node* value : values) {
    const StaticValue v = static_value(value);
    if (!v.known || v.value.is(Kind::Default)) return; // takes all, or what is not known
    if (v.value.is_string())
      taken.insert(ascii_lower(v.value.str()));
    else if (v.value.is_bool())
      truth[v.value.b ? 1 : 0] = true;
    else if (v.value.is(Kind::Regex)) {
      for (std::string_view text : wanted)
        if (v.value.regex->matches(std::string(text))) taken.insert(ascii_lower(text));
    } else if (!v.value.is_undef())
      return;
  }
  std::string missing;
  for (std::string_view text : wanted)
    if (!taken.contains(ascii_lower(text))) missing += fmt::format("{}'{}'", missing.empty() ? "" : ", ", text);
  for (bool value : {false, true})
    if (truths && !truth[value ? 1 : 0]) missing += fmt::format("{}{}", missing.empty() ? "" : ", ", value);
  if (missing.empty()) return;
  report(CheckCode::missing_choice, at, fmt::format("No choice takes {}, which '{}' may be by its type", missing, shown(*tested)),
         selector ? "Without a default the selector fails." : "Without a default nothing happens then.",
         selector ? std::nullopt : std::optional(Severity::Hint));
}

void Walker::check_case(const Case& c) {
  StackMemory<256> memory;
  std::pmr::vector<const Node*> values(&memory.resource);
  for (const CaseOption& option : c.options)
    for (const Node* value : option.values) values.push_back(value);
  check_choices(c.test, values, &c);
  check_coverage(c, unparenthesised(c.test), values, false);
}

void Walker::check_selector(const Selector& s) {
  StackMemory<256> memory;
  std::pmr::vector<const Node*> values(&memory.resource);
  for (const SelectorEntry& entry : s.entries) values.push_back(entry.match);
  check_choices(s.left, values);
  check_coverage(s, unparenthesised(s.left), values, true);
}

} // namespace pupc::compiler
