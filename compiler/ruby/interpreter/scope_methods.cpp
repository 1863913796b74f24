// What Ruby code does with the scope: variables, Puppet functions, templates that render templates.
#include "compiler/ruby/interpreter/interpreter.h"
#include "compiler/ruby/values/known_methods.h"

#include "catalog/base/stack.h"
#include "catalog/value/inspect.h"
#include "catalog/value/number_format.h"
#include "compiler/types/given_back.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace pupc::compiler::ruby {

RubyValue Interpreter::scope_variable(std::string_view name, uint32_t line) {
  for (const auto& [own, value] : own_variables_)
    if (own == name) return value;
  Value v;
  if (host.lookup_variable(name, v)) {
    RubyValue found = from_puppet(v);
    if (is_changeable(v)) read_.emplace_back(std::string(name), found);
    return found;
  }
  bool numeric = !name.empty() && name.find_first_not_of("0123456789") == std::string_view::npos;
  if (numeric) return {};
  if (catches_unknown_ > 0 && name.find(':') == std::string_view::npos) throw ThrowJump{heap.symbol("undefined_variable"), {}};
  RubyHost::Unknown unknown_name = host.unknown_variable(name);
  if (unknown_name.needs_ruby) not_rendered(line, fmt::format("the unknown variable '{}'", name));
  if (!unknown_name.error.empty()) throw RubyError{line, std::move(unknown_name.error), RubyClass::ArgumentError};
  return {};
}

bool Interpreter::scope_includes(std::string_view name) {
  for (const auto& [own, value] : own_variables_)
    if (own == name) return !value.is_nil();
  Value v;
  return host.lookup_variable(name, v) && !v.is_undef();
}

RubyValue Interpreter::scope_method(const MethodCall& c) {
  switch (c.method) {
  case MethodId::Index:
  case MethodId::m_lookupvar: need(c, 1); return scope_variable(string_argument(c, 0), c.line);
  case MethodId::m_include_p: need(c, 1); return RubyValue::boolean(scope_includes(string_argument(c, 0)));
  case MethodId::IndexSet:
  case MethodId::m_setvar: return set_variable(c);
  case MethodId::m_to_hash: need(c, 0); return all_variables();
  case MethodId::m_call_function: {
    need(c, 2);
    std::vector<RubyValue> args;
    if (c.args[1].is_array())
      args = c.args[1].a->items;
    else if (c.args[1].is_hash()) // Puppet splats it (*hash), which gives its pairs
      items_of(c.args[1], args, c.line);
    else if (c.args[1].is(RubyKind::Range) || c.args[1].is(RubyKind::Foreign))
      unknown(c);
    else if (!c.args[1].is_nil())
      args = {c.args[1]};
    return call_function(c.args[0].is_symbol() ? c.args[0].text() : string_argument(c, 0), args, false, c.line, c.block);
  }
  case MethodId::m_send:
  case MethodId::m_public_send: {
    if (c.args.empty() || !(c.args[0].is_symbol() || c.args[0].is_string())) unknown(c);
    const std::string_view name = c.args[0].text();
    const MethodId method = name.starts_with("function_") ? MethodId::m_function : find_method(name);
    return scope_method({c.self, method, name, c.args.subspan(1), c.block, c.line});
  }
  case MethodId::m_function: // function_NAME
    need(c, 1);
    if (!c.args[0].is_array()) unknown(c);
    return call_function(c.name.substr(sizeof("function_") - 1), c.args[0].a->items, true, c.line, c.block);
  default:
    if (HostObject* scope = host.scope_object()) return host_method({RubyValue::of(scope), c.method, c.name, c.args, c.block, c.line});
    unknown(c);
  }
}

/// scope.setvar: code of the same call reads the very object back, not a copy. Templates use that to pass hashes to each other.
RubyValue Interpreter::set_variable(const MethodCall& c) {
  need(c, 2);
  std::string name(string_argument(c, 0));
  bool simple = !name.empty() && name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == std::string::npos;
  for (const auto& [own, value] : own_variables_) simple &= own != name;
  if (!simple || !host.can_set_variable(name)) not_rendered(c.line, "scope.setvar of this variable");
  pending_variables_.emplace_back(name, to_puppet(c.args[1], c.line));
  own_variables_.emplace_back(std::move(name), c.args[1]);
  return c.args[1];
}

