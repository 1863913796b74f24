#include "compiler/check/tree_checker.h"

#include "catalog/base/text.h"
#include "compiler/ast/children.h"
#include "compiler/ast/construct_names.h"
#include "compiler/ast/plans.h"
#include "compiler/check/plan_check.h"

#include <algorithm>
#include <cassert>
#include <fmt/format.h>

namespace pupc::compiler {

std::vector<Diagnostic> check(const ParsedFile& file, const CheckOptions& options) { return Checker(file, options, false).run(); }

std::vector<Diagnostic> check_plan(const ParsedFile& file, const CheckOptions& options) { return Checker(file, options, true).run(); }

std::vector<Diagnostic> Checker::run() {
  if (file_.body == nullptr) return {};
  try {
    check_top_constructs();
    walk();
  } catch (const Abort&) { findings_.erase(findings_.begin(), findings_.end() - 1); }
  return std::move(findings_);
}

void Checker::walk() {
  path_.reserve(64);
  Inside program(*this, Container::Program);
  if (file_.body->kind == NodeKind::Epp)
    visit(file_.body);
  else
    visit_collapsed(&file_.body->as<Block>());
}

Diagnostic& Checker::error_at(ErrorCode code, uint32_t offset, uint32_t length, std::string message, std::string suggestion) {
  Diagnostic d;
  d.code = code;
  d.message = std::move(message);
  d.loc = {file_.source.get(), offset, length};
  d.suggestion = std::move(suggestion);
  findings_.push_back(std::move(d));
  return findings_.back();
}

void Checker::error(ErrorCode code, const Node& at, std::string message, std::string suggestion) {
  error_at(code, at.offset, at.length, std::move(message), std::move(suggestion));
}

void Checker::visit_all(const Seq<Node*>& nodes) {
  for (const Node* n : nodes) visit(n);
}

void Checker::visit_collapsed(const Block* body) { visit(collapsed(body)); }

void Checker::visit_body(const Block* body) {
  if (body != nullptr && !body->statements.empty()) visit(body);
}

void Checker::visit_parameters(const Seq<Parameter>& parameters) {
  for (const Parameter& p : parameters) {
    check_parameter(p);
    visit(p.default_value);
    visit(p.type);
  }
}

void Checker::visit_lambda(const Lambda& lambda) {
  check_capture_last(lambda.parameters);
  if (lambda.return_type != nullptr) check_type_reference(*lambda.return_type, lambda);
  Inside in(*this, Container::Other);
  visit_parameters(lambda.parameters);
  visit_body(lambda.body);
  visit(lambda.return_type);
}

void Checker::visit_definition(const Definition& d, const Node* return_type) {
  Inside in(*this, d.kind == NodeKind::ClassDef ? Container::Class : Container::Other);
  visit_parameters(d.parameters);
  visit_body(d.body);
  visit(return_type);
}

void Checker::visit_operations(const Seq<AttributeOp>& operations, const char* place) {
  for (const AttributeOp& op : operations) {
    if (op.kind == AttributeOpKind::Append && place != nullptr)
      error_at(ErrorCode::illegal_append, op.offset, op.length,
               fmt::format("Illegal +> operation on attribute {}. This operator can not be used in a {}", op.name.str(), place),
               "Use => to set the attribute; +> adds to it in resource overrides and collectors.");
    produces_value(*op.value);
    visit(op.value);
  }
}

void Checker::visit_resource(const ResourceExpr& resource) {
  if (resource.form() != ResourceForm::Regular && resource.type_name->kind == NodeKind::Name &&
      resource.type_name->as<Name>().name == sym::class_)
    error(ErrorCode::not_virtualizable, resource, "Classes are not virtualizable");
  visit(resource.type_name);
  for (const ResourceBody& body : resource.bodies) {
    bool unfolded = false;
    for (const AttributeOp& op : body.operations) {
      if (op.kind != AttributeOpKind::Splat) continue;
      if (unfolded)
        error_at(ErrorCode::repeated_unfold, op.offset, op.length,
                 "Unfolding of attributes from Hash can only be used once per resource body", "Merge the hashes first: * => $a + $b.");
      unfolded = true;
    }
    visit(body.title);
    visit_operations(body.operations, "Resource Instance Definition");
  }
}

void Checker::visit_template(const Epp& epp) {
  // In Puppet's model a lambda with the parameters contains the template, so the checks of lambdas apply.
  check_capture_last(epp.parameters);
  Inside in(*this, Container::Other);
  visit_parameters(epp.parameters);
  check_no_capture(epp.parameters, epp);
  check_unique(epp.parameters);
  visit_body(epp.body);
}

void Checker::check_reference(const Reference& r) {
  if (!is_definition_name(without_leading_colons(r.cased.str()), true))
    error(ErrorCode::illegal_name, r,
          fmt::format("Illegal type reference. The given name '{}' does not conform to the naming rule", r.cased.str()));
}

bool Checker::check_task(const Node& node) {
  const bool applied = std::find(path_.begin(), path_.end(), Container::Apply) != path_.end();
  auto refuse = [&](const char* when) {
    error(ErrorCode::unsupported_expression, node, fmt::format("{} {} when compiling a catalog", a_an_upper(label(node)), when));
    return false;
  };
  switch (node.kind) {
  case NodeKind::ClassDef:
  case NodeKind::DefineDef: return refuse("is only available");
  case NodeKind::NodeDef:
  case NodeKind::Relationship:
  case NodeKind::ResourceExpr:
  case NodeKind::ResourceDefaults:
  case NodeKind::ResourceOverride: return applied || refuse("is only available");
  case NodeKind::Collector:
    if (!applied) return refuse("is only available");
    return !node.as<Collector>().exported() || refuse("is not available");
  case NodeKind::Call: return !applied || !is_apply(node) || refuse("is not available");
  default: return true;
  }
}

void Checker::visit(const Node* node) {
  if (node == nullptr) return;
  // What a plan must not have is reported, but its parts are checked all the same.
  const bool refused = tasks_ && !check_task(*node);
  if (!refused && !check_own(*node)) return;
  if (node->kind == NodeKind::ClassDef || node->kind == NodeKind::DefineDef) return visit_definition(node->as<Definition>(), nullptr);
  if (node->kind == NodeKind::FunctionDef) return visit_definition(node->as<Definition>(), node->as<FunctionDef>().return_type);
  Inside in(*this, node->kind == NodeKind::Block ? Container::Block : is_apply(*node) ? Container::Apply : Container::Other);
  visit_parts(*node);
}

bool Checker::check_own(const Node& n) {
  const Node* node = &n;
  switch (node->kind) {
  case NodeKind::ReservedWord:
    error(ErrorCode::reserved_word, *node,
          fmt::format("Use of reserved word: {}, must be quoted if intended to be a String value", node->as<ReservedWord>().word.str()));
    return false;
  case NodeKind::Heredoc: check_heredoc(node->as<Heredoc>()); break;
  case NodeKind::HashLiteral: check_hash(node->as<HashLiteral>()); break;
  case NodeKind::Call: check_call(node->as<Call>()); break;
  case NodeKind::Assignment: check_assignment(node->as<Binary>()); break;
  case NodeKind::Arithmetic:
  case NodeKind::Comparison:
  case NodeKind::Match:
  case NodeKind::In:
  case NodeKind::And:
  case NodeKind::Or:
    produces_value(*node->as<Binary>().left);
    produces_value(*node->as<Binary>().right);
    break;
  case NodeKind::Relationship:
    for (const Node* side : {node->as<Binary>().left, node->as<Binary>().right})
      if (side->kind != NodeKind::Collector && side->kind != NodeKind::Relationship) produces_value(*side);
    break;
  case NodeKind::Not:
  case NodeKind::Minus:
  case NodeKind::Unfold:
  case NodeKind::Parenthesized:
  case NodeKind::RenderExpr: produces_value(*node->as<Unary>().operand); break;
  case NodeKind::If: produces_value(*node->as<If>().test); break;
  case NodeKind::Case: check_case(node->as<Case>()); break;
  case NodeKind::Selector: check_selector(node->as<Selector>()); break;
  case NodeKind::Block: check_block(node->as<Block>()); break;
  case NodeKind::ResourceDefaults:
  case NodeKind::ResourceOverride:
    if (node->aux != static_cast<uint16_t>(ResourceForm::Regular))
      error(ErrorCode::not_virtualizable, *node, "Resource Defaults are not virtualizable");
    break;
  case NodeKind::Collector: {
    const auto& c = node->as<Collector>();
    if (c.type_expr->kind != NodeKind::Reference)
      error(ErrorCode::illegal_expression, *c.type_expr,
            fmt::format("Illegal expression. {} is unacceptable as type name in {}", a_an_upper(label(*c.type_expr)), a_an(label(c))));
    break;
  }
  case NodeKind::ClassDef:
  case NodeKind::DefineDef: check_class_or_define(node->as<Definition>()); break;
  case NodeKind::FunctionDef: check_function(node->as<FunctionDef>()); break;
  case NodeKind::NodeDef: check_node(node->as<NodeDef>()); break;
  case NodeKind::TypeAlias: check_type_alias(node->as<TypeAlias>()); break;
  case NodeKind::TypeMapping: check_type_mapping(node->as<TypeMapping>()); break;
  case NodeKind::TypeDefinition:
    check_top(*node, path_.size());
    error(ErrorCode::unsupported_expression, *node, "Expressions of type a Type Definition are not supported in this version of Puppet");
    break;
  case NodeKind::Access:
  case NodeKind::Interpolation:
  case NodeKind::ListLiteral:
  case NodeKind::MethodCall:
  case NodeKind::Lambda:
  case NodeKind::ResourceExpr:
  case NodeKind::Epp: break; // visit_parts checks what they hold
  case NodeKind::Literal: check_number(node->as<Literal>()); return false;
  case NodeKind::Variable: check_variable(node->as<Variable>()); return false;
  case NodeKind::Reference: check_reference(node->as<Reference>()); return false;
  case NodeKind::Nop:
  case NodeKind::RegexLiteral:
  case NodeKind::Name:
  case NodeKind::RenderString: return false;
  }
  return true;
}

void Checker::visit_parts(const Node& n) {
  const Node* node = &n;
  switch (node->kind) {
  case NodeKind::Interpolation:
    for (const Node* part : node->as<Interpolation>().parts) {
      produces_value(*part);
      visit(part);
    }
    return;
  case NodeKind::ListLiteral:
    for (const Node* element : node->as<ListLiteral>().elements) produces_value(*element);
    return visit_all(node->as<ListLiteral>().elements);
  case NodeKind::HashLiteral:
    for (const KeyedEntry& entry : node->as<HashLiteral>().entries) {
      produces_value(*entry.key);
      produces_value(*entry.value);
      visit(entry.key);
      visit(entry.value);
    }
    return;
  case NodeKind::If: {
    const auto& i = node->as<If>();
    visit(i.test);
    visit_collapsed(i.then_block);
    if (i.else_part == nullptr) return;
    return i.else_part->kind == NodeKind::Block ? visit_collapsed(&i.else_part->as<Block>()) : visit(i.else_part);
  }
  case NodeKind::Case:
    visit(node->as<Case>().test);
    for (const CaseOption& option : node->as<Case>().options) {
      for (const Node* value : option.values) produces_value(*value);
      visit_all(option.values);
      visit_body(option.body);
    }
    return;
  case NodeKind::Selector:
    visit(node->as<Selector>().left);
    for (const SelectorEntry& entry : node->as<Selector>().entries) {
      produces_value(*entry.match);
      visit(entry.match);
      visit(entry.value);
    }
    return;
  case NodeKind::Call:
    if (!is_apply(n)) break;
    visit_all(node->as<Call>().arguments);
    return visit_body(node->as<Call>().lambda->body);
  case NodeKind::Lambda: return visit_lambda(node->as<Lambda>());
  case NodeKind::ResourceExpr: return visit_resource(node->as<ResourceExpr>());
  case NodeKind::ResourceDefaults:
    visit(node->as<ResourceDefaults>().type_ref);
    return visit_operations(node->as<ResourceDefaults>().operations, "Resource Defaults Expression");
  case NodeKind::ResourceOverride:
    visit(node->as<ResourceOverride>().resources);
    return visit_operations(node->as<ResourceOverride>().operations, nullptr);
  case NodeKind::Collector:
    visit(node->as<Collector>().type_expr);
    if (node->as<Collector>().query != nullptr) {
      query(*node->as<Collector>().query);
      visit(node->as<Collector>().query);
    }
    return visit_operations(node->as<Collector>().operations, nullptr);
  case NodeKind::NodeDef:
    visit(node->as<NodeDef>().parent);
    visit_all(node->as<NodeDef>().matches);
    return visit_body(node->as<NodeDef>().body);
  case NodeKind::TypeDefinition: return visit_body(node->as<TypeDefinition>().body);
  case NodeKind::Epp: return visit_template(node->as<Epp>());
  default: break;
  }
  for_each_child(*node, [this](const Node* part) { visit(part); });
}

} // namespace pupc::compiler
