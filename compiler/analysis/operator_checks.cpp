// Operators that get values they cannot take, and functions whose result is not what they declare.
#include "compiler/analysis/codebase/tree_queries.h"
#include "compiler/analysis/walker.h"

#include "catalog/graph/tags.h"
#include "compiler/types/core_types.h"

#include <fmt/format.h>

namespace pupc::compiler {
namespace {

/// Whether the text may be a number: Puppet converts such a text, or says that it does not. \1 stands for anything.
bool may_be_number(std::string_view text) { return text.find_first_not_of("0123456789abcdefABCDEFxX.+-_ \1") == std::string_view::npos; }

/// What arithmetic never takes, for a message; empty when the value may be taken.
std::string_view operand_label(KindSet kinds) {
  if (kinds == kinds::undef) return "undef";
  if (kinds == kinds::default_) return "default";
  if (kinds == kinds::boolean) return "a Boolean";
  if (kinds == kinds::regexp) return "a regular expression";
  if (kinds == kinds::type) return "a data type";
  if (kinds == kinds::sensitive) return "a Sensitive";
  if (kinds == kinds::list) return "an Array";
  if (kinds == kinds::hash) return "a Hash";
  return {};
}

/// The same of what may be one of several.
std::string_view operand_label_of_any(KindSet kinds) {
  const std::string_view label = operand_label(kinds);
  return label.empty() ? "what is no String and no number" : label;
}

} // namespace

bool Walker::numeric_text(std::string_view text) {
  static const Regex number(R"(\A\s*[-+]?\s*(0[xX][0-9a-fA-F_]+|0[bB][01_]+|0[oO][0-7_]+|\d[\d_]*(\.\d+)?([eE][-+]?\d+)?|\.\d+)\s*\z)");
  return number.matches(text);
}

/// Why arithmetic refuses the operand; empty when it may take it. `collections`: arrays and hashes are taken, too.
std::string Walker::no_operand(const Node* n, bool collections) {
  n = unparenthesised(n);
  if (n->kind == NodeKind::Reference) return fmt::format("'{}' is a data type", n->as<Reference>().cased.str());
  const StaticValue v = static_value(n);
  if ((v.kinds & ~kinds::string) == 0) {
    const auto text = text_pattern(n);
    if (!text && v.kinds != 0 && n->kind == NodeKind::Variable) return no_operand_by_type(n);
    if (!text || (v.known ? numeric_text(*text) : may_be_number(*text))) return {};
    return fmt::format("the text '{}' is no number", v.known ? std::string(v.value.str()) : "…");
  }
  if (collections && (v.kinds & (kinds::list | kinds::hash)) != 0) return {};
  const std::string_view label = operand_label(v.kinds);
  return label.empty() ? std::string() : fmt::format("{} is no number", label);
}

/// The same of a variable whose type allows texts alone, and tells which: none of them is a number.
std::string Walker::no_operand_by_type(const Node* variable) {
  std::set<std::string> texts;
  if (is_narrowed(variable->as<Variable>()) || !enum_texts(declared_type(variable), texts) || texts.empty()) return {};
  if (std::ranges::any_of(texts, [&](const std::string& text) { return numeric_text(text); })) return {};
  return fmt::format("the text '{}' is no number", *texts.begin());
}

void Walker::check_arithmetic(const Binary& b) {
  const BinaryOp op = b.op();
  const bool joins = op == BinaryOp::Add || op == BinaryOp::Subtract || op == BinaryOp::ShiftLeft; // of arrays and hashes, too
  const Node* left = unparenthesised(b.left);
  const KindSet kinds = static_value(left).kinds;
  std::string why = no_operand(left, joins);
  std::string suggestion;
  if (why.empty() && kinds == kinds::hash) {
    const KindSet right = static_value(b.right).kinds;
    if (op == BinaryOp::ShiftLeft)
      why = "nothing is appended to a Hash";
    else if (op == BinaryOp::Add && right != 0 && (right & ~(kinds::number | kinds::string | kinds::boolean)) == 0)
      why = "only a Hash or an Array is added to a Hash";
  }
  // What may be a collection takes anything: an element, a key.
  if (why.empty() && joins && (kinds & (kinds::list | kinds::hash | kinds::other)) != 0) return;
  if (why.empty()) why = no_operand(b.right, false);
  if (why.empty()) {
    // "5" + 1: what no one converts. Settings may still ask for that.
    const auto text = [&](const Node* n) {
      return (static_value(n).kinds & ~(kinds::string | kinds::undef)) == 0 && !static_value(n).known &&
             (n->kind == NodeKind::Variable ? declared_type(n) != nullptr && !is_narrowed(n->as<Variable>())
                                            : n->kind == NodeKind::Interpolation || n->kind == NodeKind::Access);
    };
    const auto group = [&](const Node* n) { // $1: what a pattern found is a String
      return n->kind == NodeKind::Variable && n->as<Variable>().form() == Variable::Form::Numeric;
    };
    if (op != BinaryOp::ShiftLeft &&
        (text(left) || text(unparenthesised(b.right)) || group(left) || (!joins && group(unparenthesised(b.right)))))
      report(CheckCode::operand_type, b, fmt::format("The operator '{}' fails for a String, also for one of digits", spelling(op)),
             "Convert it with Integer().", Severity::Warning);
    return;
  }
  if (op == BinaryOp::Add && why.starts_with("the text")) suggestion = "Texts are joined by interpolation: \"${a}${b}\".";
  report(CheckCode::operand_type, b, fmt::format("The operator '{}' fails: {}", spelling(op), why), std::move(suggestion));
}

/// Comparisons and matches of values that cannot be compared or matched.
void Walker::check_operands(const Binary& b) {
  const BinaryOp op = b.op();
  const Node *left = unparenthesised(b.left), *right = unparenthesised(b.right);
  // A function that may give a Sensitive does so for one alone, and no operator here takes that.
  auto kinds_of = [&](const Node* n) {
    const KindSet kinds = static_value(n).kinds;
    return kinds == kinds::any || kinds == kinds::sensitive ? kinds : kinds & ~kinds::sensitive;
  };
  if ((op == BinaryOp::Equal || op == BinaryOp::NotEqual) && right->kind == NodeKind::RegexLiteral &&
      (static_value(left).kinds & (kinds::string | kinds::undef)) != 0)
    return report(CheckCode::impossible_comparison, b,
                  fmt::format("This comparison {} holds for a text: it compares with the regular expression itself",
                              op == BinaryOp::Equal ? "never" : "always"),
                  fmt::format("Write {} to match.", op == BinaryOp::Equal ? "=~" : "!~"));
  // The commonest operators, and few of their operands matter.
  if ((op == BinaryOp::Equal || op == BinaryOp::NotEqual) && left->kind != NodeKind::Access && b.left->kind != NodeKind::Not) return;
  const KindSet l = kinds_of(left), r = kinds_of(right);
  switch (op) {
  case BinaryOp::Less:
  case BinaryOp::LessEqual:
  case BinaryOp::Greater:
  case BinaryOp::GreaterEqual: {
    constexpr KindSet no_order = kinds::list | kinds::hash | kinds::boolean | kinds::regexp;
    const auto some = [](KindSet kinds, KindSet among) { return kinds != 0 && (kinds & ~among) == 0; };
    // What arithmetic gives is a number or a time: neither is a text.
    const bool texts = some(l, kinds::string) && some(r, kinds::number | kinds::other) && r != kinds::other,
               numbers = some(l, kinds::number | kinds::other) && l != kinds::other && some(r, kinds::string);
    if (texts || numbers)
      report(CheckCode::operand_type, b, fmt::format("The operator '{}' fails: it cannot compare a String with a number", spelling(op)),
             "Convert the text with Integer(), or compare versions with versioncmp().");
    else if (some(l, no_order) || some(r, no_order))
      report(CheckCode::operand_type, b,
             fmt::format("The operator '{}' fails: it cannot compare {}", spelling(op), operand_label_of_any(some(l, no_order) ? l : r)));
    return;
  }
  case BinaryOp::Equal:
  case BinaryOp::NotEqual: {
    if (left->kind == NodeKind::Not && b.left->kind == NodeKind::Not && right->kind != NodeKind::Not &&
        (r & (kinds::boolean | kinds::undef)) == 0)
      return report(CheckCode::impossible_comparison, b,
                    fmt::format("This comparison {} holds: ! belongs to what stands before the operator alone",
                                op == BinaryOp::Equal ? "never" : "always"),
                    "Write != or put the comparison in parentheses.");
    const bool texts = left->kind == NodeKind::Access && l == kinds::string && (r & ~kinds::number) == 0;
    if (texts)
      report(CheckCode::impossible_comparison, b,
             fmt::format("This comparison {} holds: the fact is a String", op == BinaryOp::Equal ? "never" : "always"),
             "Put the number in quotes.");
    return;
  }
  case BinaryOp::Matches:
  case BinaryOp::NotMatches:
    if ((right->kind == NodeKind::RegexLiteral || r == kinds::string) && (l & (kinds::string | kinds::sensitive | kinds::other)) == 0 &&
        l != 0)
      report(CheckCode::operand_type, b, fmt::format("The operator '{}' fails: what stands before it is no String", spelling(op)));
    else
      check_match_of_type(b);
    return;
  case BinaryOp::In:
    if (r != 0 && (r & ~(kinds::boolean | kinds::number | kinds::undef | kinds::regexp)) == 0 && (r & kinds::undef) != r)
      return report(CheckCode::impossible_comparison, b, "This never holds: what stands behind 'in' has nothing in it");

    if ((l & ~(kinds::list | kinds::hash)) == 0 && r == kinds::string)
      report(CheckCode::impossible_comparison, b, "This never holds: a collection is in no text", "What is looked for stands before 'in'.");
    return;
  default: return;
  }
}

/// Whether a condition around asks for the type of the collection that an element is of.
bool Walker::is_narrowed_element(const Node* n) const {
  while (n->kind == NodeKind::Access) n = unparenthesised(n->as<Access>().left);
  return n->kind == NodeKind::Variable && is_narrowed(n->as<Variable>());
}

/// `$list =~ Hash`: a type of which nothing on the left can be.
void Walker::check_match_of_type(const Binary& b) {
  const Node* right = unparenthesised(b.right);
  if (right->kind != NodeKind::Reference && (right->kind != NodeKind::Access || right->as<Access>().left->kind != NodeKind::Reference))
    return;
  const Type* wanted = program_.type_of(*right, *source_);
  if (wanted == nullptr || !unknown_type(wanted).empty() || accepted_kinds(wanted) == kinds::undef) return; // or a guard
  const Type* given = declared_type(b.left);
  const Node* n = unparenthesised(b.left);
  if (n->kind == NodeKind::Variable) { // a block that serves many, and what a condition around has asked for already
    const Body* owner = body_;
    for (uint16_t up = n->as<Variable>().up; up > 0 && owner != nullptr; --up) owner = owner->outer;
    if (is_narrowed(n->as<Variable>()) || owner == nullptr || owner->kind == Body::Kind::Lambda) return;
  }
  const KindSet left = static_value(n).kinds;
  if ((accepted_kinds(wanted) & left) != 0 && (given == nullptr || !exclude(wanted, given))) return;
  report(CheckCode::impossible_comparison, b,
         fmt::format("This match {} holds: the value is never of that type", b.op() == BinaryOp::Matches ? "never" : "always"));
}

/// `package['x']` where Package['x'] is meant: characters of a text, by an index that is none.
void Walker::check_index(const Access& a) {
  if (a.keys.size == 1 && (a.left->kind == NodeKind::Call || a.left->kind == NodeKind::MethodCall)) { // split(…)['first']
    const StaticValue key = static_value(a.keys[0]);
    const KindSet kinds = static_value(a.left).kinds & ~kinds::sensitive;
    if (key.known && key.value.is_string() && !numeric_text(key.value.str()) && kinds != 0 && (kinds & ~(kinds::list | kinds::string)) == 0)
      report(CheckCode::operand_type, a, "What the call gives has no keys: its parts have numbers");
    if (key.known && key.value.is_int()) check_match_index(a, key.value.i);
    return;
  }
  if (a.keys.size == 0 || (a.left->kind != NodeKind::Name && a.left->kind != NodeKind::Variable && a.left->kind != NodeKind::Access))
    return;
  const StaticValue key = static_value(a.keys[0]);
  if (a.left->kind == NodeKind::Access) { // an element that is a text, or not there
    if (a.keys.size == 1 && key.known && key.value.is_string() && !numeric_text(key.value.str()))
      if (const KindSet kinds = static_value(a.left).kinds;
          (kinds & kinds::string) != 0 && (kinds & ~(kinds::string | kinds::undef)) == 0 && !is_narrowed_element(a.left))
        report(CheckCode::operand_type, a, "A String has no keys: its characters have numbers");
    return;
  }
  if (a.left->kind == NodeKind::Variable) {
    if (!key.known || !key.value.is_string() || numeric_text(key.value.str()) || is_narrowed(a.left->as<Variable>()) ||
        declared_type(a.left) == nullptr || (static_value(a.left).kinds & ~(kinds::string | kinds::undef)) != 0)
      return;
    return report(CheckCode::operand_type, a, "A String has no keys: its characters have numbers");
  }
  if ((key.kinds & ~kinds::string) != 0) return;
  report(CheckCode::operand_type, a, fmt::format("'{}' is a text here, whose characters have numbers", a.left->as<Name>().name.str()),
         fmt::format("Write {}[…] for a reference to a resource.", capitalize_segments(a.left->as<Name>().name.str())));
}

/// Compares the values that certainly are a function's result with its declared type.
void Walker::check_results(const FunctionDef& d) {
  if (d.return_type == nullptr || d.body == nullptr) return;
  const Type* type = program_.type_of(*d.return_type, *source_);
  if (type != nullptr) check_result(*type, d.body, d.name.str(), 0);
}

/// An `if` without else whose value is the result: undef where its condition does not hold.
void Walker::check_missing_result(const Type& type, const If& i, std::string_view function) {
  const StaticValue condition = static_value(i.test);
  if (i.else_part != nullptr || condition.known || is_instance(program_.types(), &type, Value::undef())) return;
  report(CheckCode::return_type, i, fmt::format("The result of '{}' is undef where this condition does not hold", function),
         "Write an else.", Severity::Warning);
}

void Walker::check_result(const Type& type, const Node* n, std::string_view function, int depth) {
  n = unparenthesised(n);
  if (n == nullptr || depth > 40) return;
  switch (n->kind) {
  case NodeKind::Block: {
    const auto& statements = n->as<Block>().statements;
    return statements.size == 0 ? void() : check_result(type, statements[statements.size - 1], function, depth + 1);
  }
  case NodeKind::If:
    check_missing_result(type, n->as<If>(), function);
    check_result(type, n->as<If>().then_block, function, depth + 1);
    return check_result(type, n->as<If>().else_part, function, depth + 1);
  case NodeKind::Case:
    for (const CaseOption& option : n->as<Case>().options) check_result(type, option.body, function, depth + 1);
    return;
  case NodeKind::Selector:
    for (const SelectorEntry& entry : n->as<Selector>().entries) check_result(type, entry.value, function, depth + 1);
    return;
  case NodeKind::Nop: return;
  default: break;
  }
  std::string why;
  if (n->kind == NodeKind::Call && n->as<Call>().functor->kind == NodeKind::Name && depth > 0) {
    // What only logs gives undef.
    const std::string_view called = without_leading_colons(n->as<Call>().functor->as<Name>().name.str());
    if (one_of("alert|crit|debug|emerg|err|info|notice|warning", called) && !is_instance(program_.types(), &type, Value::undef()))
      return report(CheckCode::return_type, *n, fmt::format("The result of '{}' is undef, which '{}' gives", function, called),
                    "The last expression is the result.");
  }
  if (rejects(&type, n, why)) report(CheckCode::return_type, *n, fmt::format("The result of '{}' {}", function, why));
}

} // namespace pupc::compiler