RubyValue Interpreter::all_variables() {
  RubyValue hash = heap.hash();
  for (const HashEntry& entry : host.all_variables().hash->entries()) {
    RubyValue value;
    if (entry.value.is_list() || entry.value.is_hash()) {
      // Each call gives a new hash of the same objects, so what the template changes in one is changed in the next.
      const auto known = std::find_if(read_.begin(), read_.end(), [&](const auto& read) { return read.first == entry.key.str(); });
      value = known != read_.end() ? known->second : from_puppet(entry.value);
      if (known == read_.end()) read_.emplace_back(std::string(entry.key.str()), value);
    } else {
      value = from_puppet(entry.value);
    }
    RubyValue key = str(std::string(entry.key.str()));
    key.s->frozen = true;
    hash.h->set(key, value);
  }
  for (const auto& [name, value] : own_variables_) hash.h->set(str(name), value);
  return hash;
}

/// Renders a template for another template. Both share their objects, because in Puppet one Ruby process runs both.
RubyValue Interpreter::render_nested(const RubyScript& program, std::string_view path) {
  struct Outer {
    Interpreter& i;
    const RubyScript* program;
    std::string_view path;
    LocalScope* environ;
    const void* target;
    MethodFrame* method;
    RubyValue match, self;
    const Nesting* nesting;
    size_t own_visible;
    NamedValues instance_variables;
    std::string out;
    ~Outer() {
      i.program_ = program;
      i.path_ = path;
      i.environ_ = environ;
      i.break_target_ = target;
      i.method_ = method;
      i.last_match = match;
      i.self_ = self;
      i.nesting_ = nesting;
      i.own_visible_ = own_visible;
      i.instance_variables_ = std::move(instance_variables);
      i.out_ = std::move(out);
      --i.depth_;
    }
  } outer{*this,
          program_,
          path_,
          environ_,
          break_target_,
          method_,
          last_match,
          self_,
          nesting_,
          own_visible_,
          std::move(instance_variables_),
          std::move(out_)};
  ++depth_;
  own_visible_ = own_variables_.size();
  instance_variables_.clear();
  out_.clear();
  program_ = &program;
  forget_found(); // of a template that was rendered before, whose nodes may be gone
  path_ = path;
  environ_ = make_environ(nullptr, program.slots);
  break_target_ = nullptr;
  method_ = nullptr;
  last_match = {};
  self_ = own_self();
  nesting_ = nullptr;
  try {
    eval(program.body);
  } catch (const RubyError& error) {
    if (host.has_ruby()) not_rendered(error.line, "an error in a template of a template"); // Puppet's message names both templates
    throw;
  }
  return str(std::move(out_));
}

/// Calls a function with effects. What the code did before has to be visible to it, in Puppet's order.
RubyValue Interpreter::call_with_effects(std::string_view name, std::span<const RubyValue> args, bool old_api, uint32_t line,
                                         bool own_block) {
  if (!host.function_exists(name)) not_rendered(line, fmt::format("the function {}", name));
  check_nothing_waits(line, fmt::format("the function {}", name));
  std::vector<Value> values;
  for (const RubyValue& arg : args) values.push_back(argument_from_ruby(host.arena(), name, to_puppet(arg, line)));
  return from_puppet(host.call_with_effects(name, values, old_api, own_block));
}

/// A block of the code's as a Puppet function gets it.
RubyHost::Block Interpreter::block_for_puppet(const RubyProc& block, uint32_t line) {
  if (block.node == nullptr) not_rendered(line, "a method as the block of a Puppet function");
  RubyHost::Block out;
  out.line = line;
  for (const Node* p : block.node->parameters) {
    const bool any = p->type == NodeType::TargetSplat;
    if (p->type == NodeType::TargetBlock) continue;
    if (p->type != NodeType::TargetLocal && p->type != NodeType::TargetMany && p->type != NodeType::TargetDefault && !any)
      not_rendered(line, "keywords of the block of a Puppet function");
    out.least += block.lambda && !any && p->type != NodeType::TargetDefault;
    out.most = any || out.most < 0 ? -1 : out.most + 1;
  }
  out.call = [this, &block, line](std::span<const Value> args) {
    std::vector<RubyValue> values;
    for (const Value& arg : args) values.push_back(from_puppet(arg));
    return to_puppet(call_proc(block, values, line), line);
  };
  return out;
}

