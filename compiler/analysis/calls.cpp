// Calls: unknown and removed functions, numbers and types of arguments, lambdas.
#include "catalog/base/text.h"
#include "catalog/value/regex.h"
#include "compiler/analysis/walker.h"

#include "compiler/types/core_types.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>

namespace pupc {
namespace {

/// "1 argument", "2 or 3 arguments", "at least 2 arguments".
std::string arguments_text(uint32_t least, uint32_t most) {
  if (most == std::numeric_limits<uint32_t>::max()) return fmt::format("at least {} argument{}", least, least == 1 ? "" : "s");
  if (least == most) return fmt::format("{} argument{}", least, least == 1 ? "" : "s");
  return fmt::format("{} to {} arguments", least, most);
}

bool unfolds(Arguments arguments) {
  return std::any_of(arguments.begin(), arguments.end(), [](const Node* n) { return n->kind == NodeKind::Unfold; });
}

bool leaves_body(std::string_view name) { return name == "fail" || name == "return"; }

/// Whether the function may read variables that its call does not name.
bool reads_variables(std::string_view name) {
  static constexpr std::string_view names[] = {"template", "inline_template", "epp", "inline_epp", "getvar", "get_scope", "dig44"};
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

} // namespace

void Walker::check_call(const Node& at, std::string_view name, Arguments arguments, const Lambda* lambda, bool maybe_attribute) {
  name = without_leading_colons(name);
  check_special_call(at, name, arguments);
  bool broken = false;
  if (const DefinitionEntry* own = program_.find_function(name, &broken)) return check_puppet_function(at, *own, arguments, lambda);
  if (broken) return;
  const FunctionEntry* builtin = program_.functions().find(name);
  if (builtin != nullptr && !builtin->module.empty() && program_.environment().find_module(builtin->module) == nullptr) builtin = nullptr;
  if (builtin != nullptr) {
    // Check only the language's own functions: another version of a module may declare its function with other parameters.
    if (builtin->module.empty()) {
      check_builtin(at, *builtin, arguments, lambda);
      check_pattern(name, arguments);
    }
    return;
  }
  if (program_.environment().ruby_functions(name).empty() && program_.environment().old_function(name) == nullptr)
    check_function_name(at, name, maybe_attribute);
}

void Walker::check_builtin(const Node& at, const FunctionEntry& entry, Arguments arguments, const Lambda* lambda) {
  if (unfolds(arguments)) return;
  const BuiltinSignatures& signatures = signatures_of(entry);
  if (signatures.takes_scope || signatures.dispatches.empty()) return;
  const uint32_t n = static_cast<uint32_t>(arguments.size());
  uint32_t least = std::numeric_limits<uint32_t>::max(), most = 0;
  bool fits = false, lambda_fits = false, needs_lambda = true;
  for (const ParsedDispatch& d : signatures.dispatches) {
    if (d.dispatch->mismatch) continue;
    uint32_t from = d.required, to = d.maximum;
    if (d.old_api) {
      from = d.arity < 0 ? static_cast<uint32_t>(-d.arity - 1) : static_cast<uint32_t>(d.arity);
      to = d.arity < 0 ? std::numeric_limits<uint32_t>::max() : from;
    }
    least = std::min(least, from);
    most = std::max(most, to);
    needs_lambda = needs_lambda && d.block == ParsedDispatch::Block::Required;
    if (n < from || n > to) continue;
    fits = true;
    if (d.old_api || (lambda != nullptr ? d.block != ParsedDispatch::Block::None : d.block != ParsedDispatch::Block::Required))
      lambda_fits = true;
  }
  if (least > most) return;
  if (!fits) {
    report(CheckCode::argument_count, at, fmt::format("'{}' takes {}, got {}", entry.name, arguments_text(least, most), n));
    return;
  }
  if (!lambda_fits) {
    report(CheckCode::argument_count, at,
           lambda != nullptr ? fmt::format("'{}' takes no block with {}", entry.name, arguments_text(n, n))
                             : fmt::format("'{}' needs a block", entry.name),
           needs_lambda && lambda == nullptr ? "Write |$x| { … } behind the arguments." : "");
    return;
  }
  // At least one of the dispatches that fit the number of arguments must accept every argument.
  const Node* blamed = nullptr;
  std::string reason;
  for (const ParsedDispatch& d : signatures.dispatches) {
    if (d.dispatch->mismatch || d.old_api) {
      if (d.old_api) return;
      continue;
    }
    if (n < d.required || n > d.maximum) continue;
    if (lambda == nullptr ? d.block == ParsedDispatch::Block::Required : d.block == ParsedDispatch::Block::None) continue;
    const Node* refused = nullptr;
    std::string why;
    for (uint32_t i = 0; i < n && refused == nullptr; ++i) {
      const SignatureParameter& p = d.parameters[std::min<size_t>(i, d.parameters.size() - 1)];
      if (!p.any && rejects(p.type, arguments[i], why)) refused = arguments[i];
    }
    if (refused == nullptr) return;
    if (blamed == nullptr) {
      blamed = refused;
      reason = std::move(why);
    }
  }
  if (blamed != nullptr) report(CheckCode::argument_type, *blamed, fmt::format("An argument of '{}' {}", entry.name, reason));
}

/// A text that a function compiles as a regular expression. With flags (a fourth argument of regsubst) it may mean something else.
void Walker::check_pattern(std::string_view function, Arguments arguments) {
  if (function != "regsubst" && function != "match" && function != "split") return;
  if (arguments.size() < 2 || arguments.size() > 3 || unfolds(arguments)) return;
  const Node* pattern = arguments[1];
  if (pattern->kind != NodeKind::Literal || !pattern->as<Literal>().value.is_string()) return;
  try {
    program_.environment().regexes().get(pattern->as<Literal>().value.str());
  } catch (const RegexError& error) {
    report(CheckCode::argument_type, *pattern,
           fmt::format("'{}' gets a pattern that is no regular expression: {}", function, error.message));
  }
}

void Walker::check_puppet_function(const Node& at, const DefinitionEntry& entry, Arguments arguments, const Lambda* lambda) {
  if (unfolds(arguments)) return;
  const Definition& d = *entry.definition;
  uint32_t least = 0, most = 0;
  for (const Parameter& p : d.parameters) {
    if (p.captures_rest) {
      most = std::numeric_limits<uint32_t>::max();
    } else {
      if (p.default_value == nullptr) least = most + 1; // the caller must also pass the parameters before it, even those with a default
      ++most;
    }
  }
  const uint32_t n = static_cast<uint32_t>(arguments.size());
  if (n < least || n > most) {
    report(CheckCode::argument_count, at, fmt::format("'{}' takes {}, got {}", d.name.str(), arguments_text(least, most), n));
    return;
  }
  if (lambda != nullptr) {
    report(CheckCode::argument_count, at, fmt::format("'{}' takes no block", d.name.str()));
    return;
  }
  for (uint32_t i = 0; i < n; ++i) {
    const Parameter& p = d.parameters[std::min<size_t>(i, d.parameters.size - 1)];
    const Type* type = program_.type_of(p, *entry.file->source);
    std::string why;
    if (type == nullptr) continue;
    if (p.captures_rest && type->kind == TypeKind::Array) continue;
    if (rejects(type, arguments[i], why))
      report(CheckCode::argument_type, *arguments[i], fmt::format("Parameter '{}' of '{}' {}", p.name.str(), d.name.str(), why));
  }
}

/// Treats particular functions by their meaning: include names classes, lookup names keys, template names a file, and so on.
void Walker::check_special_call(const Node& at, std::string_view name, Arguments arguments) {
  if (name == "include" || name == "contain" || name == "require") {
    for (const Node* argument : arguments) check_class_names(argument);
    return;
  }
  if (name == "lookup" || name == "hiera" || name == "hiera_array" || name == "hiera_hash" || name == "hiera_include") {
    auto note = [&](const Node* key) {
      if (auto text = literal_text(key))
        lookups_.keys.insert(std::move(*text));
      else
        lookups_.dynamic = true;
    };
    if (arguments.empty()) return;
    if (arguments[0]->kind == NodeKind::ListLiteral)
      for (const Node* element : arguments[0]->as<ListLiteral>().elements) note(element);
    else
      note(arguments[0]);
    return;
  }
  if (leaves_body(name) && body_ != nullptr) {
    body_->dead = true;
    return;
  }
  if (reads_variables(name))
    for (Body* b = body_; b != nullptr; b = b->outer) b->opaque = true;
  if (name == "template" || name == "epp" || name == "file") return check_template_call(at, name, arguments);
  static constexpr std::string_view declaring[] = {"create_resources", "ensure_resource", "ensure_resources", "ensure_packages",
                                                   "stdlib::ensure_packages"};
  if (std::find(std::begin(declaring), std::end(declaring), name) == std::end(declaring)) return;
  declarations_unknown_ = true;
  if (name.ends_with("packages") || arguments.empty()) return;
  const auto type = literal_text(arguments[0]);
  if (!type || arguments[0]->kind == NodeKind::Variable) return;
  std::string_view plain = without_leading_colons(*type);
  while (plain.starts_with("@")) plain.remove_prefix(1);
  if (plain == "class") return;
  const DefinitionEntry* define = nullptr;
  const ResourceTypeInfo* native = nullptr;
  check_resource_type(*arguments[0], plain, define, native);
}

} // namespace pupc
