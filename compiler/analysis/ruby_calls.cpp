// Calls of functions in Ruby.
#include "compiler/analysis/walker.h"

#include <algorithm>
#include <fmt/format.h>

namespace pupc::compiler {

/// Whether the name is that of one function in Ruby of the 3.x API which has no value: Puppet gives undef in its place.
bool Walker::is_statement(std::string_view function) {
  const auto files = program_.environment().ruby_functions(function);
  if (files.size() != 1 || !files.front()->old_api()) return false;
  const ModuleRubyFunction& f = ruby_.function(files.front()->path());
  return f.readable && f.statement && f.name == function;
}

/// An expression whose value counts.
void Walker::check_used(const Node* value) {
  const Node* name = value->kind == NodeKind::Call         ? value->as<Call>().functor
                     : value->kind == NodeKind::MethodCall ? value->as<MethodCall>().name
                                                           : nullptr;
  if (name == nullptr || name->kind != NodeKind::Name) return;
  const Callee& c = callee(name->as<Name>().name);
  if (!c.elsewhere || c.own != nullptr || c.broken || !is_statement(c.name.str())) return;
  report(CheckCode::ruby_function, *value, fmt::format("The function '{}' is a statement: it has no value", c.name.str()),
         "Give it type: :rvalue.", Severity::Warning);
}

/// A call of a function in Ruby whose dispatches are known.
void Walker::check_ruby_call(const Node& at, std::string_view name, Arguments arguments, const Lambda* lambda) {
  for (const Node* argument : arguments)
    if (argument->kind == NodeKind::Unfold) return;
  const auto files = program_.environment().ruby_functions(name);
  if (files.empty() || (files.front()->old_api() && files.size() > 1)) return; // of several old ones the first one loaded counts
  const ModuleRubyFunction& f = ruby_.function(files.front()->path());
  if (!f.readable || !f.known || f.name.empty() || f.dispatches.empty() || (f.old_api && f.name != name) ||
      std::ranges::any_of(f.dispatches, [](const auto& d) { return !d.known; }))
    return;
  const auto n = static_cast<uint32_t>(arguments.size());
  uint32_t least = ModuleRubyFunction::no_limit, most = 0;
  bool number = false, block = false;
  const Node* blamed = nullptr;
  std::string reason;
  for (const ModuleRubyFunction::Dispatch& d : f.dispatches) {
    least = std::min(least, d.least);
    most = std::max(most, d.most);
    if (n < d.least || n > d.most) continue;
    number = true;
    if (lambda != nullptr ? d.block == ModuleRubyFunction::Block::None : d.block == ModuleRubyFunction::Block::Required) continue;
    block = true;
    const Node* refused = nullptr;
    std::string why;
    for (uint32_t i = 0; i < n && refused == nullptr && !f.local_types && !f.old_api; ++i) {
      const ModuleRubyFunction::Parameter& p = d.parameters[std::min<size_t>(i, d.parameters.size() - 1)];
      if (p.type.empty()) continue;
      try {
        const Type* type = parse_type(program_.types(), p.type);
        if (unknown_type(type).empty() && rejects(type, arguments[i], why)) refused = arguments[i];
      } catch (const CompileError&) { return; } // told at the function
    }
    if (refused == nullptr) return;
    if (blamed == nullptr) {
      blamed = refused;
      reason = std::move(why);
    }
  }
  if (!number)
    report(CheckCode::argument_count, at, fmt::format("'{}' takes {} arguments, got {}", name, values_text(least, most), n));
  else if (!block)
    report(CheckCode::argument_count, at,
           lambda != nullptr ? fmt::format("'{}' takes no block", name) : fmt::format("'{}' needs a block", name));
  else if (blamed != nullptr)
    report(CheckCode::argument_type, *blamed, fmt::format("An argument of '{}' {}", name, reason));
}

} // namespace pupc::compiler