RubyValue Interpreter::call_function(std::string_view name, std::span<const RubyValue> args, bool old_api, uint32_t line,
                                     const RubyProc* block, bool for_itself) {
  struct Caller {
    RubyHost& host;
    bool before;
    ~Caller() { host.calls_for_itself(before); }
  } caller{host, host.calls_for_itself(for_itself)};
  if (name.starts_with("::")) name.remove_prefix(2);
  const FunctionUse use = host.functions().use_of(name, old_api);
  const bool own_block = block != nullptr && block->of_host, ruby_block = block != nullptr && !own_block;
  if (ruby_block && (use == FunctionUse::Effects || use == FunctionUse::Log))
    not_rendered(line, fmt::format("a block for the function {}", name));
  if (use == FunctionUse::Effects) {
    if (own_block || method_ != outermost_ || !program_->last_calls.contains(running_))
      return call_with_effects(name, args, old_api, line, own_block);
    LastCall last{host.keep(std::string(name)), {}, old_api, for_itself};
    for (const RubyValue& arg : args) last.args.push_back(argument_from_ruby(host.arena(), name, to_puppet(arg, line)));
    throw last;
  }
  if (use == FunctionUse::Log) {
    if (old_api) not_rendered(line, fmt::format("method 'function_{}', which Puppet does not have any more", name));
    std::string text;
    for (size_t i = 0; i < args.size(); ++i) {
      if (i > 0) text += ' ';
      text += to_s(args[i], line);
    }
    std::optional<LogLevel> level = find_log_level(name);
    if (!level) not_rendered(line, fmt::format("the function {}", name));
    logs.push_back({*level, text, host.scope_text()});
    return str(std::move(text)); // the result of Puppet's 3.x functions, which no code uses
  }
  if (name == "fail") {
    std::string text;
    for (size_t i = 0; i < args.size(); ++i) text += (i > 0 ? " " : "") + to_s(args[i], line);
    throw RubyError{line, std::move(text), RubyClass::ParseError};
  }
  if (name == "template" || name == "inline_template") {
    std::string all;
    for (const RubyValue& arg : args) {
      if (!arg.is_string()) not_rendered(line, fmt::format("{}() of something else than a string", name));
      RubyHost::TemplateFile file;
      if (name == "template") {
        file = host.find_template(arg.s->text);
        if (file.path.empty()) throw RubyError{line, fmt::format("Could not find template '{}'", arg.s->text)};
        if (file.text == nullptr) not_rendered(line, fmt::format("the template {}, which cannot be read", file.path));
      }
      if (depth_ > 50) not_rendered(line, "templates that render each other without end");
      const RubyScript* program = host.parse_template(file.text ? std::string_view(*file.text) : std::string_view(arg.s->text));
      if (program == nullptr) return call_with_effects(name, args, false, line, false); // in a function: as a function
      if (!program->problems.empty()) not_rendered(line, fmt::format("the template {}: {}", arg.s->text, program->problems[0]));
      all += render_nested(*program, host.keep(std::move(file.path))).s->text;
    }
    return str(std::move(all));
  }
  if (old_api && !host.in_old_api(name)) not_rendered(line, fmt::format("the function {}", name));
  std::vector<Value> values;
  for (const RubyValue& arg : args) values.push_back(argument_from_ruby(host.arena(), name, to_puppet(arg, line)));
  // Without Ruby nothing runs the code again, so every function is called only once.
  if (use == FunctionUse::Unknown && host.has_ruby() && !host.harmless(name, values)) {
    if (ruby_block) not_rendered(line, fmt::format("a block for the function {}", name)); // Ruby's code would not see what it does
    return call_with_effects(name, args, old_api, line, own_block);
  }
  try {
    if (ruby_block) {
      const RubyHost::Block given = block_for_puppet(*block, line);
      return from_puppet(host.call_function(name, values, old_api, false, &given));
    }
    return from_puppet(host.call_function(name, values, old_api, own_block));
  } catch (CompileError& error) {
    if (program_->self == Self::Template && error.diagnostic.file.empty())
      error.diagnostic.line = line; // the template's line, for the message around the error
    throw;
  }
}

} // namespace pupc::compiler::ruby
