#include "compiler/eval/ruby_ahead.h"

#include "catalog/base/stack.h"
#include "catalog/base/text.h"
#include "compiler/ast/children.h"
#include "compiler/eval/evaluator.h"
#include "compiler/eval/function_choice.h"
#include "compiler/eval/ruby_service.h"

namespace pupc::compiler {
namespace {

/// Whether a call of this function ends the body that it stands in.
bool leaves(std::string_view function) { return function == "return" || function == "next" || function == "break"; }

std::string_view name_of(const Node& node) {
  return node.kind == NodeKind::Name ? without_leading_colons(node.as<Name>().name.str()) : std::string_view();
}

/// The function that a node calls; "" for other nodes.
std::string_view called_by(const Node& node) {
  if (node.kind == NodeKind::Call) return name_of(*node.as<Call>().functor);
  if (node.kind == NodeKind::MethodCall) return name_of(*node.as<MethodCall>().name);
  return {};
}

bool defines(NodeKind kind) {
  return kind == NodeKind::ClassDef || kind == NodeKind::DefineDef || kind == NodeKind::NodeDef || kind == NodeKind::FunctionDef ||
         kind == NodeKind::TypeAlias || kind == NodeKind::TypeDefinition || kind == NodeKind::TypeMapping;
}

bool may_leave(const Node& node) {
  if (native_stack_low() || leaves(called_by(node))) return true;
  if (defines(node.kind)) return false;
  bool found = false;
  for_each_child(node, [&](const Node* child) { found = found || may_leave(*child); });
  return found;
}

bool includes_classes(std::string_view function) { return function == "include" || function == "contain" || function == "require"; }

} // namespace

RubyAhead::RubyAhead(Evaluator& evaluator)
    : evaluator_(evaluator), wanted_(evaluator.ruby_service() != nullptr && evaluator.ruby_service()->may_start_ahead()) {}

void RubyAhead::start_if_needed() {
  if (!needed_) return;
  evaluator_.ruby_service()->start_ahead();
  wanted_ = needed_ = false;
}

void RubyAhead::expect_for(const Block& body) {
  if (!wanted_) return;
  visit(body);
  start_if_needed();
}

void RubyAhead::expect_for_class(std::string_view name) {
  if (!wanted_) return;
  visit_class(name);
  start_if_needed();
}

/// Looks at what a node is sure to evaluate. False if the evaluation may end there.
bool RubyAhead::visit(const Node& node) {
  if (needed_ || native_stack_low()) return false;
  switch (node.kind) {
  case NodeKind::If:
    return visit(*node.as<If>().test) && !may_leave(*node.as<If>().then_block) &&
           (node.as<If>().else_part == nullptr || !may_leave(*node.as<If>().else_part));
  case NodeKind::Case: return visit(*node.as<Case>().test) && !may_leave(node);
  case NodeKind::Selector: return visit(*node.as<Selector>().left) && !may_leave(node);
  case NodeKind::And:
  case NodeKind::Or: return visit(*node.as<Binary>().left) && !may_leave(*node.as<Binary>().right);
  case NodeKind::Lambda: return !may_leave(node);
  case NodeKind::Call:
  case NodeKind::MethodCall: {
    const std::string_view name = called_by(node);
    if (!visit_all(node) || leaves(name) || name == "fail") return false;
    if (node.kind == NodeKind::Call && includes_classes(name))
      visit_classes(node.as<Call>().arguments);
    else if (!name.empty())
      visit_call(name);
    return !needed_;
  }
  case NodeKind::ResourceExpr: {
    if (!visit_all(node)) return false;
    const auto& resources = node.as<ResourceExpr>();
    if (name_of(*resources.type_name) == "class")
      for (const ResourceBody& body : resources.bodies) visit_classes({&body.title, 1});
    return !needed_;
  }
  default: return defines(node.kind) || visit_all(node);
  }
}

bool RubyAhead::visit_all(const Node& node) {
  bool goes_on = true;
  for_each_child(node, [&](const Node* child) { goes_on = goes_on && visit(*child); });
  return goes_on;
}

void RubyAhead::visit_classes(std::span<Node* const> names) {
  for (const Node* node : names) {
    if (node->kind == NodeKind::ListLiteral) visit_classes(node->as<ListLiteral>().elements);
    if (node->kind == NodeKind::Name) visit_class(node->as<Name>().name.str());
    if (node->kind == NodeKind::Literal && node->as<Literal>().value.is_string()) visit_class(node->as<Literal>().value.str());
  }
}

void RubyAhead::visit_class(std::string_view name) {
  const DefinitionEntry* found = nullptr;
  try {
    found = evaluator_.environment().find_class(ascii_lower(without_leading_colons(name)), nullptr);
  } catch (const CompileError&) {} // the evaluation comes to the same error
  if (found == nullptr || !seen_.insert(found->definition).second) return;
  if (const std::string_view parent = found->definition->as<ClassDef>().parent.str(); !parent.empty()) visit_class(parent);
  if (found->definition->body != nullptr) visit(*found->definition->body);
}

void RubyAhead::visit_call(std::string_view name) {
  if (evaluator_.functions().find(name) != nullptr) return;
  const Environment& environment = evaluator_.environment();
  const std::vector<const RubyFunctionFile*> files = environment.ruby_functions(name);
  if (files.size() != 1) return; // none, or it depends on the caller
  try {
    const DefinitionEntry* definition = environment.find_function(name, nullptr);
    if (definition != nullptr && (definition->main || files[0]->old_api())) return; // hides the file
  } catch (const CompileError&) { return; }
  const bool always = evaluator_.ruby_service()->always();
  if (!always && choose_function(evaluator_.functions(), name, *files[0]).native != nullptr) return;
  if (!always && evaluator_.native_ruby() != nullptr && evaluator_.native_ruby()->runs(evaluator_, name, files[0]->path())) return;
  needed_ = true;
}

} // namespace pupc::compiler
