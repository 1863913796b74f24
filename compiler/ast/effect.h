#pragma once
// Which expressions change something, and which produce no value, as Puppet decides it without running them.
#include "compiler/ast/ast.h"

#include <initializer_list>

namespace pupc::compiler {

/// Kinds of nodes as bits: a question about a node is one test then.
class NodeKinds {
public:
  constexpr NodeKinds(std::initializer_list<NodeKind> kinds) {
    for (NodeKind kind : kinds) bits_ |= uint64_t(1) << static_cast<unsigned>(kind);
  }
  constexpr bool contain(NodeKind kind) const { return (bits_ >> static_cast<unsigned>(kind) & 1) != 0; }

private:
  static_assert(static_cast<unsigned>(NodeKind::RenderExpr) < 64);
  uint64_t bits_ = 0;
};

/// What has an effect, whatever it holds. A match sets $0, $1, …
inline constexpr NodeKinds kinds_with_effect = {
    NodeKind::Match,
    NodeKind::Call,
    NodeKind::MethodCall,
    NodeKind::Assignment,
    NodeKind::Relationship,
    NodeKind::Lambda,
    NodeKind::ResourceExpr,
    NodeKind::ResourceDefaults,
    NodeKind::ResourceOverride,
    NodeKind::Collector,
    NodeKind::ClassDef,
    NodeKind::DefineDef,
    NodeKind::NodeDef,
    NodeKind::FunctionDef,
    NodeKind::TypeAlias,
    NodeKind::TypeDefinition,
    NodeKind::TypeMapping,
    NodeKind::Epp,
    NodeKind::RenderString,
    NodeKind::RenderExpr,
};

/// What has an effect only if a part of it has.
inline constexpr NodeKinds kinds_with_effect_of_parts = {NodeKind::Parenthesized, NodeKind::Block, NodeKind::If, NodeKind::Case};

/// What may not stand where a value is used.
inline constexpr NodeKinds kinds_without_value = {
    NodeKind::Collector,   NodeKind::ClassDef,  NodeKind::DefineDef,      NodeKind::NodeDef,
    NodeKind::FunctionDef, NodeKind::TypeAlias, NodeKind::TypeDefinition, NodeKind::TypeMapping,
};

/// The same as has_no_effect() for kinds_with_effect_of_parts.
bool parts_have_no_effect(const Node& node);

/// True if evaluating the node certainly changes nothing ("idem" in Puppet). Null has no effect either.
inline bool has_no_effect(const Node* node) {
  if (node == nullptr) return true;
  if (kinds_with_effect.contain(node->kind)) return false;
  return !kinds_with_effect_of_parts.contain(node->kind) || parts_have_no_effect(*node);
}

} // namespace pupc::compiler
