// Blocks, lambdas and methods that Ruby code defines: how they take their arguments and are called.
#include "compiler/ruby/interpreter/interpreter.h"
#include "compiler/ruby/interpreter/restore.h"

#include "compiler/types/lookup_context.h"

#include "catalog/base/limits.h"
#include "catalog/base/stack.h"
#include "compiler/types/runtime_object.h"

#include <fmt/format.h>

namespace pupc::compiler::ruby {

/// A Proc of this place: its variables, self, method and constants.
RubyProc& Interpreter::proc_here() {
  RubyProc& proc = procs.emplace_back();
  proc.environ = environ_;
  proc.frame = method_;
  proc.program = program_;
  proc.self = self_;
  proc.nesting = nesting_;
  return proc;
}

/// Makes the block for a call from its Block or BlockPass node; null for `&nil`.
const RubyProc* Interpreter::block_of(const Node& node) {
  if (node.type == NodeType::BlockPass) {
    RubyValue v = eval(node.as<Unary>().operand);
    if (v.is_nil()) return nullptr;
    if (v.is(RubyKind::Proc)) return v.proc;
    if (v.is_hash()) { // hash.to_proc
      RubyProc& proc = procs.emplace_back();
      proc.method = MethodId::Index;
      proc.name = "[]";
      proc.self = v;
      proc.bound = true;
      proc.lambda = true;
      return &proc;
    }
    if (v.is(RubyKind::Object)) v = call_method({v, MethodId::m_to_proc, "to_proc", {}, nullptr, node.line});
    if (v.is(RubyKind::Proc)) return v.proc;
    if (!v.is_symbol()) not_rendered(node.line, "& with something else than a symbol or a Proc");
    RubyProc& proc = procs.emplace_back();
    proc.method = find_method(v.s->text);
    proc.name = v.s->text;
    return &proc;
  }
  RubyProc& proc = proc_here();
  proc.node = &node.as<Block>();
  return &proc;
}

RubyValue Interpreter::call_proc(const RubyProc& proc, std::span<const RubyValue> args, uint32_t line, bool keywords,
                                 const RubyProc* block) {
  step(line);
  if (proc.node != nullptr && proc.program == program_) return run_block(proc, args, line, keywords, block);
  if (proc.of_host) {
    std::vector<Value> values;
    for (const RubyValue& arg : args) values.push_back(to_puppet(arg, line));
    return from_puppet(host.call_block(values));
  }
  if (proc.unbound) not_rendered(line, "a call of an UnboundMethod");
  if (proc.defined != nullptr)
    return call_defined(*proc.defined, {proc.self, proc.method, proc.name, args, block, line, keywords, proc.self.is(RubyKind::Instance)});
  if (proc.bound) return call_named(proc.self, proc.name, {proc.self, proc.method, proc.name, args, block, line, keywords, true});
  if (proc.node == nullptr) {
    if (proc.collected != nullptr) {
      proc.collected->push_back(args.size() == 1 ? args[0] : args.empty() ? RubyValue() : list({args.begin(), args.end()}));
      return {};
    }
    if (args.empty()) not_rendered(line, "a method as block without arguments");
    return call_method({args[0], proc.method, proc.name, args.subspan(1), nullptr, line});
  }
  if (program_->library && proc.program != nullptr && !proc.program->library) { // its errors are the code's own
    try {
      return run_block(proc, args, line, keywords, block);
    } catch (RubyError& error) {
      error.of_block = true;
      throw;
    }
  }
  return run_block(proc, args, line, keywords, block);
}

/// Runs the body of a block or lambda. `own`: the block that it is given itself.
RubyValue Interpreter::run_block(const RubyProc& proc, std::span<const RubyValue> args, uint32_t line, bool keywords, const RubyProc* own) {
  if (proc.lambda) return call_lambda(proc, args, line, keywords, own);
  const Block& block = *proc.node;
  const Restore restore(*this);
  self_ = proc.self;
  nesting_ = proc.nesting;
  RubyValue few[8];
  LocalScope here{proc.environ, few}; // enough where nothing outlives the block: an iterator calls it very often
  environ_ = block.outlived || block.slots > static_cast<int32_t>(std::size(few)) ? make_environ(proc.environ, block.slots) : &here;
  break_target_ = &proc;
  method_ = proc.frame;
  if (proc.program != nullptr) program_ = proc.program;
  const NodeList& targets = block.parameters;
  if (block.plain && args.size() == targets.size() && (args.size() > 1 || !block.takes_first)) {
    for (size_t i = 0; i < args.size(); ++i) slot(targets[i]->as<LocalVariable>()) = args[i];
  } else if (!targets.empty()) {
    bind_block(block, args, keywords, own, line);
  }
  try {
    return eval_body(block.body);
  } catch (const NextJump& jump) { return jump.value; }
}

/// Assigns the arguments to the parameters of a block that is no lambda.
void Interpreter::bind_block(const Block& block, std::span<const RubyValue> args, bool keywords, const RubyProc* own, uint32_t line) {
  const NodeList& targets = block.parameters;
  bool splat = false, plain = true;
  for (const Node* t : targets) {
    splat |= t->type == NodeType::TargetSplat;
    plain &= t->type == NodeType::TargetLocal || t->type == NodeType::TargetMany || t->type == NodeType::TargetSplat;
  }
  if (!plain) {
    bool several = targets.size() - (targets.back()->type == NodeType::TargetBlock) > 1;
    if (args.size() == 1 && args[0].is_array() && several) {
      std::vector<RubyValue> items = args[0].a->items;
      bind(targets, items, false, own, false, line);
    } else {
      bind(targets, args, keywords, own, false, line);
    }
  } else if (args.size() == 1 && args[0].is_array() && (targets.size() > 1 || block.takes_first)) {
    assign_many(targets, args[0]);
  } else if (splat || (targets.size() > 1 && args.size() != targets.size())) {
    assign_many(targets, list(std::vector<RubyValue>(args.begin(), args.end())));
  } else {
    for (size_t i = 0; i < targets.size(); ++i) assign(*targets[i], i < args.size() ? args[i] : RubyValue());
  }
}

RubyValue Interpreter::make_lambda(const Block& block) {
  RubyProc& proc = proc_here();
  proc.node = &block;
  proc.lambda = true;
  return RubyValue::of(&proc);
}

RubyValue Interpreter::call_lambda(const RubyProc& proc, std::span<const RubyValue> args, uint32_t /*line*/, bool keywords,
                                   const RubyProc* own) {
  auto* frame = new (slots_.allocate(sizeof(MethodFrame), alignof(MethodFrame))) MethodFrame;
  frame->block = proc.frame != nullptr ? proc.frame->block : nullptr;
  const Restore restore(*this, frame);
  const Block& block = *proc.node;
  environ_ = make_environ(proc.environ, block.slots);
  break_target_ = nullptr;
  method_ = frame;
  self_ = proc.self;
  nesting_ = proc.nesting;
  if (proc.frame != nullptr) {
    frame->method = proc.frame->method;
    frame->args = proc.frame->args;
    frame->has_args = proc.frame->has_args;
  }
  if (proc.program != nullptr) program_ = proc.program;
  if (outermost_ == nullptr) outermost_ = frame;
  bind(block.parameters, args, keywords, own, true, block.line);
  try {
    return eval_body(block.body);
  } catch (const NextJump& jump) { return jump.value; } catch (const ReturnJump& jump) {
    if (jump.target != frame) throw;
    return jump.value;
  }
}

/// After a method that context.not_found has ended: ends the method that has called it, too.
void Interpreter::pass_on_miss(const Call* call, std::string_view name) {
  if (call != nullptr && call->ends && call->receiver == nullptr && call->name == name) {
    leaving_ = true;
    return;
  }
  missed_ = nullptr;
  throw KeyNotFoundSignal{};
}

/// Ruby shows the line of a NameError where it has the file, as it has of what is required.
static void hide_excerpt(RubyError& error) {
  if (!descends(error.class_, RubyClass::NameError) || error.unworded) return;
  error.unworded = true;
  error.message = "an error with an excerpt of a file";
  if (error.object != nullptr) error.object->unworded = true;
}

/// Calls what an alias names, a method of Ruby's own.
RubyValue Interpreter::call_alias(const RubyMethod& defined, const MethodCall& c) {
  RubyValue out;
  const MethodCall as_ruby{c.self, find_method(defined.ruby_name), defined.ruby_name, c.args, c.block, c.line, c.keywords, true};
  if (c.self.is(RubyKind::Object) || c.self.is(RubyKind::Exception) || c.self.is(RubyKind::Module)) {
    if (any_object_method(as_ruby, out)) return out;
    if (c.self.is(RubyKind::Module) && as_ruby.method == MethodId::m_new && find_singleton(*c.self.module, "new") == nullptr)
      return make_object(*c.self.module, as_ruby);
    not_rendered(c.line, fmt::format("method '{}'", defined.ruby_name));
  }
  return call_native(as_ruby);
}

/// Calls a method that the code defines.
/// A call of a method that only passes its arguments on (RubyMethod::primitive). False: they are not as many, or Ruby takes it.
bool Interpreter::call_primitive(const RubyMethod& defined, const MethodCall& c, RubyValue& out) {
  const NodeList& parameters = defined.def->parameters;
  if (c.block != nullptr || c.keywords || c.args.size() > parameters.size()) return false;
  RubyValue args[Call::most_plain] = {c.self};
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (i < c.args.size())
      args[i + 1] = c.args[i];
    else if (parameters[i]->type != NodeType::TargetDefault)
      return false;
  }
  step(c.line);
  try {
    out = defined.primitive(*this, {RubyValue::of(RubyClass::Primitives), c.method, c.name,
                                    std::span<const RubyValue>(args, parameters.size() + 1), nullptr, c.line});
    return true;
  } catch (const LibraryCall&) { // Ruby words it, as what any method of the library raises
    not_rendered(c.line, fmt::format("an error in '{}'", c.name));
  } catch (const RubyError&) { not_rendered(c.line, fmt::format("an error in '{}'", c.name)); }
}

