// What code asks of its methods and classes, and what the body of create_function may do beside defining methods.
#include "compiler/ruby/core/methods.h"
#include "compiler/ruby/interpreter/interpreter.h"
#include "compiler/ruby/interpreter/restore.h"

#include <fmt/format.h>

#include <algorithm>

namespace pupc::compiler::ruby {
namespace {

/// What a method or Proc runs; null for an attribute and for what Ruby has.
const Code* code_of(const RubyProc& proc) {
  if (proc.defined == nullptr) return proc.node;
  if (proc.defined->def != nullptr) return proc.defined->def;
  return proc.defined->proc != nullptr ? proc.defined->proc->node : nullptr;
}

std::string_view parameter_kind(const Node& p, bool strict) {
  switch (p.type) {
  case NodeType::TargetDefault: return "opt";
  case NodeType::TargetSplat: return "rest";
  case NodeType::TargetKeyword: return p.as<OptionalParameter>().default_value == nullptr ? "keyreq" : "key";
  case NodeType::TargetKeywords: return "keyrest";
  case NodeType::TargetBlock: return "block";
  default: return strict ? "req" : "opt";
  }
}

/// Its name; "" for one without.
std::string_view parameter_name(const Node& p) {
  if (const auto* variable = p.to<LocalVariable>()) return variable->name;
  if (const auto* optional = p.to<OptionalParameter>()) return parameter_name(*optional->target);
  const auto* rest = p.to<RestTarget>();
  return rest != nullptr && rest->target != nullptr ? parameter_name(*rest->target) : std::string_view();
}

} // namespace

bool Interpreter::proc_question(const MethodCall& c, RubyValue& out) {
  const RubyProc& proc = *c.self.proc;
  const Code* code = code_of(proc);
  const bool strict = proc.lambda || proc.defined != nullptr;
  if (c.name == "parameters" && c.args.empty() && code != nullptr) {
    std::vector<RubyValue> all;
    std::vector<const Node*> parameters(code->parameters.begin(), code->parameters.end());
    // Keywords that must be given come before the others.
    std::ranges::stable_sort(parameters, {}, [](const Node* p) {
      if (p->type == NodeType::TargetKeyword) return p->as<OptionalParameter>().default_value == nullptr ? 1 : 2;
      return p->type == NodeType::TargetKeywords || p->type == NodeType::TargetBlock ? 3 : 0;
    });
    for (const Node* parameter : parameters) {
      const Node& p = *parameter;
      std::vector<RubyValue> one{heap.symbol(parameter_kind(p, strict))};
      if (const std::string_view name = parameter_name(p); !name.empty())
        one.push_back(heap.symbol(name));
      else if (p.type != NodeType::TargetMany)
        not_rendered(c.line, "the name of such a parameter");
      all.push_back(list(std::move(one)));
    }
    out = list(std::move(all));
    return true;
  }
  if (!proc.bound) return false;
  if (c.name == "arity" && c.args.empty() && proc.defined != nullptr) {
    if (code == nullptr && proc.defined->attribute.empty()) return false;
    out = RubyValue::integer(code != nullptr ? arity_of(*code, true) : proc.defined->sets);
    return true;
  }
  if ((c.name == "name" || c.name == "original_name") && c.args.empty()) {
    out = heap.symbol(proc.name);
    return true;
  }
  if (c.name == "owner" && c.args.empty() && proc.defined != nullptr && proc.defined->owner != nullptr) {
    out = RubyValue::of(proc.defined->owner);
    return true;
  }
  if (c.name == "receiver" && c.args.empty() && !proc.unbound) {
    out = proc.self;
    return true;
  }
  if (c.name == "unbind" && c.args.empty() && proc.defined != nullptr) {
    RubyProc& copy = procs.emplace_back(proc);
    copy.unbound = true;
    out = RubyValue::of(&copy);
    return true;
  }
  if ((c.name == "bind" || c.name == "bind_call") && proc.unbound && !c.args.empty()) {
    RubyProc& copy = procs.emplace_back(proc);
    copy.unbound = false;
    copy.self = c.args[0];
    out = c.name == "bind" ? RubyValue::of(&copy) : call_proc(copy, c.args.subspan(1), c.line, c.keywords, c.block);
    return true;
  }
  return false;
}

/// Module#instance_method.
RubyValue Interpreter::unbound_method(const RubyModule& module, std::string_view name, uint32_t line) {
  const RubyMethod* found = lookup_method(module, name);
  if (found == nullptr || !found->ruby_name.empty()) not_rendered(line, fmt::format("instance_method(:{})", name));
  RubyProc& proc = procs.emplace_back();
  proc.defined = &spare_methods_.emplace_back(*found);
  proc.bound = proc.unbound = proc.lambda = true;
  proc.name = own_name(std::string(name));
  proc.method = find_method(name);
  return RubyValue::of(&proc);
}

/// What code may do in the block of create_function: it is the body of a class, of which the function is the object.
bool Interpreter::class_body_function(const MethodCall& c, RubyValue& out) {
  auto name_of = [&](size_t i) -> std::string_view {
    if (i >= c.args.size() || !(c.args[i].is_symbol() || c.args[i].is_string())) not_rendered(c.line, fmt::format("'{}'", c.name));
    return own_name(std::string(c.args[i].text()));
  };
  RubyMethod method;
  method.program = program_;
  if (c.name == "define_method") {
    method.proc = c.args.size() > 1 && c.args[1].is(RubyKind::Proc) ? c.args[1].proc : c.block;
    if (method.proc == nullptr) not_rendered(c.line, "define_method without a block");
    method.nesting = method.proc->nesting;
    methods_[name_of(0)] = method.proc->defined != nullptr ? *method.proc->defined : std::move(method);
    out = heap.symbol(name_of(0));
    return true;
  }
  if (c.name == "alias_method") {
    const auto known = methods_.find(name_of(1));
    if (known == methods_.end()) not_rendered(c.line, "an alias of an unknown method");
    const RubyMethod copy = known->second;
    methods_[name_of(0)] = copy;
    return true;
  }
  if (c.name == "attr_reader" || c.name == "attr_accessor" || c.name == "attr_writer") {
    for (size_t i = 0; i < c.args.size(); ++i) {
      method.attribute = name_of(i);
      method.sets = false;
      if (c.name != "attr_writer") methods_[name_of(i)] = method;
      method.sets = true;
      if (c.name != "attr_reader") methods_[own_name(fmt::format("{}=", name_of(i)))] = method;
    }
    return true;
  }
  if (c.name == "include") {
    for (const RubyValue& module : c.args) {
      if (!module.is(RubyKind::Module)) not_rendered(c.line, "include of this value");
      std::vector<const RubyModule*> all{module.module};
      for (size_t i = 0; i < all.size(); ++i) {
        for (const RubyValue& more : all[i]->included)
          if (more.is(RubyKind::Module)) all.push_back(more.module);
        for (const auto& [name, included] : all[i]->methods) {
          RubyMethod own = included;
          own.owner = nullptr;
          methods_.try_emplace(own_name(name), std::move(own));
        }
      }
    }
    return true;
  }
  // dispatches call with `send`, which ignores privacy
  return c.name == "private" || c.name == "public" || c.name == "protected" || c.name == "private_constant";
}

} // namespace pupc::compiler::ruby
