// Groups of patterns, and what reads one that a pattern has not.
#include "compiler/analysis/codebase/pattern_groups.h"
#include "compiler/analysis/walker.h"

#include "catalog/base/stack.h"

#include "compiler/ast/children.h"

#include <charconv>
#include <fmt/format.h>

namespace pupc::compiler {
namespace {

/// Calls `f` for a node and all below it.
template <class F> void for_each_below(const Node& node, F&& f) {
  if (native_stack_low()) return;
  f(node);
  for_each_child(node, [&](const Node* child) { for_each_below(*child, f); });
}

/// The number that `$2` names; 0 for other variables.
int group_of(const Variable& v) {
  const std::string_view name = v.name.str();
  int number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  return error == std::errc() && end == name.data() + name.size() ? number : 0;
}

} // namespace

/// `if $x =~ /^(a)b/ { $2 }`: the branch reads a group that the only pattern of its condition has not. A branch that may match by itself is
/// left alone.
void Walker::check_match_groups(const Node& condition, const Node* branch) {
  const Node* pattern = nullptr;
  int patterns = 0;
  for_each_below(condition, [&](const Node& n) {
    if (n.kind == NodeKind::Match) patterns += n.as<Binary>().op() == BinaryOp::Matches ? 1 : 2;
    if (n.kind == NodeKind::RegexLiteral) pattern = &n;
  });
  if (pattern == nullptr || branch == nullptr || patterns > 1 || (patterns == 0 && condition.kind != NodeKind::RegexLiteral)) return;
  const auto groups = groups_of(source_->text().substr(pattern->offset, pattern->length));
  bool other = !groups;
  for_each_below(*branch, [&](const Node& n) { other = other || n.kind == NodeKind::RegexLiteral || n.kind == NodeKind::Match; });
  if (other) return;
  for_each_below(*branch, [&](const Node& n) {
    if (n.kind != NodeKind::Variable || group_of(n.as<Variable>()) <= *groups) return;
    report(CheckCode::unset_variable, n, fmt::format("The pattern has no group {0}: ${0} is undef", group_of(n.as<Variable>())), {},
           Severity::Warning);
  });
}

/// `node /^a(b)$/ { $2 }`: a group that none of the definition's patterns has.
void Walker::check_node_groups(const NodeDef& d) {
  if (d.body == nullptr || d.matches.empty()) return;
  int most = 0;
  for (const Node* match : d.matches) {
    if (match->kind != NodeKind::RegexLiteral) continue; // a name has no groups
    const auto groups = groups_of(source_->text().substr(match->offset, match->length));
    if (!groups) return;
    most = std::max(most, *groups);
  }
  bool other = false; // what matches by itself
  for_each_below(*d.body, [&](const Node& n) {
    other = other || n.kind == NodeKind::RegexLiteral || n.kind == NodeKind::Match || n.kind == NodeKind::Case ||
            n.kind == NodeKind::Selector;
  });
  if (other) return;
  for_each_below(*d.body, [&](const Node& n) {
    if (n.kind == NodeKind::Variable && group_of(n.as<Variable>()) > most)
      report(CheckCode::unset_variable, n,
             fmt::format("No pattern of this node definition has a group {0}: ${0} is undef", group_of(n.as<Variable>())), {},
             Severity::Warning);
  });
}

/// `$text.match(/^(a)b/)[2]`: a part of what was found, by its number. A list of texts gives a list for each.
void Walker::check_match_index(const Access& a, int64_t index) {
  const bool method = a.left->kind == NodeKind::MethodCall;
  const auto& given = method ? a.left->as<MethodCall>().arguments : a.left->as<Call>().arguments;
  const Node* name = method ? a.left->as<MethodCall>().name : a.left->as<Call>().functor;
  if (given.size != (method ? 1u : 2u) || name->kind != NodeKind::Name || name->as<Name>().name.str() != "match") return;
  const Node *text = method ? a.left->as<MethodCall>().receiver : given[0], *pattern = given[method ? 0 : 1];
  if (pattern->kind != NodeKind::RegexLiteral) return;
  const KindSet kinds = static_value(text).kinds;
  const auto groups = groups_of(source_->text().substr(pattern->offset, pattern->length));
  if (!groups || index <= *groups || kinds == 0 || (kinds & ~(kinds::string | kinds::undef)) != 0) return;
  report(CheckCode::unset_variable, a, fmt::format("The pattern has no group {}: this is undef", index), {}, Severity::Warning);
}

} // namespace pupc::compiler
