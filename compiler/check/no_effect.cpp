// Decides which expressions certainly change nothing, without running them ("idem" in Puppet).
#include "compiler/check/tree_checker.h"

#include <algorithm>

namespace pupc {
namespace {

bool all_without_effect(const Seq<Node*>& nodes) {
  return std::all_of(nodes.begin(), nodes.end(), [](const Node* n) { return has_no_effect(n); });
}

} // namespace

bool has_no_effect(const Node* node) {
  if (node == nullptr) return true;
  switch (node->kind) {
  case NodeKind::Nop:
  case NodeKind::Literal:
  case NodeKind::RegexLiteral:
  case NodeKind::Name:
  case NodeKind::Reference:
  case NodeKind::ReservedWord:
  case NodeKind::Variable:
  case NodeKind::Interpolation:
  case NodeKind::Heredoc:
  case NodeKind::ListLiteral:
  case NodeKind::HashLiteral:
  case NodeKind::Access:
  case NodeKind::Arithmetic:
  case NodeKind::Comparison:
  case NodeKind::In:
  case NodeKind::And:
  case NodeKind::Or:
  case NodeKind::Not:
  case NodeKind::Minus:
  case NodeKind::Unfold:
  case NodeKind::Selector: return true;
  case NodeKind::Parenthesized: return has_no_effect(node->as<Unary>().operand);
  case NodeKind::Block: return all_without_effect(node->as<Block>().statements);
  case NodeKind::If: {
    const auto& i = node->as<If>();
    return has_no_effect(i.test) && has_no_effect(i.then_block) && has_no_effect(i.else_part);
  }
  case NodeKind::Case: {
    const auto& c = node->as<Case>();
    return has_no_effect(c.test) && std::all_of(c.options.begin(), c.options.end(),
                                                [](const CaseOption& o) { return all_without_effect(o.values) && has_no_effect(o.body); });
  }
  case NodeKind::Match: // sets $0, $1, …
  case NodeKind::Call:
  case NodeKind::MethodCall:
  case NodeKind::Assignment:
  case NodeKind::Relationship:
  case NodeKind::Lambda:
  case NodeKind::ResourceExpr:
  case NodeKind::ResourceDefaults:
  case NodeKind::ResourceOverride:
  case NodeKind::Collector:
  case NodeKind::ClassDef:
  case NodeKind::DefineDef:
  case NodeKind::NodeDef:
  case NodeKind::FunctionDef:
  case NodeKind::TypeAlias:
  case NodeKind::TypeDefinition:
  case NodeKind::TypeMapping:
  case NodeKind::Epp:
  case NodeKind::RenderString:
  case NodeKind::RenderExpr: return false;
  }
  return false;
}

bool is_untitled_resource(const Node& node) {
  if (node.kind != NodeKind::Block) return false;
  const auto& s = node.as<Block>().statements;
  return s.size == 2 && s[0]->kind == NodeKind::Name && s[1]->kind == NodeKind::HashLiteral;
}

} // namespace pupc
