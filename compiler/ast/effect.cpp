#include "compiler/ast/effect.h"

#include <algorithm>

namespace pupc::compiler {
namespace {

bool all_without_effect(const Seq<Node*>& nodes) {
  return std::all_of(nodes.begin(), nodes.end(), [](const Node* n) { return has_no_effect(n); });
}

} // namespace

bool parts_have_no_effect(const Node& node) {
  switch (node.kind) {
  case NodeKind::Parenthesized: return has_no_effect(node.as<Unary>().operand);
  case NodeKind::Block: return all_without_effect(node.as<Block>().statements);
  case NodeKind::If: {
    const auto& i = node.as<If>();
    return has_no_effect(i.test) && has_no_effect(i.then_block) && has_no_effect(i.else_part);
  }
  default: {
    const auto& c = node.as<Case>();
    return has_no_effect(c.test) && std::all_of(c.options.begin(), c.options.end(),
                                                [](const CaseOption& o) { return all_without_effect(o.values) && has_no_effect(o.body); });
  }
  }
}

} // namespace pupc::compiler
