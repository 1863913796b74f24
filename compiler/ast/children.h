#pragma once
// The direct children of a node, in the order of Puppet's model.
#include "compiler/ast/ast.h"

namespace pupc::compiler {

/// Calls `f(const Node*)` for each direct child of `node`, never with null. A body is one child, its Block. The parameters of a
/// definition or lambda appear as their default values and types.
template <class F> void for_each_child(const Node& node, F&& f) {
  auto one = [&](const Node* n) {
    if (n != nullptr) f(n);
  };
  auto all = [&](const Seq<Node*>& nodes) {
    for (const Node* n : nodes) f(n);
  };
  auto operations = [&](const Seq<AttributeOp>& list) {
    for (const AttributeOp& op : list) one(op.value);
  };
  auto parameters = [&](const Seq<Parameter>& list) {
    for (const Parameter& p : list) {
      one(p.default_value);
      one(p.type);
    }
  };
  switch (node.kind) {
  case NodeKind::Nop:
  case NodeKind::Literal:
  case NodeKind::RegexLiteral:
  case NodeKind::Name:
  case NodeKind::Reference:
  case NodeKind::ReservedWord:
  case NodeKind::Variable:
  case NodeKind::RenderString: return;
  case NodeKind::Interpolation: return all(node.as<Interpolation>().parts);
  case NodeKind::Heredoc: return one(node.as<Heredoc>().text);
  case NodeKind::ListLiteral: return all(node.as<ListLiteral>().elements);
  case NodeKind::HashLiteral:
    for (const KeyedEntry& entry : node.as<HashLiteral>().entries) {
      one(entry.key);
      one(entry.value);
    }
    return;
  case NodeKind::Access: one(node.as<Access>().left); return all(node.as<Access>().keys);
  case NodeKind::Call:
    one(node.as<Call>().functor);
    all(node.as<Call>().arguments);
    return one(node.as<Call>().lambda);
  case NodeKind::MethodCall:
    one(node.as<MethodCall>().receiver);
    one(node.as<MethodCall>().name);
    all(node.as<MethodCall>().arguments);
    return one(node.as<MethodCall>().lambda);
  case NodeKind::Arithmetic:
  case NodeKind::Comparison:
  case NodeKind::Match:
  case NodeKind::In:
  case NodeKind::And:
  case NodeKind::Or:
  case NodeKind::Assignment:
  case NodeKind::Relationship: one(node.as<Binary>().left); return one(node.as<Binary>().right);
  case NodeKind::Not:
  case NodeKind::Minus:
  case NodeKind::Unfold:
  case NodeKind::Parenthesized:
  case NodeKind::RenderExpr: return one(node.as<Unary>().operand);
  case NodeKind::If:
    one(node.as<If>().test);
    one(node.as<If>().then_block);
    return one(node.as<If>().else_part);
  case NodeKind::Case:
    one(node.as<Case>().test);
    for (const CaseOption& option : node.as<Case>().options) {
      all(option.values);
      one(option.body);
    }
    return;
  case NodeKind::Selector:
    one(node.as<Selector>().left);
    for (const SelectorEntry& entry : node.as<Selector>().entries) {
      one(entry.match);
      one(entry.value);
    }
    return;
  case NodeKind::Block: return all(node.as<Block>().statements);
  case NodeKind::Lambda:
    parameters(node.as<Lambda>().parameters);
    one(node.as<Lambda>().body);
    return one(node.as<Lambda>().return_type);
  case NodeKind::ResourceExpr:
    one(node.as<ResourceExpr>().type_name);
    for (const ResourceBody& body : node.as<ResourceExpr>().bodies) {
      one(body.title);
      operations(body.operations);
    }
    return;
  case NodeKind::ResourceDefaults: one(node.as<ResourceDefaults>().type_ref); return operations(node.as<ResourceDefaults>().operations);
  case NodeKind::ResourceOverride: one(node.as<ResourceOverride>().resources); return operations(node.as<ResourceOverride>().operations);
  case NodeKind::Collector:
    one(node.as<Collector>().type_expr);
    one(node.as<Collector>().query);
    return operations(node.as<Collector>().operations);
  case NodeKind::ClassDef:
  case NodeKind::DefineDef:
  case NodeKind::FunctionDef:
    parameters(node.as<Definition>().parameters);
    one(node.as<Definition>().body);
    if (node.kind == NodeKind::FunctionDef) one(node.as<FunctionDef>().return_type);
    return;
  case NodeKind::NodeDef:
    one(node.as<NodeDef>().parent);
    all(node.as<NodeDef>().matches);
    return one(node.as<NodeDef>().body);
  case NodeKind::TypeAlias: return one(node.as<TypeAlias>().type);
  case NodeKind::TypeDefinition: return one(node.as<TypeDefinition>().body);
  case NodeKind::TypeMapping: one(node.as<TypeMapping>().left); return one(node.as<TypeMapping>().right);
  case NodeKind::Epp: parameters(node.as<Epp>().parameters); return one(node.as<Epp>().body);
  }
}

} // namespace pupc::compiler
