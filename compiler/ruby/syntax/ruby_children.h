#pragma once
// The direct children of a node of Ruby's tree.
#include "compiler/ruby/syntax/ruby_tree.h"

namespace pupc::compiler::ruby {

/// Calls `f(const Node*)` for each direct child of `node`, never with null.
template <class F> void for_each_child(const Node& node, F&& f) {
  auto some = [&](auto... nodes) { ((nodes != nullptr ? f(static_cast<const Node*>(nodes)) : void()), ...); };
  auto all = [&](const NodeList& nodes) {
    for (const Node* n : nodes) f(n);
  };
  switch (node.type) {
  case NodeType::Nil:
  case NodeType::True:
  case NodeType::False:
  case NodeType::Self:
  case NodeType::Retry:
  case NodeType::CurrentMethod:
  case NodeType::Unread:
  case NodeType::Integer:
  case NodeType::Float:
  case NodeType::Local:
  case NodeType::TargetLocal:
  case NodeType::Instance:
  case NodeType::TargetInstance:
  case NodeType::Global:
  case NodeType::TargetGlobal:
  case NodeType::ClassVariable:
  case NodeType::TargetClassVariable:
  case NodeType::TargetConstant:
  case NodeType::MatchGroup:
  case NodeType::Text: return;
  case NodeType::String:
  case NodeType::Symbol: return all(node.as<TextLiteral>().parts);
  case NodeType::Regex: return all(node.as<RegexLiteral>().parts);
  case NodeType::Array: return all(node.as<ListLiteral>().items);
  case NodeType::Sequence: return all(node.as<Sequence>().statements);
  case NodeType::Hash:
    for (const auto& [key, value] : node.as<HashLiteral>().pairs) some(key, value);
    return;
  case NodeType::Range: return some(node.as<RangeLiteral>().first, node.as<RangeLiteral>().last);
  case NodeType::Constant: return some(node.as<Constant>().in);
  case NodeType::TargetAttribute: return some(node.as<AttributeTarget>().receiver);
  case NodeType::TargetIndex: some(node.as<IndexTarget>().receiver); return all(node.as<IndexTarget>().arguments);
  case NodeType::TargetMany: return all(node.as<ManyTarget>().targets);
  case NodeType::TargetSplat:
  case NodeType::TargetKeywords:
  case NodeType::TargetBlock: return some(node.as<RestTarget>().target);
  case NodeType::TargetDefault:
  case NodeType::TargetKeyword: return some(node.as<OptionalParameter>().target, node.as<OptionalParameter>().default_value);
  case NodeType::Assign: return some(node.as<Assign>().target, node.as<Assign>().value);
  case NodeType::AssignMany: all(node.as<AssignMany>().targets); return some(node.as<AssignMany>().value);
  case NodeType::OpAssign: return some(node.as<OpAssign>().target, node.as<OpAssign>().value);
  case NodeType::And:
  case NodeType::Or: return some(node.as<Binary>().left, node.as<Binary>().right);
  case NodeType::Not:
  case NodeType::Defined:
  case NodeType::Splat:
  case NodeType::BlockPass:
  case NodeType::Output: return some(node.as<Unary>().operand);
  case NodeType::Break:
  case NodeType::Next:
  case NodeType::Return: return some(node.as<Leave>().value);
  case NodeType::If: return some(node.as<If>().condition, node.as<If>().then, node.as<If>().otherwise);
  case NodeType::While: return some(node.as<While>().condition, node.as<While>().body);
  case NodeType::For: return some(node.as<For>().target, node.as<For>().list, node.as<For>().body);
  case NodeType::Case:
  case NodeType::CaseIn:
    some(node.as<Case>().subject);
    all(node.as<Case>().branches);
    return some(node.as<Case>().otherwise);
  case NodeType::When: all(node.as<When>().values); return some(node.as<When>().body);
  case NodeType::In: return some(node.as<In>().pattern, node.as<In>().guard, node.as<In>().body);
  case NodeType::Begin:
    some(node.as<Begin>().body, node.as<Begin>().otherwise, node.as<Begin>().ensure);
    return all(node.as<Begin>().rescues);
  case NodeType::Rescue: all(node.as<Rescue>().classes); return some(node.as<Rescue>().body, node.as<Rescue>().target);
  case NodeType::Matches: return some(node.as<Matches>().value, node.as<Matches>().pattern);
  case NodeType::PatternList: some(node.as<PatternList>().constant); return all(node.as<PatternList>().patterns);
  case NodeType::PatternHash:
    some(node.as<PatternHash>().constant);
    for (const PatternHash::Pair& pair : node.as<PatternHash>().pairs) some(pair.pattern);
    return some(node.as<PatternHash>().rest);
  case NodeType::PatternAny: return all(node.as<PatternAny>().patterns);
  case NodeType::PatternBind: return some(node.as<PatternBind>().pattern, node.as<PatternBind>().target);
  case NodeType::Call:
    some(node.as<Call>().receiver);
    all(node.as<Call>().arguments);
    return some(node.as<Call>().block);
  case NodeType::Super: all(node.as<Super>().arguments); return some(node.as<Super>().block);
  case NodeType::Yield: return all(node.as<Yield>().arguments);
  case NodeType::Binding: return;
  case NodeType::Block: all(node.as<Block>().parameters); return some(node.as<Block>().body);
  case NodeType::Lambda: return some(node.as<Lambda>().block);
  case NodeType::Def: all(node.as<Def>().parameters); return some(node.as<Def>().body, node.as<Def>().of);
  case NodeType::Class: return some(node.as<Class>().parent, node.as<Class>().body);
  case NodeType::SingletonClass: return some(node.as<SingletonClass>().object, node.as<SingletonClass>().body);
  case NodeType::Alias: return some(node.as<Alias>().name, node.as<Alias>().old);
  }
}

} // namespace pupc::compiler::ruby
