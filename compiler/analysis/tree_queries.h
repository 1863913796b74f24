#pragma once
// Small questions about the syntax tree that several checks ask.
#include "compiler/ast/ast.h"

#include <algorithm>
#include <string_view>

namespace pupc {

/// The expression within parentheses, if there are any.
inline const Node* unparenthesised(const Node* n) {
  while (n != nullptr && n->kind == NodeKind::Parenthesized) n = n->as<Unary>().operand;
  return n;
}

/// What sets the attribute in the body, or null. A hash given with `* =>` may set it, too.
inline const AttributeOp* attribute_of(const ResourceBody& body, std::string_view name) {
  for (const AttributeOp& op : body.operations)
    if (op.kind != AttributeOpKind::Splat && op.name.str() == name) return &op;
  return nullptr;
}

/// Whether a hash given with `* =>` may set any attribute.
inline bool has_splat(const Seq<AttributeOp>& operations) {
  return std::any_of(operations.begin(), operations.end(), [](const AttributeOp& op) { return op.kind == AttributeOpKind::Splat; });
}

} // namespace pupc
