// Calls: finding the function, spreading arguments, binding parameters of lambdas and Puppet functions.
#include "catalog/base/limits.h"
#include "catalog/base/text.h"
#include "compiler/ast/unused_results.h"
#include "compiler/eval/call_stack.h"
#include "compiler/eval/catalog_builder.h"
#include "compiler/eval/evaluator_state.h"
#include "compiler/eval/function_choice.h"
#include "compiler/eval/known_programs.h"
#include "compiler/eval/labels.h"
#include "compiler/eval/members.h"
#include "compiler/eval/ruby_service.h"
#include "compiler/eval/type_loader.h"
#include "compiler/load/dependencies.h"
#include "compiler/types/core_types.h"
#include "compiler/types/lookup_context.h"
#include "compiler/types/object_type.h"

#include <algorithm>
#include <alloca.h>
#include <fmt/format.h>

namespace pupc::compiler {
namespace {

constexpr size_t inline_arguments = 8;

/// The evaluated arguments of one call. A few of them fit on the stack.
class Arguments {
public:
  Arguments(Evaluator& e, const Value* first, const Seq<Node*>& nodes, Frame& frame) {
    bool spread = false;
    for (const Node* n : nodes) spread |= n->kind == NodeKind::Unfold || n->kind == NodeKind::Parenthesized;
    size_t count = nodes.size + (first != nullptr);
    if (!spread && count <= inline_arguments) {
      if (first != nullptr) few_[size_++] = *first;
      for (const Node* n : nodes) few_[size_++] = e.evaluate(*n, frame);
      data_ = few_;
      return;
    }
    if (first != nullptr) many_.push_back(*first);
    e.evaluate_spread(nodes, frame, many_);
    data_ = many_.data();
    size_ = many_.size();
  }
  Arguments(const Arguments&) = delete;
  Arguments& operator=(const Arguments&) = delete;
  std::span<const Value> span() const { return {data_, size_}; }

private:
  const Value* data_ = nullptr;
  size_t size_ = 0;
  Value few_[inline_arguments];
  std::vector<Value> many_;
};

Closure make_lambda(Evaluator& e, const Lambda& node, Frame& frame) {
  Closure c;
  c.node = &node;
  c.frame = &frame;
  c.file = e.current_file();
  c.match = e.match();
  c.evaluator = &e;
  return c;
}

} // namespace

// ---------------------------------------------------------------------------------------------------------------------
// functions by name

bool EvaluatorImpl::manifest_loaded(const Evaluator& e, const DefinitionEntry& definition) {
  if (definition.main || definition.module == nullptr) return true;
  std::string_view path = definition.file->source->path();
  const std::string manifests = definition.module->path + "/manifests/";
  if (!path.starts_with(manifests)) return true;
  std::string own = definition.module->name;
  path.remove_prefix(manifests.size());
  path.remove_suffix(3); // .pp
  if (path != "init") own += "::" + std::string(path);
  for (size_t at = 0; (at = own.find('/', at)) != std::string::npos;) own.replace(at, 1, "::");
  return std::any_of(e.state_->searched.begin(), e.state_->searched.end(), [&](const std::string& name) {
    return name == own || (name.size() > own.size() && name.starts_with(own) && name[own.size()] == ':');
  });
}

void EvaluatorImpl::bind_ruby(Evaluator& e, FunctionBinding& binding, std::string_view name, const RubyFunctionFile& file) {
  binding.file = &file;
  if (e.ruby_ != nullptr && e.ruby_->always()) return;
  if (const FunctionEntry* native = choose_function(e.functions_, name, file).native) binding.builtin = &signatures_of(*native);
}

const FunctionBinding* EvaluatorImpl::resolve(Evaluator& e, std::string_view name) {
  name = without_leading_colons(name);
  auto& functions = e.state_->functions;
  auto known = functions.find(name);
  if (known != functions.end() && known->second.found()) return &known->second;
  FunctionBinding binding;
  // A Ruby file of the old API may define more functions than its own; they are known once it has run.
  std::string file = e.ruby_ != nullptr ? e.ruby_->defined_beside(name) : std::string();
  if (file.empty() && e.native_ruby_ != nullptr) file = e.native_ruby_->defined_beside(name);
  if (!file.empty()) {
    binding.file = &e.state_->files_beside.emplace_back(std::move(file), std::string(), true);
    return &(functions[e.arena_.copy(name)] = binding);
  }
  if (known != functions.end()) return nullptr;
  const FunctionEntry* entry = e.functions_.find(name);
  const DefinitionEntry* definition = e.environment_.find_function(name, &e.log_);
  std::vector<const RubyFunctionFile*> files;
  if (entry == nullptr) files = e.environment_.ruby_functions(name);
  if (definition != nullptr && !manifest_loaded(e, *definition)) {
    if (entry == nullptr && files.empty()) return nullptr; // a later search may find it
    definition = nullptr;
  }
  // The main manifest's functions hide all others, and the environment's those of modules. In each of these Ruby's 4.x API comes first,
  // then Puppet's language, then the 3.x API.
  const bool in_ruby = definition != nullptr && !definition->main && !files.empty() && !files[0]->old_api() &&
                       files[0]->module() == (definition->module != nullptr ? definition->module->name : environment_module);
  if (definition != nullptr && !in_ruby && (entry == nullptr || definition->main)) {
    binding.definition = definition;
    auto* closure = new (e.arena_.allocate(sizeof(Closure), alignof(Closure))) Closure;
    closure->node = definition->definition;
    closure->frame = e.catalog().top_scope().frame;
    closure->file = definition->file.get();
    closure->evaluator = &e;
    binding.closure = closure;
  } else if (entry != nullptr) {
    binding.builtin = &signatures_of(*entry);
  } else if (!files.empty()) {
    bind_ruby(e, binding, name, *files[0]);
    binding.by_caller = files.size() > 1 && files[0]->module() != environment_module;
  }
  auto& stored = functions.emplace(e.arena_.copy(name), binding).first->second;
  return stored.found() ? &stored : nullptr;
}

const FunctionBinding* EvaluatorImpl::resolve(Evaluator& e, Symbol name) {
  auto& table = e.state_->functions_by_symbol;
  if (name.id < table.size() && table[name.id] != nullptr) return for_this_file(e, table[name.id], name.str());
  const FunctionBinding* f = resolve(e, name.str());
  if (f == nullptr) return nullptr;
  if (name.id >= table.size()) table.resize(name.id + 256);
  table[name.id] = f;
  return for_this_file(e, f, name.str());
}

const FunctionBinding* EvaluatorImpl::resolve_for(Evaluator& e, std::string_view name, const Module* caller) {
  name = without_leading_colons(name);
  auto [at, is_new] = e.state_->functions_by_caller.try_emplace(fmt::format("{} {}", caller ? caller->name : "", name));
  if (!is_new) return &at->second;
  std::vector<const RubyFunctionFile*> files = e.environment_.ruby_functions(name);
  const RubyFunctionFile* called = files[0];
  auto take = [&](std::string_view module) {
    for (const RubyFunctionFile* file : files)
      if (file->module() == module) return called = file, true;
    return false;
  };
  if (caller != nullptr && !take(caller->name)) (void)std::any_of(caller->dependencies.begin(), caller->dependencies.end(), take);
  bind_ruby(e, at->second, name, *called);
  return &at->second;
}

bool Evaluator::function_exists(std::string_view name, Frame&) { return EvaluatorImpl::resolve(*this, name) != nullptr; }

Value EvaluatorImpl::invoke(Evaluator& e, const FunctionBinding& f, std::string_view name, std::span<const Value> args,
                            const Closure* block, Frame& caller, Loc loc) {
  if (f.builtin != nullptr) {
    FunctionCall call{e, name, args, block, caller, loc, f.file};
    return call_builtin(*f.builtin, call);
  }
  if (f.closure != nullptr) return call_definition(e, *f.closure, args, block, loc);
  if (e.native_ruby_ != nullptr && (e.ruby_ == nullptr || !e.ruby_->always())) {
    Value out;
    if (e.native_ruby_->call_function(e, name, f.file->path(), args, block, caller, loc, out)) return out;
  }
  if (e.ruby_ != nullptr) return e.ruby_->call_function(e, name, *f.file, args, block, caller, loc);
  refuse_ruby(e, "function", name, f.file->path());
}

Value Evaluator::call_function(std::string_view name, std::span<const Value> args, const Closure* block, Frame& caller, Loc loc) {
  const FunctionBinding* f = EvaluatorImpl::for_this_file(*this, EvaluatorImpl::resolve(*this, name), name);
  if (f == nullptr) EvaluatorImpl::fail_unknown_function(*this, name, loc);
  return EvaluatorImpl::invoke(*this, *f, without_leading_colons(name), args, block, caller, loc);
}

Value Evaluator::call_function_from(std::string_view module, std::string_view name, std::span<const Value> args, const Closure* block,
                                    Frame& caller, Loc loc) {
  const FunctionBinding* f = EvaluatorImpl::resolve(*this, name);
  if (f == nullptr) EvaluatorImpl::fail_unknown_function(*this, name, loc);
  if (f->by_caller) f = EvaluatorImpl::resolve_for(*this, name, environment_.find_module(module));
  return EvaluatorImpl::invoke(*this, *f, without_leading_colons(name), args, block, caller, loc);
}

Value Evaluator::call_old_function(std::string_view name, std::span<const Value> args, Frame& caller, Loc loc) {
  const RubyFunctionFile* file = environment_.old_function(name);
  if (file == nullptr) return call_function(name, args, nullptr, caller, loc);
  FunctionBinding binding;
  EvaluatorImpl::bind_ruby(*this, binding, name, *file);
  if (binding.builtin == nullptr) {
    if (native_ruby_ != nullptr) native_ruby_->pass_objects();
    return EvaluatorImpl::invoke(*this, binding, name, args, nullptr, caller, loc);
  }
  FunctionCall call{*this, name, args, nullptr, caller, loc, file};
  return call_as_ruby_does(*binding.builtin, call);
}

std::vector<CallPlace> innermost_calls(const Evaluator& evaluator, size_t most) {
  std::vector<CallPlace> out;
  for (const RunningCall* call = EvaluatorImpl::innermost(evaluator); call != nullptr && out.size() < most; call = call->outer) {
    const bool named = call->loc.file != nullptr && !call->loc.file->path().empty();
    out.push_back({named ? std::string(call->loc.file->path()) : "unknown", call->whole_file ? 0 : call->loc.position().line});
  }
  return out;
}

Value list_of_calls(Evaluator& evaluator) {
  ListBuilder out(evaluator.arena());
  for (const CallPlace& place : innermost_calls(evaluator, SIZE_MAX)) {
    const Value pair[] = {Value::string(evaluator.arena().copy(place.file)), Value::integer(place.line)};
    out.add(make_list(evaluator.arena(), pair));
  }
  return out.finish();
}

void EvaluatorImpl::fail_unknown_function(Evaluator& e, std::string_view name, Loc loc) {
  Diagnostic d;
  d.code = ErrorCode::unknown_function;
  d.loc = loc;
  d.message = fmt::format("Evaluation Error: Unknown function: '{}'.", name);
  std::vector<std::string_view> known;
  for (const FunctionEntry* entry : e.functions_.entries()) known.push_back(entry->name);
  auto similar = similar_names(without_leading_colons(name), known, 1);
  const FunctionEntry* entry = e.functions_.find_native(without_leading_colons(name));
  if (entry != nullptr && e.environment_.find_module(entry->module) != nullptr)
    d.suggestion = fmt::format("The module {} has no such function in this version.", entry->module);
  else if (entry != nullptr)
    d.suggestion = fmt::format("It belongs to the module {}, which is not in the modulepath.", entry->module);
  else if (!similar.empty())
    d.suggestion = fmt::format("Did you mean {}()?", similar[0]);
  throw CompileError(std::move(d));
}

Value EvaluatorImpl::call_named(Evaluator& e, const Node& node, Symbol symbol, std::span<const Value> args, const Lambda* lambda,
                                Frame& frame) {
  std::string_view name = without_leading_colons(symbol.str());
  try {
    const FunctionBinding* f = resolve(e, symbol);
    Loc loc = e.loc_of(node);
    if (f == nullptr) fail_unknown_function(e, symbol.str(), loc);
    if (node.kind == NodeKind::Call && (node.flags & call_unused) != 0 && f->builtin != nullptr && f->file == nullptr &&
        surely_succeeds(args)) {
      if (DependencyRecorder* notes = e.environment().recorder()) notes->doubt("generate() asked for a program");
      return Value::undef();
    }
    Running running(e, loc);
    if (lambda == nullptr) return invoke(e, *f, name, args, nullptr, frame, loc);
    Closure block = make_lambda(e, *lambda, frame);
    return invoke(e, *f, name, args, &block, frame, loc);
  } catch (CompileError& error) {
    e.place(error, node);
    throw;
  } catch (LimitReached& limit) {
    limit.place(e.loc_of(node));
    throw;
  }
}

Value EvaluatorImpl::call(Evaluator& e, const Call& node, Frame& frame) {
  switch (node.functor->kind) {
  case NodeKind::Name: {
    Arguments args(e, nullptr, node.arguments, frame);
    return call_named(e, node, node.functor->as<Name>().name, args.span(), node.lambda, frame);
  }
  case NodeKind::Access:
    if (node.functor->as<Access>().left->kind != NodeKind::Reference) break;
    [[fallthrough]];
  case NodeKind::Reference: { // Integer('1'), Array[String](…)
    Value type = e.evaluate(*node.functor, frame);
    Arguments args(e, &type, node.arguments, frame);
    return call_named(e, node, sym::new_, args.span(), node.lambda, frame);
  }
  case NodeKind::RenderString:
    e.fail(ErrorCode::evaluation_error, node,
           "Ambiguous EPP parameter expression. Probably missing '<%-' before parameters to remove leading whitespace");
  default: break;
  }
  e.fail(ErrorCode::evaluation_error, *node.functor,
         fmt::format("Illegal expression. {} is unacceptable as function name in {}", a_an_upper(label(*node.functor)), a_an(label(node))));
}

namespace {

/// Handles `$object.name(…)` when the object has that attribute or function. Returns false when it is a function call.
bool object_member(Evaluator& e, const Value& object, std::string_view name, const MethodCall& node, Frame& frame, Value& out) {
  if (object.is(Kind::Uri)) return find_member(e.arena(), object, name, out);
  const auto& type = *static_cast<const ObjectType*>(object.is(Kind::Deferred) ? types::deferred() : object_type_of(object));
  const ObjectFunction* function = find_object_function(type, name);
  bool attribute = function == nullptr && find_member(e.arena(), object, name, out);
  if (attribute && node.arguments.size == 0 && node.lambda == nullptr && object.is(Kind::Deferred)) return true;
  if (!attribute && function == nullptr) return false;
  if (type.kind == TypeKind::Error && name == "message") attribute = find_member(e.arena(), object, name, out);
  Arguments args(e, nullptr, node.arguments, frame);
  const ObjectAttribute* declared = attribute ? find_object_attribute(type, name) : nullptr;
  bool derived = declared != nullptr && declared->kind == ObjectAttribute::Kind::Derived;
  if (derived && &type == lookup_context_type() && args.span().empty() && node.lambda == nullptr) {
    out = Value::string(e.environment().options().name);
    return true;
  }
  std::string member = fmt::format("{}{} {}[{}]", derived ? "derived " : "", function != nullptr ? "function" : "attribute",
                                   type_base_name(&type), name);
  const Type* callable = function != nullptr ? function->type : callable_type(e.arena(), {}, 0, 0);
  const Type* block = nullptr;
  if (node.lambda != nullptr) block = make_lambda(e, *node.lambda, frame).callable_type(e.types());
  List given{static_cast<uint32_t>(args.span().size()), args.span().data()};
  const char* wrap = "Error while evaluating a Method call, ";
  const auto& signature = type_cast<CallableType>(resolve_alias(e.types(), callable));
  bool fits = signature.parameters == nullptr || is_instance(e.types(), signature.parameters, Value::of(&given));
  if (block == nullptr)
    fits = fits && (signature.block == nullptr || is_assignable(e.types(), signature.block, types::undef()));
  else
    fits = fits && signature.block != nullptr && is_assignable(e.types(), signature.block, block);
  if (!fits) {
    CallSignature one{callable, {}, {}};
    e.fail(ErrorCode::argument_mismatch, node, wrap + describe_signatures(e.types(), member, {&one, 1}, args.span(), block));
  }
  if (const NativeObject* native = function != nullptr ? as_native_object(object) : nullptr) {
    try {
      if (node.lambda == nullptr) {
        out = native->call(name, args.span(), nullptr);
      } else {
        Closure lambda = make_lambda(e, *node.lambda, frame);
        ObjectBlock given_block{[&](std::span<const Value> values) { return e.call_closure(lambda, values, e.loc_of(node)); },
                                node.lambda->parameters.size};
        out = native->call(name, args.span(), &given_block);
      }
    } catch (CompileError& error) {
      e.place(error, node);
      throw;
    }
    return true;
  }
  if ((function != nullptr && !attribute) || derived) {
    if (static_cast<TypeLoader&>(e.types()).implemented_in_ruby(type)) {
      try {
        if (e.ruby_service() == nullptr) {
          if (e.native_ruby() != nullptr) e.native_ruby()->set_reason("functions of a data type");
          refuse_ruby(e, member, "", "");
        }
        EvaluatorImpl::Running running(e, e.loc_of(node));
        std::optional<Closure> lambda;
        if (node.lambda != nullptr) lambda.emplace(make_lambda(e, *node.lambda, frame));
        if (e.ruby_service()->call_object(e, object, name, args.span(), lambda ? &*lambda : nullptr, frame, e.loc_of(node), out)) {
          const Type* returns = function != nullptr ? signature.returns : declared->type;
          if (returns != nullptr && !is_instance(e.types(), returns, out))
            fail_unplaced(describe_mismatch(e.types(),
                                            fmt::format("value returned from {} '{}' has wrong type,",
                                                        function != nullptr ? "function" : "attribute", name),
                                            returns, out),
                          ErrorCode::type_mismatch);
          return true;
        }
      } catch (CompileError& error) {
        e.place(error, node);
        throw;
      }
    }
    e.fail(ErrorCode::evaluation_error, node, fmt::format("{}no method is implemented for {}", wrap, member));
  }
  return true;
}

} // namespace

Value EvaluatorImpl::method_call(Evaluator& e, const MethodCall& node, Frame& frame) {
  if (node.name->kind != NodeKind::Name)
    e.fail(ErrorCode::evaluation_error, *node.name,
           fmt::format("Illegal expression. {} is unacceptable as function name in {}", a_an_upper(label(*node.name)), a_an(label(node))));
  Symbol name = node.name->as<Name>().name;
  const Node* receiver = node.receiver;
  while (receiver->kind == NodeKind::Parenthesized) receiver = receiver->as<Unary>().operand;
  Value first = e.evaluate(*receiver, frame);
  if (receiver->kind == NodeKind::Unfold) { // (*$list).f(x) is f(*$list, x)
    std::vector<Value> args(first.items().begin(), first.items().end());
    e.evaluate_spread(node.arguments, frame, args);
    return call_named(e, node, name, args, node.lambda, frame);
  }
  if (first.is(Kind::Object) || first.is(Kind::Uri) || first.is(Kind::Deferred)) {
    if (Value member; object_member(e, first, name.str(), node, frame, member)) return member;
  }
  Arguments args(e, &first, node.arguments, frame);
  return call_named(e, node, name, args.span(), node.lambda, frame);
}

// ---------------------------------------------------------------------------------------------------------------------
// closures

std::string Closure::to_string() const { return callable_type(evaluator->types())->to_string(); }

Value Closure::to_rich_data(Arena& arena) const { return Value::string(arena.copy(to_string())); }

Seq<Parameter> Closure::parameters() const {
  return node->kind == NodeKind::Lambda ? node->as<Lambda>().parameters : node->as<FunctionDef>().parameters;
}

std::string_view Closure::name() const {
  return node->kind == NodeKind::Lambda ? std::string_view("lambda") : node->as<FunctionDef>().name.str();
}

namespace {

const Node* return_type_of(const Node& node) {
  return node.kind == NodeKind::Lambda ? node.as<Lambda>().return_type : node.as<FunctionDef>().return_type;
}

const FrameLayout* layout_of(const Node& node) {
  return node.kind == NodeKind::Lambda ? node.as<Lambda>().layout : node.as<FunctionDef>().layout;
}

const Block* body_of(const Node& node) { return node.kind == NodeKind::Lambda ? node.as<Lambda>().body : node.as<FunctionDef>().body; }

/// Element type and range of a parameter that captures the rest: `Array[Integer, 1, 3] *$x` gives both.
struct RestType {
  const Type* element;
  int64_t minimum, maximum; // maximum -1: unlimited
};

RestType rest_type(Evaluator& e, const Type* declared) {
  RestType rest{declared, 0, -1};
  const Type* resolved = resolve_alias(e.types(), declared);
  if (resolved->kind != TypeKind::Array) return rest;
  const auto& array = type_cast<ArrayType>(resolved);
  rest.element = array.element ? array.element : types::any();
  rest.minimum = array.size.from_open ? 0 : array.size.from;
  rest.maximum = array.size.to_open ? -1 : array.size.to;
  return rest;
}

} // namespace

const Type* EvaluatorImpl::closure_type(Evaluator& e, const Closure& c) {
  auto known = e.state_->closure_types.find(c.node);
  if (known != e.state_->closure_types.end()) return known->second;
  FileGuard file(e, c.file);
  std::vector<const Type*> types;
  int64_t minimum = 0, maximum = 0;
  bool optional_seen = false;
  for (const Parameter& p : c.parameters()) {
    const Type* type = e.evaluate_type(p.type, *c.frame);
    int64_t least = 1, most = 1;
    if (p.captures_rest) {
      RestType rest = rest_type(e, type);
      type = rest.element;
      least = rest.minimum;
      most = rest.maximum;
    } else if (p.default_value != nullptr) {
      least = 0;
    }
    if (least == 0) {
      optional_seen = true;
    } else if (optional_seen) {
      e.fail_at(ErrorCode::evaluation_error, {c.file ? c.file->source.get() : nullptr, p.offset, p.length},
                fmt::format("Parameter ${} is required but appears after optional parameters", p.name.str()));
    }
    types.push_back(type);
    minimum += least;
    maximum = most < 0 || maximum < 0 ? -1 : maximum + most;
  }
  const Node* returns = return_type_of(*c.node);
  const Type* type = callable_type(e.arena_, types, minimum, maximum, nullptr, returns ? e.evaluate_type(returns, *c.frame) : nullptr);
  // A type may depend on variables around the lambda, which differ between its closures: keep only what is always the same.
  auto constant = [&](const Node* expression) { return expression == nullptr || e.state_->types.contains(expression); };
  const Seq<Parameter> parameters = c.parameters();
  if (constant(returns) && std::all_of(parameters.begin(), parameters.end(), [&](const Parameter& p) { return constant(p.type); }))
    e.state_->closure_types.emplace(c.node, type);
  return type;
}

const Type* Closure::callable_type(TypeContext&) const { return EvaluatorImpl::closure_type(*evaluator, *this); }

namespace {

[[noreturn]] void fail_arguments(Evaluator& e, const Closure& c, std::span<const Value> args, const Closure* block) {
  std::vector<std::string_view> names;
  for (const Parameter& p : c.parameters()) names.push_back(p.name.str());
  CallSignature signature{c.callable_type(e.types()), names, "unsupported_block"};
  const Type* block_type = block ? block->callable_type(e.types()) : nullptr;
  fail_unplaced(describe_signatures(e.types(), c.name(), {&signature, 1}, args, block_type), ErrorCode::argument_mismatch);
}

} // namespace

/// Calls a Puppet function as Puppet's dispatcher does: checks the given arguments before it evaluates defaults.
Value EvaluatorImpl::call_definition(Evaluator& e, const Closure& c, std::span<const Value> args, const Closure* block, Loc loc) {
  Seq<Parameter> parameters = c.parameters();
  size_t required = 0;
  bool rest = false;
  for (const Parameter& p : parameters) {
    if (p.captures_rest)
      rest = true;
    else if (p.default_value == nullptr)
      ++required;
  }
  bool fits = block == nullptr && args.size() >= required && (rest || args.size() <= parameters.size);
  for (size_t i = 0; fits && i < args.size(); ++i) {
    const Parameter& p = parameters[std::min<size_t>(i, parameters.size - 1)];
    if (p.type == nullptr) continue;
    FileGuard file(e, c.file);
    const Type* type = e.evaluate_type(p.type, *c.frame);
    if (p.captures_rest) type = rest_type(e, type).element;
    fits = is_instance(e.types(), type, args[i]);
  }
  if (!fits) fail_arguments(e, c, args, block);
  return e.call_closure(c, args, loc);
}

void EvaluatorImpl::bind_parameters(Evaluator& e, const Closure& c, std::span<const Value> args, Frame& frame) {
  Seq<Parameter> parameters = c.parameters();
  Value* slots = frame.slots;
  bool plain = true; // no argument to check, no default to make
  bool optional_seen = false;
  for (uint32_t i = 0; i < parameters.size; ++i) {
    const Parameter& p = parameters[i];
    if (p.default_value != nullptr || p.captures_rest)
      optional_seen = true;
    else if (optional_seen)
      closure_type(e, c); // raises the error for it
    if (!p.captures_rest && i < args.size()) {
      slots[i] = args[i];
      plain &= p.type == nullptr;
    } else {
      slots[i] = unevaluated_value();
      plain = false;
    }
  }
  auto check_names = [&] {
    for (const Parameter& p : parameters) check_reserved_parameter(p.name);
  };
  if (plain) return check_names();
  auto make_default = [&](const Parameter& p) { return e.evaluate_default(*p.default_value, frame, c.name(), p.name); };
  for (uint32_t i = 0; i < parameters.size; ++i) {
    const Parameter& p = parameters[i];
    if (p.captures_rest) {
      std::span<const Value> rest = i < args.size() ? args.subspan(i) : std::span<const Value>();
      // A single undef stands for "not given" when there is a default.
      bool use_default = p.default_value != nullptr && (rest.empty() || (rest.size() == 1 && rest[0].is_undef()));
      Value v = use_default ? make_default(p) : make_list(e.arena_, rest);
      slots[i] = v.is_list() ? v : make_list(e.arena_, {&v, 1});
    } else if (i >= args.size()) {
      if (p.default_value == nullptr) {
        closure_type(e, c); // the error about a wrong type comes first
        e.fail_at(ErrorCode::argument_mismatch, {c.file ? c.file->source.get() : nullptr, p.offset, p.length},
                  fmt::format("Parameter ${} is required but no value was given", p.name.str()));
      }
      slots[i] = make_default(p);
    }
  }
  bool fits = true;
  for (uint32_t i = 0; fits && i < parameters.size; ++i) {
    const Parameter& p = parameters[i];
    if (p.type == nullptr) continue;
    const Type* type = e.evaluate_type(p.type, *c.frame);
    if (!p.captures_rest) {
      fits = is_instance(e.types(), type, slots[i]);
      continue;
    }
    RestType rest = rest_type(e, type);
    auto items = slots[i].items();
    fits = static_cast<int64_t>(items.size()) >= rest.minimum && (rest.maximum < 0 || static_cast<int64_t>(items.size()) <= rest.maximum);
    for (size_t k = 0; fits && k < items.size(); ++k) fits = is_instance(e.types(), rest.element, items[k]);
  }
  if (fits) return check_names();
  std::vector<Value> all;
  for (uint32_t i = 0; i < parameters.size; ++i) {
    if (parameters[i].captures_rest)
      all.insert(all.end(), slots[i].items().begin(), slots[i].items().end());
    else
      all.push_back(slots[i]);
  }
  fail_arguments(e, c, all, nullptr);
}

namespace {

/// Keeps a function's call on the trace while its body runs.
struct TraceGuard {
  TraceGuard(std::vector<TraceFrame>& t, const Node* node, Loc loc, Frame* frame)
      : trace(node->kind == NodeKind::FunctionDef ? &t : nullptr) {
    if (trace != nullptr) trace->push_back({node, nullptr, loc, frame});
  }
  ~TraceGuard() {
    if (trace != nullptr) trace->pop_back();
  }
  TraceGuard(const TraceGuard&) = delete;
  TraceGuard& operator=(const TraceGuard&) = delete;
  std::vector<TraceFrame>* trace;
};

} // namespace

Value Evaluator::call_closure(const Closure& c, std::span<const Value> args, Loc loc) {
  if (native_stack_low(room_for_call)) [[unlikely]]
    fail_unplaced("the code calls itself without end (stack level too deep)", ErrorCode::stack_overflow);
  check_time();
  const NestedBody depth;
  if (c.native != nullptr) return (*c.native)(args);
  const Node& node = *c.node;
  bool is_function = node.kind == NodeKind::FunctionDef;
  const FrameLayout* layout = layout_of(node);
  uint32_t count = layout ? layout->names.size : 0;
  constexpr uint32_t largest_on_stack = 128;
  Value* slots = count <= largest_on_stack ? static_cast<Value*>(alloca(sizeof(Value) * (count + 1))) : arena_.make_array<Value>(count);
  for (uint32_t i = 0; i < count; ++i) slots[i] = unset_value();
  Frame frame{layout, slots, c.frame, c.frame ? c.frame->scope : nullptr};

  FileGuard file(*this, c.file);
  MatchGuard match(*this);
  if (is_function) match_ = {};
  TraceGuard trace(state_->trace, &node, loc, &frame);
  EvaluatorImpl::bind_parameters(*this, c, args, frame);

  Value result;
  Flow flow;
  try {
    result = EvaluatorImpl::block(*this, *body_of(node), frame, &flow);
  } catch (const NextSignal& signal) { result = signal.value; } catch (const ReturnSignal& signal) {
    if (!is_function) throw;
    return signal.value; // like Puppet, do not check it against the return type
  }
  if (flow.kind == Flow::Kind::Return) {
    if (!is_function) throw ReturnSignal{flow.value, flow.loc};
    return flow.value;
  }
  if (const Node* returns = return_type_of(node)) {
    const Type* type = evaluate_type(returns, *c.frame);
    if (!is_instance(types(), type, result))
      fail_unplaced(describe_mismatch(types(), fmt::format("value returned from {} has wrong type,", c.name()), type, result),
                    ErrorCode::type_mismatch);
  }
  return result;
}

Frame* Evaluator::make_frame(const FrameLayout* layout, Scope* scope, Frame* up) {
  uint32_t count = layout ? layout->names.size : 0;
  Value* slots = arena_.make_array<Value>(count);
  for (uint32_t i = 0; i < count; ++i) slots[i] = unset_value();
  return arena_.make<Frame>(Frame{layout, slots, up, scope});
}

} // namespace pupc::compiler
