#include "compiler/ast/unused_results.h"

#include "catalog/base/stack.h"
#include "compiler/ast/children.h"

#include <algorithm>

namespace pupc::compiler {
namespace {

bool has_name(const Node* node, std::string_view name) { return node->kind == NodeKind::Name && node->as<Name>().name.str() == name; }

void mark(Node* node, bool unused);

void mark_all(const Seq<Node*>& nodes) {
  for (Node* node : nodes) mark(node, false);
}

void mark_lambda(Lambda* lambda, const Node* function) {
  if (lambda != nullptr) mark(lambda->body, has_name(function, "each"));
}

void mark(Node* node, bool unused) {
  if (node == nullptr || native_stack_low()) return;
  switch (node->kind) {
  case NodeKind::Block: {
    const Seq<Node*>& statements = node->as<Block>().statements;
    for (size_t i = 0; i < statements.size; ++i) mark(statements[i], unused || i + 1 < statements.size);
    return;
  }
  case NodeKind::If: {
    const auto& branch = node->as<If>();
    mark(branch.then_block, unused);
    mark(branch.else_part, unused);
    return;
  }
  case NodeKind::Case:
    for (const CaseOption& option : node->as<Case>().options) mark(option.body, unused);
    return;
  case NodeKind::Call: {
    const auto& call = node->as<Call>();
    if (unused && has_name(call.functor, "generate")) node->flags |= call_unused;
    mark_all(call.arguments);
    mark_lambda(call.lambda, call.functor);
    return;
  }
  case NodeKind::MethodCall: {
    const auto& call = node->as<MethodCall>();
    mark(call.receiver, false);
    mark_lambda(call.lambda, call.name);
    return;
  }
  case NodeKind::ClassDef:
  case NodeKind::DefineDef: mark(static_cast<Definition*>(node)->body, true); return;
  case NodeKind::FunctionDef: mark(static_cast<Definition*>(node)->body, false); return;
  case NodeKind::NodeDef: mark(node->as<NodeDef>().body, true); return;
  default: return; // within other expressions a result has a use
  }
}

} // namespace

void mark_unused_results(ParsedFile& file) {
  const bool any = std::any_of(file.calls.begin(), file.calls.end(), [](const Call* call) { return has_name(call->functor, "generate"); });
  if (any && file.body != nullptr && file.body->kind == NodeKind::Block) mark(file.body, false);
}

} // namespace pupc::compiler
