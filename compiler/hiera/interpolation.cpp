#include "catalog/base/limits.h"
#include "catalog/base/text.h"
#include "compiler/conversion/ruby_text.h"
#include "compiler/hiera/interpolation_syntax.h"
#include "compiler/hiera/invocation.h"

#include <algorithm>
#include <fmt/format.h>

namespace pupc::compiler {
namespace {

constexpr int max_depth = 400; // limit for lookups that cause lookups

bool is_empty_expression(std::string_view e) { return e.empty() || e == "::" || e == "\"\"" || e == "''" || e == "\"::\"" || e == "'::'"; }

struct Expression {
  std::string_view method; // empty = a variable
  std::string_view argument;
};

/// Splits `name('argument')` or `name("argument")`; anything else is the key of a variable.
Expression split_expression(std::string_view e) {
  size_t open = e.find('(');
  if (open == 0 || open == std::string_view::npos || e.back() != ')') return {{}, e};
  for (char c : e.substr(0, open))
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '_') return {{}, e};
  std::string_view inner = e.substr(open + 1, e.size() - open - 2);
  if (inner.size() < 3 || (inner[0] != '"' && inner[0] != '\'') || inner.back() != inner[0]) return {{}, e};
  std::string_view argument = inner.substr(1, inner.size() - 2);
  if (argument.find(inner[0]) != std::string_view::npos) return {{}, e};
  return {e.substr(0, open), argument};
}

/// Why an expression cannot stand there, in Puppet's words; empty when it can. `whole`: it is the whole text.
std::string method_problem(std::string_view method, bool methods, bool whole) {
  static constexpr std::string_view known[] = {"", "scope", "alias", "lookup", "hiera", "literal"};
  if (!method.empty() && !methods) return "Interpolation using method syntax is not allowed in this context";
  if (method == "alias" && !whole) return "'alias' interpolation is only permitted if the expression is equal to the entire string";
  if (std::find(std::begin(known), std::end(known), method) == std::end(known))
    return fmt::format("Unknown interpolation method '{}'", method);
  return {};
}

} // namespace

InterpolationProblem interpolation_problem(std::string_view text, bool methods) {
  for (size_t open = 0; (open = text.find("%{", open)) != std::string_view::npos;) {
    const size_t close = text.find('}', open);
    if (close == std::string_view::npos) return {fmt::format("The interpolation '{}' has no closing brace", text.substr(open)), true};
    const std::string_view expression = trimmed(text.substr(open + 2, close - open - 2));
    if (!is_empty_expression(expression)) {
      const auto [method, argument] = split_expression(expression);
      std::vector<Value> segments;
      if (std::string problem = method_problem(method, methods, close + 1 - open == text.size()); !problem.empty()) return {problem};
      if (method.empty() && argument.find('(') != std::string_view::npos)
        return {fmt::format("'{}' is looked for as a variable: what a method takes stands in quotes, as in lookup('key')", argument)};
      if (method != "literal" && !split_key(argument, segments)) return {fmt::format("Syntax error in string: {}", text)};
    }
    open = close + 1;
  }
  return {};
}

bool version_3_variable(std::string_view name, LookupHost& host, Value& value) {
  if (name == "calling_class" || name == "calling_class_path") {
    std::string text = host.calling_class();
    if (name == "calling_class_path")
      for (size_t at = 0; (at = text.find("::", at)) != std::string::npos;) text.replace(at, 2, "/");
    value = text.empty() ? Value::undef() : Value::string(host.arena().copy(text));
    return true;
  }
  if (!host.variable(name == "calling_module" ? "module_name" : name, value)) return name == "calling_module";
  if (value.is_string() && value.str().empty()) value = Value::undef();
  return true;
}

void Invocation::enter(std::string_view name) {
  bool recursive = false;
  for (const Invocation* i = this; i && !recursive; i = i->parent)
    recursive = std::find(i->names.begin(), i->names.end(), name) != i->names.end();
  if (recursive) {
    std::vector<const Invocation*> chain;
    for (const Invocation* i = this; i; i = i->parent) chain.push_back(i);
    std::string list;
    for (size_t i = chain.size(); i-- > 0;)
      for (const auto& n : chain[i]->names) list.append(list.empty() ? "" : ", ").append(n);
    throw_lookup_error(fmt::format("Recursive lookup detected in [{}]", list));
  }
  if (depth > max_depth) {
    Diagnostic d;
    d.code = ErrorCode::stack_overflow;
    d.message = fmt::format("The lookup of '{}' is nested too deeply", name);
    throw CompileError(std::move(d));
  }
  names.emplace_back(name);
}

