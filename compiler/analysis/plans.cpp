// Plans and tasks against each other: what run_task() and run_plan() name and give.
#include "compiler/ast/plans.h"
#include "compiler/analysis/codebase/tree_queries.h"
#include "compiler/analysis/data/task_metadata.h"
#include "compiler/analysis/walker.h"
#include "compiler/ast/children.h"
#include "compiler/discovery/exists.h"

#include "catalog/base/text.h"
#include "compiler/types/core_types.h"

#include <algorithm>
#include <fmt/format.h>

namespace pupc::compiler {
/// A plan: the calls in it that run tasks and other plans.
void Walker::check_plan_file(const AnalysedFile& file) {
  file_ = &file;
  source_ = file.parsed->source.get();
  module_ = file.module;
  body_ = nullptr;
  auto visit = [&](auto&& self, const Node* n, int depth) -> void {
    if (n == nullptr || depth > 200) return;
    if (n->kind == NodeKind::Call && n->as<Call>().functor->kind == NodeKind::Name) {
      const std::string_view name = n->as<Call>().functor->as<Name>().name.str();
      if (name == "run_task" || name == "run_plan" || name == "run_task_with")
        check_run(name, {n->as<Call>().arguments.data, n->as<Call>().arguments.size});
      check_targets_and_files(*n, name, {n->as<Call>().arguments.data, n->as<Call>().arguments.size});
    }
    for_each_child(*n, [&](const Node* child) { self(self, child, depth + 1); });
  };
  visit(visit, file.parsed->body, 0);
  check_plan_variables(*file.parsed->body);
  check_plan_names(*file.parsed->body, false, 0);
  check_plan_name(file);
}

/// Calls that lack their targets, and files of modules that are not there: 'module/name' is the module's files/name, or scripts/name.
void Walker::check_targets_and_files(const Node& at, std::string_view function, Arguments arguments) {
  const size_t place = function == "upload_file" ? 2 : one_of("run_task|run_command|run_script", function) ? 1 : 0;
  if (place == 0 || std::ranges::any_of(arguments, [](const Node* n) { return n->kind == NodeKind::Unfold; })) return;
  if (arguments.size() <= place || arguments[place]->kind == NodeKind::HashLiteral)
    return report(CheckCode::argument_count, at, fmt::format("'{}' has no targets", function), "They stand before what is given.");
  if (function != "run_script" && function != "upload_file") return;
  const auto path = arguments[0]->kind == NodeKind::Literal ? literal_text(arguments[0]) : std::nullopt;
  const size_t slash = path ? path->find('/') : std::string_view::npos;
  if (slash == std::string_view::npos || slash == 0) return;
  const Module* module = program_.environment().find_module(path->substr(0, slash));
  if (module == nullptr) return;
  const std::string_view rest = path->substr(slash + 1);
  for (std::string_view folder : {"files/", "scripts/", ""})
    if (exists(fmt::format("{}/{}{}", module->path, folder, rest))) return;
  report(CheckCode::no_such_file, *arguments[0], fmt::format("The module '{}' has no file '{}'", module->name, rest));
}

/// Variables that nothing in the plan sets, and texts of secrets. What an apply block reads comes from the node, too.
void Walker::check_plan_variables(const Node& body) {
  std::unordered_set<Symbol> set, secrets;
  auto take = [&](const Seq<Parameter>& parameters, bool of_plan) {
    for (const Parameter& p : parameters) {
      if (!set.insert(p.name).second)
        secrets.erase(p.name);
      else if (of_plan && p.type != nullptr && accepted_kinds(program_.type_of(p, *source_)) == kinds::sensitive)
        secrets.insert(p.name);
    }
  };
  auto find_set = [&](auto&& self, const Node* n, int depth) -> void {
    if (depth > 200) return;
    if (n->kind == NodeKind::FunctionDef) take(n->as<FunctionDef>().parameters, true);
    if (n->kind == NodeKind::Lambda) take(n->as<Lambda>().parameters, false);
    if (n->kind == NodeKind::Assignment)
      for (const Node* target : listed_elements(n->as<Binary>().left))
        if (target->kind == NodeKind::Variable) {
          set.insert(target->as<Variable>().base);
          secrets.erase(target->as<Variable>().base);
        }
    for_each_child(*n, [&](const Node* child) { self(self, child, depth + 1); });
  };
  find_set(find_set, &body, 0);
  std::vector<std::string_view> names;
  for (const Symbol name : set) names.push_back(name.str());
  std::ranges::sort(names);
  auto check = [&](auto&& self, const Node* n, bool of_node, int depth) -> void {
    if (depth > 200) return;
    if (n->kind == NodeKind::Interpolation)
      for (const Node* part : n->as<Interpolation>().parts)
        if (part->kind == NodeKind::Variable && secrets.contains(part->as<Variable>().base))
          report(CheckCode::redacted_secret, *part, "The text of a Sensitive is \"Sensitive [value redacted]\"",
                 "Make the text of its unwrap.");
    if (n->kind == NodeKind::Variable && !of_node) {
      const Variable& v = n->as<Variable>();
      bool sure = true;
      static const Body nowhere{};
      if (v.form() == Variable::Form::Simple && !set.contains(v.base) && !found_outside(v, nowhere, sure))
        report(CheckCode::unset_variable, v, fmt::format("Nothing in the plan sets the variable '{}'", v.base.str()),
               did_you_mean(v.base.str(), names), Severity::Warning);
    }
    const bool applies = n->kind == NodeKind::Call && n->as<Call>().functor->kind == NodeKind::Name &&
                         n->as<Call>().functor->as<Name>().name.str() == "apply";
    for_each_child(*n, [&](const Node* child) { self(self, child, of_node || (applies && child->kind == NodeKind::Lambda), depth + 1); });
  };
  check(check, &body, false, 0);
}

/// The name of a plan, which that of its file tells.
void Walker::check_plan_name(const AnalysedFile& file) {
  if (module_ == nullptr || !file.path.starts_with(module_->path + "/plans/")) return;
  std::string rest(file.path.substr(module_->path.size() + 7));
  rest.resize(rest.size() - std::min<size_t>(rest.size(), 3));
  std::string expected = rest == "init" ? module_->name : module_->name + "::" + rest;
  for (size_t i; (i = expected.find('/')) != std::string::npos;) expected.replace(i, 1, "::");
  for (const Node* node : file.parsed->definitions) {
    if (!is_plan(*node)) continue;
    const std::string_view name = without_leading_colons(node->as<FunctionDef>().name.str());
    if (name != expected)
      report(CheckCode::misplaced_definition, *node,
             fmt::format("'{}' cannot be loaded from this file, which stands for the plan '{}'", name, expected));
  }
}

/// run_task('module::task', targets, …), run_plan('module::plan', …).
void Walker::check_run(std::string_view function, Arguments arguments) {
  if (arguments.empty()) return;
  const auto name = literal_text(arguments[0]);
  if (!name || arguments[0]->kind == NodeKind::Variable) return;
  const size_t cut = name->find("::");
  const Module* module = program_.environment().find_module(name->substr(0, cut));
  if (module == nullptr) return;
  const bool task = function != "run_plan";
  const std::string folder = module->path + (task ? "/tasks" : "/plans");
  std::vector<std::string> names = names_in(folder);
  const std::string file = cut == std::string_view::npos ? "init" : with_replaced(name->substr(cut + 2), "::", "/");
  const bool nested = file.find('/') != std::string::npos;
  const bool there = nested ? (task || program_.environment().path_exists(fmt::format("{}/{}.pp", folder, file)))
                            : std::find(names.begin(), names.end(), file) != names.end();
  if (!there) {
    std::vector<std::string> full;
    for (const std::string& n : names) full.push_back(n == "init" ? module->name : module->name + "::" + n);
    return report(CheckCode::no_such_task, *arguments[0],
                  fmt::format("The module '{}' has no {} '{}'", module->name, task ? "task" : "plan", *name),
                  did_you_mean(*name, {full.begin(), full.end()}));
  }
  std::optional<std::vector<TakenParameter>> taken;
  if (task) {
    taken = parameters_of_task(fmt::format("{}/{}.json", folder, file));
  } else {
    const FunctionDef* plan = plan_of(fmt::format("{}/{}.pp", folder, file));
    if (plan == nullptr) return;
    taken.emplace();
    for (const Parameter& p : plan->parameters) {
      TakenParameter t;
      t.name = p.name.str();
      t.type_node = p.type;
      t.source = plans_.at(fmt::format("{}/{}.pp", folder, file))->source.get();
      t.needed = p.default_value == nullptr;
      taken->push_back(std::move(t));
    }
  }
  if (!taken) return;
  // Positions: (name, targets, description, hash) of a task, (name, targets, hash) of a plan; the hash is the last.
  const Node* last = arguments.back();
  const HashLiteral* given = last->kind == NodeKind::HashLiteral ? &last->as<HashLiteral>() : nullptr;
  if (given == nullptr && arguments.size() > 2 && last->kind != NodeKind::Literal && last->kind != NodeKind::Interpolation)
    return; // a hash that is not written here
  std::vector<std::string_view> known;
  for (const TakenParameter& t : *taken) known.push_back(t.name);
  std::set<std::string, std::less<>> seen;
  for (const KeyedEntry& e : given != nullptr ? std::span(given->entries.data, given->entries.size) : std::span<const KeyedEntry>()) {
    const auto key = literal_text(e.key);
    if (!key) return;
    seen.emplace(*key);
    if (key->starts_with('_')) continue;
    const auto t = std::ranges::find(*taken, *key, &TakenParameter::name);
    if (t == taken->end()) {
      report(CheckCode::no_such_parameter, *e.key, fmt::format("The {} '{}' has no parameter '{}'", task ? "task" : "plan", *name, *key),
             did_you_mean(*key, known));
      continue;
    }
    const Type* type = nullptr;
    try {
      type = t->type_node != nullptr ? program_.type_of(*t->type_node, *t->source)
             : t->type.empty()       ? nullptr
                                     : parse_type(program_.types(), t->type);
    } catch (const CompileError&) {}
    std::string why;
    if (type != nullptr && type->kind != TypeKind::TypeReference && rejects(type, e.value, why))
      report(CheckCode::parameter_type, *e.value,
             fmt::format("Parameter '{}' of the {} '{}' {}", *key, task ? "task" : "plan", *name, why));
  }
  // The targets of a plan stand in its parameter `nodes` or `targets` when they are the second argument.
  const bool targets = !task && arguments.size() > 1 && arguments[1] != last;
  std::string missing;
  for (const TakenParameter& t : *taken)
    if (t.needed && !seen.contains(t.name) && !(targets && (t.name == "nodes" || t.name == "targets")))
      missing += fmt::format("{}'{}'", missing.empty() ? "" : ", ", t.name);
  if (!missing.empty() && (given != nullptr || arguments.size() <= (task ? 3U : 2U)))
    report(CheckCode::missing_parameter, *arguments[0],
           fmt::format("The {} '{}' needs the parameter {}", task ? "task" : "plan", *name, missing));
}

/// The plan in a file; null when it is not there or broken.
const FunctionDef* Walker::plan_of(const std::string& path) {
  auto [at, fresh] = plans_.try_emplace(path);
  if (fresh) {
    for (const AnalysedFile& file : program_.files())
      if (file.plan && file.path == path) at->second = file.parsed;
  }
  if (at->second == nullptr) return nullptr;
  for (const Node* node : at->second->definitions)
    if (is_plan(*node)) return &node->as<FunctionDef>();
  return nullptr;
}

} // namespace pupc::compiler