RubyValue Interpreter::call_defined(const RubyMethod& defined, const MethodCall& c) {
  if (RubyValue out; defined.primitive != nullptr && call_primitive(defined, c, out)) return out;
  if (!defined.attribute.empty()) {
    NamedValues* variables = c.self.is(RubyKind::Instance) || c.self.is_nil() ? &instance_variables_ : variables_of(c.self);
    need(c, defined.sets ? 1 : 0);
    if (variables == nullptr) not_rendered(c.line, "an attribute of this value");
    if (defined.sets) {
      variables == &instance_variables_ ? note_assignment(defined.attribute) : check_lasting(c.self, c.line);
      note_variable(c.self, defined.attribute);
      return (*variables)[defined.attribute] = c.args[0];
    }
    const auto known = variables->find(defined.attribute);
    return known == variables->end() ? RubyValue() : known->second;
  }
  if (!defined.ruby_name.empty()) return call_alias(defined, c);
  if (defined.proc != nullptr) { // define_method: self is the receiver, `return` leaves it
    RubyProc copy = *defined.proc;
    if (copy.node == nullptr) return call_proc(copy, c.args, c.line, c.keywords);
    copy.self = defined.owner == nullptr && c.function ? self_ : c.self;
    copy.lambda = true;
    MethodFrame frame;
    frame.block = c.block;
    frame.method = &defined;
    copy.frame = &frame;
    RubyProc& kept = procs.emplace_back(copy);
    try {
      const RubyValue out = call_proc(kept, c.args, c.line, c.keywords, c.block);
      kept.frame = nullptr;
      return out;
    } catch (...) {
      kept.frame = nullptr;
      throw;
    }
  }
  const Def& def = *defined.def;
  const Call* const called = running_;
  const MethodFrame* const caller = method_;
  step(c.line);
  if (native_stack_low()) not_rendered(c.line, "nesting that is too deep");
  auto* frame = new (slots_.allocate(sizeof(MethodFrame), alignof(MethodFrame))) MethodFrame;
  frame->block = c.block;
  frame->method = &defined;
  if (defined.owner != nullptr) {
    frame->args = c.args;
    frame->has_args = true;
    frame->keywords = c.keywords;
  }
  const Restore restore(*this, frame);
  if (defined.owner != nullptr || !c.function) self_ = c.self;
  nesting_ = defined.nesting;
  visibility_ = Visibility::Public;
  module_function_ = false;
  struct RestoreMatch {
    RubyValue& last;
    RubyValue match;
    ~RestoreMatch() { last = match; }
  } restore_match{last_match, last_match};
  frame->environ = environ_ = make_environ(nullptr, def.slots);
  break_target_ = nullptr;
  method_ = frame;
  if (outermost_ == nullptr) outermost_ = frame;
  last_match = {};
  const bool from_library = program_->library;
  const bool elsewhere = std::exchange(program_, defined.program) != defined.program;
  try {
    bind(def.parameters, c.args, c.keywords, c.block, true, def.line); // Ruby names the method's own line
    const RubyValue result = eval_body(def.body);
    if (missed_ != nullptr && caller != nullptr) pass_on_miss(called, c.name);
    return result;
  } catch (const ReturnJump& jump) {
    if (jump.target != frame) throw;
    return jump.value;
  } catch (NeedsRuby& beyond) {
    if (defined.program->library && !from_library) beyond.line = c.line; // the code's own line, not one of the library's text
    throw;
  } catch (RubyError& error) {
    if (defined.program->library) { // Ruby words it, unless the code's own block has raised it or the method means to
      if (from_library) { // what a method raises for its caller is no answer of a method that calls it; __name is a part of its caller
        error.meant = error.meant && (error.unworded || c.name.starts_with("__") || c.name == "initialize");
        throw;
      }
      if (!error.of_block && !error.meant) not_rendered(c.line, fmt::format("an error in '{}'", c.name));
      error.line = c.line;
      throw;
    }
    if (required_programs_.contains(defined.program)) hide_excerpt(error);
    if (elsewhere && defined.owner == nullptr && host.has_ruby())
      not_rendered(error.line, "an error in a method of another template"); // Puppet names that template
    throw;
  }
}