Value Interpolator::interpolate(const Value& value, Invocation& invocation, bool methods) const {
  Arena& arena = invocation.host.arena();
  switch (value.kind) {
  case Kind::String:
    if (value.str().find("%{") == std::string_view::npos) return value;
    return interpolate_string(value.str(), invocation, methods);
  case Kind::List: {
    ListBuilder out(arena, value.list->size);
    for (const Value& item : value.items()) out.add(interpolate(item, invocation, methods));
    return out.finish();
  }
  case Kind::Hash: {
    HashBuilder out(arena, value.hash->size);
    for (const auto& e : value.hash->entries()) {
      Value key = interpolate(e.key, invocation, methods);
      out.set(key, interpolate(e.value, invocation, methods));
    }
    return out.finish();
  }
  default: return value;
  }
}

std::string Interpolator::interpolate_text(std::string_view text, Invocation& invocation, bool methods) const {
  if (text.find("%{") == std::string_view::npos) return std::string(text);
  return ruby_to_s(invocation.host.types(), interpolate_string(text, invocation, methods));
}

Value Interpolator::interpolate_string(std::string_view subject, Invocation& invocation, bool methods) const {
  check_time_now(); // a few keys can name one another in more ways than anyone can wait for
  ExplainNode node(invocation.explainer, Explainer::Node::Interpolation, subject);
  std::string out;
  size_t at = 0;
  for (;;) {
    size_t open = subject.find("%{", at);
    size_t close = open == std::string_view::npos ? open : subject.find('}', open);
    if (close == std::string_view::npos) break;
    out += subject.substr(at, open - at);
    at = close + 1;
    std::string_view expression = trimmed(subject.substr(open + 2, close - open - 2));
    if (is_empty_expression(expression)) continue;
    auto [method, argument] = split_expression(expression);
    if (std::string problem = method_problem(method, methods, close + 1 - open == subject.size()); !problem.empty())
      throw_lookup_error(std::move(problem), true);
    const bool alias = method == "alias";
    Value value;
    std::string name(argument);
    if (method.empty() || method == "scope") {
      value = variable(argument, invocation, subject);
      name.insert(0, "scope:");
    } else if (alias || method == "lookup" || method == "hiera") {
      Invocation sub = invocation.sub(true);
      value = look_up(service, argument, sub).value_or(Value::string(""));
      if (alias) return value;
    } else {
      value = Value::string(argument); // literal
    }
    value = invocation.check(name, [&] { return interpolate(value, invocation, methods); });
    out += ruby_to_s(invocation.host.types(), value);
  }
  out += subject.substr(at);
  return Value::string(invocation.host.arena().copy(out));
}

Value Interpolator::variable(std::string_view key, Invocation& invocation, std::string_view subject) const {
  std::vector<Value> segments;
  if (!split_key(key, segments)) throw_lookup_error(fmt::format("Syntax error in string: {}", subject));
  std::string root = segments.front().is_int() ? std::to_string(segments.front().i) : std::string(segments.front().str());
  segments.erase(segments.begin());

  Explainer* explainer = invocation.explainer;
  Value value;
  {
    ExplainNode node(explainer, Explainer::Node::Scope, "Global Scope");
    const Value* known = invocation.override_values ? invocation.override_values->find(root) : nullptr;
    if (known) {
      value = *known;
      if (explainer) explainer->found_in_overrides(root, value);
    } else {
      auto local = std::find_if(invocation.local_variables.rbegin(), invocation.local_variables.rend(),
                                [&](const auto& v) { return v.first == root; });
      bool found = local != invocation.local_variables.rend();
      if (found)
        value = local->second;
      else if (invocation.version_3)
        found = version_3_variable(root, invocation.host, value);
      else
        found = invocation.host.variable(root, value);
      if (found) {
        if (explainer) explainer->found(root, value);
      } else {
        value = Value::undef();
        invocation.host.undefined_variable(root, invocation.in_location);
        known = invocation.default_values ? invocation.default_values->find(root) : nullptr;
        if (known) {
          value = *known;
          if (explainer) explainer->found_in_defaults(root, value);
        }
      }
    }
  }
  if (!value.is_undef() && !segments.empty()) {
    ExplainNode node(explainer, Explainer::Node::SubLookup, explainer ? shown_segments(segments) : std::string());
    if (!dig(key, segments, value, explainer)) value = Value::undef();
  }
  // No scope can hide facts and trusted data, and a name that starts with :: has the same value in every scope.
  bool same_everywhere = (!value.is_undef() && key.starts_with("::")) || root == "facts" || root == "trusted" || root == "server_facts";
  if (invocation.reads && !same_everywhere) {
    ReadVariable read;
    read.key = std::make_shared<const std::string>(key);
    read.root = std::move(root);
    read.value = value;
    if (split_key(*read.key, read.segments)) read.segments.erase(read.segments.begin());
    invocation.reads->push_back(std::move(read));
  }
  return value;
}

} // namespace pupc::compiler
