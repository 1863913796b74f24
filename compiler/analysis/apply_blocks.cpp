// What plans call, and the code of their apply blocks: each target compiles it apart from the environment's nodes.
#include "compiler/analysis/data/plan_names.h"
#include "compiler/analysis/walker.h"
#include "compiler/ast/children.h"

#include <algorithm>
#include <fmt/format.h>

namespace pupc::compiler {
namespace {

template <size_t n> bool has(const std::string_view (&names)[n], std::string_view name) {
  return std::ranges::find(names, name) != std::end(names);
}

/// The name with an s too many: ok_sets.
template <size_t n> std::string near_singular(std::string_view name, const std::string_view (&names)[n]) {
  if (!name.ends_with('s') || !has(names, name.substr(0, name.size() - 1))) return {};
  return fmt::format("Did you mean '{}'?", name.substr(0, name.size() - 1));
}

/// Whether a function of plans has the name with an s more: upload_files, get_target.
bool has_plural(std::string_view name) {
  return std::ranges::any_of(of_plans,
                             [&](std::string_view f) { return f.size() == name.size() + 1 && f.ends_with('s') && f.starts_with(name); });
}

} // namespace

/// The functions and types that a plan names.
void Walker::check_plan_names(const Node& n, bool applied, int depth) {
  if (depth > 200) return;
  if (n.kind == NodeKind::Reference) {
    const Reference& r = n.as<Reference>();
    const std::string_view name = r.cased.str();
    if (has(types_of_plans, name) || name.starts_with("Boltlib::")) return;
    std::string near = near_singular(name, types_of_plans);
    if (near.empty()) near = near_name(name, types_of_plans);
    if (!near.empty() && program_.find_alias(r.name) == nullptr && program_.find_resource_type(r.name) == nullptr)
      report(CheckCode::no_such_data_type, r, fmt::format("Plans have no data type '{}'", name), near);
    else
      check_type_name(r);
    return;
  }
  const Node* name = n.kind == NodeKind::Call ? n.as<Call>().functor : n.kind == NodeKind::MethodCall ? n.as<MethodCall>().name : nullptr;
  bool applies = applied;
  if (name != nullptr && name->kind == NodeKind::Name) {
    const std::string_view called = name->as<Name>().name.str();
    if (called == "apply") {
      applies = true;
      const Lambda* block = n.kind == NodeKind::Call ? n.as<Call>().lambda : n.as<MethodCall>().lambda;
      if (block != nullptr && block->body != nullptr && !applied) check_applied(*block->body, 0);
    }
    const bool attribute = n.kind == NodeKind::MethodCall && n.as<MethodCall>().arguments.empty();
    const Callee& c = callee(name->as<Name>().name);
    const bool known = c.own != nullptr || c.broken || c.builtin != nullptr || c.elsewhere || has(of_plans, called) ||
                       (attribute && has(of_results, called));
    if (!known) {
      std::string near = near_name(called, of_plans);
      if (near.empty() && attribute) near = near_name(called, of_results);
      if (near.empty()) {
        std::vector<std::string_view> functions;
        for (const FunctionEntry* f : program_.functions().entries())
          if (f->module.empty()) functions.push_back(f->name);
        near = near_name(called, functions);
      }
      if (near.empty() && attribute) near = near_singular(called, of_results);
      if (near.empty()) near = near_singular(called, of_plans);
      if (near.empty() && !has(of_plans, called) && has_plural(called)) near = fmt::format("Did you mean '{}s'?", called);
      if (near.empty() && (!attribute || n.as<MethodCall>().lambda != nullptr)) near = near_function(called);
      if (!near.empty()) report(CheckCode::no_such_function, *name, fmt::format("Plans have no function '{}'", called), near);
    }
  }
  for_each_child(n, [&](const Node* child) { check_plan_names(*child, applies, depth + 1); });
}

/// The resources and classes that an apply block declares.
void Walker::check_applied(const Node& n, int depth) {
  if (depth > 200) return;
  if (n.kind == NodeKind::ResourceExpr && n.as<ResourceExpr>().type_name->kind == NodeKind::Name) {
    const ResourceExpr& r = n.as<ResourceExpr>();
    const Symbol type = lower_symbol(r.type_name->as<Name>().name);
    const DefinitionEntry* define = nullptr;
    const ResourceTypeInfo* native = nullptr;
    if (type != sym::class_) check_resource_type(*r.type_name, type, define, native);
    for (const ResourceBody& body : r.bodies) {
      const auto title = literal_name(body.title);
      if (type == sym::class_ && title) {
        check_class_name(*body.title, *title);
        if (const DefinitionEntry* entry = program_.find_class(*title))
          check_operations(body.operations, entry, nullptr, "class", entry->definition->name.str());
      } else if (define != nullptr) {
        check_operations(body.operations, define, nullptr, "defined type", type.str());
      } else if (native != nullptr) {
        check_operations(body.operations, nullptr, native, "resource type", type.str());
        check_values(body.operations, *native, type);
        if (type == sym::file) check_file_values(body);
      }
    }
  } else if (n.kind == NodeKind::Call && n.as<Call>().functor->kind == NodeKind::Name) {
    const std::string_view name = n.as<Call>().functor->as<Name>().name.str();
    const Arguments arguments{n.as<Call>().arguments.data, n.as<Call>().arguments.size};
    if (name == "include" || name == "contain" || name == "require")
      for (const Node* argument : arguments)
        if (const auto named = literal_name(argument)) check_class_name(*argument, *named);
    if (name == "template" || name == "epp" || name == "file") check_template_call(name, arguments);
  }
  for_each_child(n, [&](const Node* child) { check_applied(*child, depth + 1); });
}

} // namespace pupc::compiler