/// Assigns the arguments to the parameters. `strict`: for a method or lambda, where the number of arguments must fit. A block that is not
/// strict accepts fewer or more arguments than it has parameters.
void Interpreter::bind(const NodeList& parameters, std::span<const RubyValue> args, bool keywords, const RubyProc* block, bool strict,
                       uint32_t line) {
  size_t required = 0, optional = 0;
  bool splat = false, has_keywords = false;
  for (const Node* p : parameters) {
    required += p->type == NodeType::TargetLocal || p->type == NodeType::TargetMany;
    optional += p->type == NodeType::TargetDefault;
    splat |= p->type == NodeType::TargetSplat;
    has_keywords |= p->type == NodeType::TargetKeyword || p->type == NodeType::TargetKeywords;
  }
  if (required == parameters.size() && required == args.size()) { // as most methods have them
    for (size_t i = 0; i < required; ++i) assign(*parameters[i], args[i]);
    return;
  }
  RubyHash* named = nullptr;
  if (has_keywords && keywords) {
    named = args.back().h;
    args = args.first(args.size() - 1);
  }
  if (args.size() < required || (!splat && args.size() > required + optional)) {
    if (strict) {
      if (program_->library) not_rendered(line, "a wrong number of arguments");
      for (const Node* p : parameters)
        if (p->type == NodeType::TargetKeyword || p->type == NodeType::TargetKeywords) not_rendered(line, "a wrong number of arguments");
      throw RubyError{line,
                      fmt::format("wrong number of arguments (given {}, expected {}{})", args.size(), required,
                                  splat          ? "+"
                                  : optional > 0 ? fmt::format("..{}", required + optional)
                                                 : ""),
                      RubyClass::ArgumentError};
    }
  }
  std::vector<RubyValue> padded;
  if (args.size() < required) {
    padded.assign(args.begin(), args.end());
    padded.resize(required);
    args = padded;
  }
  size_t for_optional = std::min(optional, args.size() - required), at = 0, taken_keywords = 0;
  size_t for_splat = splat ? args.size() - required - for_optional : 0;
  RubyValue rest_of_keywords;
  for (const Node* p : parameters) {
    switch (p->type) {
    case NodeType::TargetDefault: {
      const auto& parameter = p->as<OptionalParameter>();
      if (for_optional > 0) {
        --for_optional;
        assign(*parameter.target, args[at++]);
      } else {
        assign(*parameter.target, eval(parameter.default_value));
      }
      break;
    }
    case NodeType::TargetSplat:
      if (const Node* target = p->as<RestTarget>().target)
        assign(*target, list(std::vector<RubyValue>(args.begin() + static_cast<ptrdiff_t>(at),
                                                    args.begin() + static_cast<ptrdiff_t>(at + for_splat))));
      at += for_splat;
      break;
    case NodeType::TargetKeyword: {
      const auto& parameter = p->as<OptionalParameter>();
      RubyValue* given = named != nullptr ? named->find(heap.symbol(parameter.name)) : nullptr;
      taken_keywords += given != nullptr;
      if (given == nullptr && parameter.default_value == nullptr) missing_keywords(parameters, named, line);
      assign(*parameter.target, given != nullptr ? *given : eval(parameter.default_value));
      break;
    }
    case NodeType::TargetKeywords: {
      RubyValue rest = heap.hash();
      if (named != nullptr)
        for (const auto& [key, value] : named->entries()) {
          bool taken = false;
          for (const Node* other : parameters)
            taken |= other->type == NodeType::TargetKeyword && key.is_symbol() && key.s->text == other->as<OptionalParameter>().name;
          if (!taken) rest.h->set(key, value);
        }
      taken_keywords += rest.h->entries().size();
      if (const Node* target = p->as<RestTarget>().target) assign(*target, rest);
      break;
    }
    case NodeType::TargetBlock:
      if (const Node* target = p->as<RestTarget>().target)
        assign(*target, block != nullptr ? RubyValue::of(const_cast<RubyProc*>(block)) : RubyValue());
      break;
    default: assign(*p, args[at++]);
    }
  }
  if (named != nullptr && taken_keywords != named->entries().size()) unknown_keywords(parameters, *named, line);
}

static std::string keyword_error(std::string_view what, const std::vector<std::string>& names) {
  return fmt::format("{} keyword{}: {}", what, names.size() == 1 ? "" : "s", fmt::join(names, ", "));
}

/// Raises the ArgumentError of keywords that have to be given.
void Interpreter::missing_keywords(const NodeList& parameters, RubyHash* named, uint32_t line) {
  if (program_->library) not_rendered(line, "a missing keyword");
  std::vector<std::string> names;
  for (const Node* p : parameters)
    if (p->type == NodeType::TargetKeyword)
      if (const auto& keyword = p->as<OptionalParameter>();
          keyword.default_value == nullptr && (named == nullptr || named->find(heap.symbol(keyword.name)) == nullptr))
        names.push_back(inspect_symbol(keyword.name));
  throw RubyError{line, keyword_error("missing", names), RubyClass::ArgumentError};
}

/// Raises the ArgumentError of keywords that no parameter takes.
void Interpreter::unknown_keywords(const NodeList& parameters, RubyHash& named, uint32_t line) {
  if (program_->library) not_rendered(line, "an unknown keyword");
  std::vector<std::string> names;
  for (const auto& [key, value] : named.entries())
    if (std::none_of(parameters.begin(), parameters.end(), [&, &wanted = key](const Node* p) {
          return p->type == NodeType::TargetKeyword && wanted.is_symbol() && wanted.s->text == p->as<OptionalParameter>().name;
        }))
      names.push_back(inspect(key, line));
  throw RubyError{line, keyword_error("unknown", names), RubyClass::ArgumentError};
}

RubyValue Interpreter::eval_yield(const Yield& node) {
  if (method_ == nullptr || method_->block == nullptr) not_rendered(node.line, "yield without a block");
  std::vector<RubyValue> args;
  eval_arguments(node.arguments, args);
  return call_proc(*method_->block, args, node.line, node.have_keywords());
}

} // namespace pupc::compiler::ruby
