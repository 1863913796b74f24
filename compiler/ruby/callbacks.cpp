// What Ruby code asks of the compile while it runs.
#include "catalog/base/limits.h"
#include "catalog/base/stack.h"
#include "catalog/graph/catalog.h"
#include "catalog/json/rich_data.h"
#include "catalog/schema/resource_type.h"
#include "compiler/eval/call_stack.h"
#include "compiler/eval/catalog_compiler.h"
#include "compiler/eval/lookup_host.h"
#include "compiler/eval/members.h"
#include "compiler/hiera/lookup.h"
#include "compiler/ruby/session.h"
#include "compiler/ruby/type_members.h"
#include "compiler/types/core_types.h"
#include "compiler/types/lookup_context.h"

#include <fmt/format.h>

#include <algorithm>

namespace pupc {
namespace {

/// "::" in front is of no meaning.
std::string_view plain_name(std::string_view name) {
  if (name.starts_with("::")) name.remove_prefix(2);
  return name;
}

std::string lower(std::string_view s) {
  std::string out(s);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

/// Puts `to` in the place of the very array or hash `from`, which may be a part of `value`. False when it is not there.
bool replace_inside(Arena& arena, Value& value, const Value& from, const Value& to) {
  check_native_stack();
  if (value.kind == from.kind && ((value.is_list() && value.list == from.list) || (value.is_hash() && value.hash == from.hash))) {
    value = to;
    return true;
  }
  bool found = false;
  if (value.is_list()) {
    ListBuilder out(arena, value.items().size());
    for (Value item : value.items()) {
      found = replace_inside(arena, item, from, to) || found;
      out.add(item);
    }
    if (found) value = out.finish();
  } else if (value.is_hash()) {
    HashBuilder out(arena, value.hash->size);
    for (const HashEntry& entry : value.hash->entries()) {
      Value inner = entry.value;
      found = replace_inside(arena, inner, from, to) || found;
      out.set(entry.key, inner);
    }
    if (found) value = out.finish();
  }
  return found;
}

Value pair(Arena& arena, Value a, Value b) {
  Value both[] = {a, b};
  return make_list(arena, both);
}

} // namespace

Frame& RubySession::frame_of(const Value& number) {
  auto i = number.is_int() ? static_cast<size_t>(number.i) : 0;
  if (i >= frames_.size()) throw_error(ErrorCode::ruby_error, {}, "the scope of a call that has ended is used");
  return *frames_[i];
}

void RubySession::serve(const Value& message, Task& task) {
  std::string payload;
  MarshalWriter writer(payload, evaluator_->arena(), handles_);
  auto failed = [&](std::string_view text, std::string_view kind) {
    jumps_.push_back(std::current_exception());
    payload.clear();
    MarshalWriter w(payload, evaluator_->arena(), handles_);
    w.array(4);
    w.integer(1);
    w.string(text);
    w.integer(static_cast<int64_t>(jumps_.size() - 1));
    w.string(kind);
  };
  try {
    if (!message.items()[0].is_string()) throw_error(ErrorCode::internal_error, {}, "the Ruby worker asked for nothing");
    Value value = answer(message.items()[0].str(), message.items().subspan(1), task);
    writer.array(2);
    writer.integer(0);
    writer.value(value);
  } catch (const CompileError& error) {
    if (worker_ == nullptr || !worker_->alive()) throw; // an inner call lost the worker: nobody to tell
    bool placed = static_cast<bool>(error.diagnostic.loc);
    failed(placed ? error.diagnostic.puppet_text() : error.diagnostic.message, placed ? "placed" : "error");
  } catch (const LimitReached&) { // the worker waits for an answer that will not come
    worker_.reset();
    throw;
  } catch (const KeyNotFoundSignal&) { // context.not_found: on its way through Ruby to the lookup
    failed("no such key", "jump");
  } catch (const BreakSignal&) { failed("break() from context where this is illegal", "break"); } catch (const NextSignal&) {
    failed("next() from context where this is illegal", "jump");
  } catch (const ReturnSignal&) { failed("return() from context where this is illegal", "jump"); }
  worker_->send(payload, pool_.options().timeout);
}

RubySession::RubyBlock::RubyBlock(RubySession& session, int64_t number, int64_t least, int64_t most, Task& task, Frame& frame) {
  Evaluator& e = *session.evaluator_;
  auto named = static_cast<uint32_t>(most < 0 ? least + 1 : most);
  // In the arena: types of closures are remembered by their node.
  auto* lambda = e.arena().make<Lambda>();
  auto* body = e.arena().make<Block>();
  auto* layout = e.arena().make<FrameLayout>();
  lambda->kind = NodeKind::Lambda;
  lambda->body = body;
  lambda->layout = layout;
  lambda->parameters = {e.arena().make_array<Parameter>(named), named};
  layout->names = {e.arena().make_array<Symbol>(named), named};
  body->kind = NodeKind::Block;
  for (uint32_t i = 0; i < named; ++i) {
    layout->names[i] = intern(fmt::format("p{}", i));
    lambda->parameters[i] = {layout->names[i], nullptr, i < least ? nullptr : static_cast<Node*>(body), 0, 0, most < 0 && i + 1 == named};
  }
  call = [&session, &task, number](std::span<const Value> args) {
    Task inner{task.what, task.loc, task.patience, nullptr};
    return session.request(inner, "block", 2, [&](MarshalWriter& w) {
      w.integer(number);
      w.array(args.size());
      for (const Value& v : args) w.value(v);
    });
  };
  closure.node = lambda;
  closure.frame = &frame;
  closure.file = e.current_file();
  closure.evaluator = &e;
  closure.native = &call;
}

Value RubySession::answer(std::string_view name, std::span<const Value> args, Task& task) {
  Evaluator& e = *evaluator_;
  Arena& arena = e.arena();
  auto arg = [&](size_t i) { return i < args.size() ? args[i] : Value::undef(); };
  auto text = [&](size_t i) { return arg(i).is_string() ? arg(i).str() : std::string_view(); };
  if (name == "call") { // frame, name, arguments, number of a Ruby block and what it takes
    if (arg(3).is_undef()) return e.call_function(plain_name(text(1)), arg(2).items(), nullptr, frame_of(arg(0)), task.loc);
    auto arity = arg(4).items();
    RubyBlock block(*this, arg(3).i, arity[0].i, arity[1].i, task, frame_of(arg(0)));
    return e.call_function(plain_name(text(1)), arg(2).items(), &block.closure, frame_of(arg(0)), task.loc);
  }
  if (name == "lookup_global") { // frame, key, names of data that go before the hierarchy
    EvaluatorLookupHost host(e, frame_of(arg(0)));
    LookupRequest asked;
    asked.key = text(1);
    asked.global_only = true;
    asked.extra_paths = arg(2);
    if (asked.extra_paths.is_list() && asked.extra_paths.list->size == 0) asked.extra_paths = Value::undef();
    auto found = e.lookup_service() ? e.lookup_service()->lookup(asked, host) : std::nullopt;
    return pair(arena, Value::boolean(found.has_value()), found.value_or(Value::undef()));
  }
  if (name == "block") {
    auto number = static_cast<size_t>(arg(0).i);
    if (number >= blocks_.size() || blocks_[number] == nullptr)
      throw_error(ErrorCode::ruby_error, {}, "the block of a call that has ended is used");
    return e.call_closure(*blocks_[number], arg(1).items(), task.loc);
  }
  if (name == "variable") { // [found, value, reason]
    Value found;
    std::string_view variable = plain_name(text(1));
    Frame& frame = frame_of(arg(0));
    if (e.lookup_variable(text(1), frame, found)) return pair(arena, Value::boolean(true), found);
    std::string reason;
    if (size_t cut = variable.rfind("::"); cut != std::string_view::npos) {
      std::string_view class_name = variable.substr(0, cut);
      if (!e.catalog().class_known(class_name))
        reason = fmt::format("class {} could not be found", class_name);
      else if (e.catalog().class_scope(class_name) == nullptr)
        reason = fmt::format("class {} has not been evaluated", class_name);
    }
    Value answer[] = {Value::boolean(false), Value::undef(), reason.empty() ? Value::undef() : Value::string(arena.copy(reason))};
    return make_list(arena, answer);
  }
  if (name == "variables") { // frame, names or nil for all
    HashBuilder out(arena);
    Frame& frame = frame_of(arg(0));
    if (arg(1).is_list()) {
      for (const Value& wanted : arg(1).items()) {
        Value found;
        if (e.lookup_variable(wanted.str(), frame, found)) out.set(wanted, found);
      }
    } else {
      e.visible_variables(frame, [&](std::string_view n, const Value& v) { out.set(Value::string(n), v); });
    }
    return out.finish();
  }
  if (name == "set_variable") {
    e.assign(text(1), arg(2), frame_of(arg(0)));
    return Value::undef();
  }
  if (name == "change_variable") {
    e.change_variable(text(1), arg(2), frame_of(arg(0)));
    return Value::undef();
  }
  if (name == "argument_changed") { // index, what it is now
    change_argument(task, arg(0).is_int() ? static_cast<size_t>(arg(0).i) : SIZE_MAX, arg(1));
    return Value::undef();
  }
  if (name == "frame_key") return Value::integer(static_cast<int64_t>(reinterpret_cast<intptr_t>(&frame_of(arg(0)))));
  if (name == "function_exists") return Value::boolean(e.function_exists(plain_name(text(0)), *frames_[0]));
  if (name == "log") {
    for (LogLevel level : {LogLevel::Debug, LogLevel::Info, LogLevel::Notice, LogLevel::Warning, LogLevel::Err, LogLevel::Alert,
                           LogLevel::Emerg, LogLevel::Crit})
      if (name_of(level) == text(0)) e.log(level, text(1), std::string(text(2)));
    return Value::undef();
  }
  if (name == "member") {
    Value found;
    auto number = static_cast<size_t>(arg(0).i);
    bool known = number < handles_.size() && find_member(arena, handles_[number], text(1), found);
    return pair(arena, Value::boolean(known), found);
  }
  if (name == "object") {
    auto number = static_cast<size_t>(arg(0).i);
    return number < handles_.size() ? describe_object(handles_[number]) : Value::undef();
  }
  if (name == "native") return native_call(args, task);
  if (name == "pick_dispatch") return Value::integer(pick_dispatch(text(0), arg(1).items()));
  if (name == "find_file") {
    auto path = environment_.find_module_file(text(0) == "templates" ? ModuleFileKind::Templates : ModuleFileKind::Files, text(1));
    return path ? Value::string(arena.copy(*path)) : Value::undef();
  }
  if (name == "modules" || name == "module") {
    auto describe = [&](const Module& m) {
      Value parts[] = {Value::string(m.name), Value::string(m.path), Value::string(m.version)};
      return make_list(arena, parts);
    };
    if (name == "module") {
      const Module* found = environment_.find_module(text(0));
      return found ? describe(*found) : Value::undef();
    }
    ListBuilder all(arena);
    for (const Module& m : environment_.modules()) all.add(describe(m));
    return all.finish();
  }
  bool known = true;
  Value found = type_answer(name, args, known);
  if (known) return found;
  known = true;
  found = catalog_answer(name, args, known);
  if (known) return found;
  throw_error(ErrorCode::internal_error, {}, fmt::format("the Ruby worker asked for '{}'", name));
}

/// A function changed an array or hash that it was given: in Puppet it is the same object wherever variables that the caller sees
/// hold it.
void RubySession::change_argument(const Task& task, size_t index, const Value& changed) {
  if (task.caller == nullptr || index >= task.arguments.size()) return;
  const Value was = task.arguments[index];
  Evaluator& e = *evaluator_;
  std::vector<std::pair<std::string, Value>> found;
  e.visible_variables(*task.caller, [&](std::string_view variable, const Value& held) {
    if (Value now = held; replace_inside(e.arena(), now, was, changed)) found.emplace_back(variable, now);
  });
  // What a class or define is given is a copy of its own: variables outside keep what they have.
  const Scope* scope = task.caller->scope;
  auto given = [&](const std::string& variable) {
    if (scope == nullptr || scope->resource == no_resource) return false;
    return std::ranges::any_of(e.catalog().catalog()[scope->resource].parameters(),
                               [&](const Param& p) { return p.name.str() == variable; });
  };
  const bool own = std::ranges::any_of(found, [&](const auto& one) { return given(one.first); });
  for (const auto& [variable, value] : found)
    if (!own || given(variable)) e.change_variable(variable, value, *task.caller);
}

/// A function of a native object (a lookup context): number of the handle, name, arguments, number of a Ruby block and its parameters.
Value RubySession::native_call(std::span<const Value> args, Task& task) {
  auto arg = [&](size_t i) { return i < args.size() ? args[i] : Value::undef(); };
  auto number = static_cast<size_t>(arg(0).i);
  const NativeObject* object = number < handles_.size() ? as_native_object(handles_[number]) : nullptr;
  const ObjectFunction* function = object && arg(1).is_string() ? find_object_function(*object->type, arg(1).str()) : nullptr;
  if (!function || !arg(2).is_list())
    throw_error(ErrorCode::ruby_error, {}, "Ruby calls a function of an object that has none of that name");
  TypeContext& types = evaluator_->types();
  const auto& signature = type_cast<CallableType>(function->type);
  const bool block_needed = signature.block != nullptr && !is_assignable(types, signature.block, types::undef());
  const Value* given = &args[2];
  if ((signature.parameters != nullptr && !is_instance(types, signature.parameters, *given)) || (block_needed && arg(3).is_undef()))
    throw_error(ErrorCode::argument_mismatch, {},
                fmt::format("'{}' of a lookup context cannot be called with these arguments", arg(1).str()));
  if (arg(3).is_undef()) return object->call(arg(1).str(), given->items(), nullptr);
  ObjectBlock block{[&](std::span<const Value> values) {
                      Task inner{"block of the " + task.what, task.loc, task.patience, nullptr};
                      return request(inner, "block", 2, [&](MarshalWriter& w) {
                        w.integer(arg(3).i);
                        w.array(values.size());
                        for (const Value& v : values) w.value(v);
                      });
                    },
                    arg(4).is_int() ? static_cast<size_t>(arg(4).i) : 1};
  return object->call(arg(1).str(), given->items(), &block);
}

Value RubySession::type_answer(std::string_view name, std::span<const Value> args, bool& known) {
  Evaluator& e = *evaluator_;
  TypeContext& types = e.types();
  Arena& arena = e.arena();
  auto type = [&](size_t i) -> const Type* {
    if (i < args.size() && args[i].is(Kind::Type)) return as_type(args[i]);
    return parse_type(types, i < args.size() && args[i].is_string() ? arena.copy(args[i].str()) : "Any");
  };
  auto copy = [&](const std::string& s) { return Value::string(arena.copy(s)); };
  if (name == "instance") return Value::boolean(is_instance(types, type(0), args[1]));
  if (name == "assignable") return Value::boolean(is_assignable(types, type(0), type(1)));
  if (name == "new") return new_instance(types, type(0), args[1].items());
  if (name == "parse_type") return Value::type(type(0));
  if (name == "infer") return Value::type(args[1].truthy() ? infer_detailed(types, args[0]) : infer(types, args[0]));
  if (name == "describe_mismatch") return copy(describe_mismatch(types, args[0].str(), type(1), type(2)));
  if (name == "type_members") return type_members(types, *type(0));
  if (name == "type_generalize") return Value::type(generalize(types, type(0)));
  if (name == "type_normalize") return Value::type(normalize(types, type(0)));
  if (name == "type_callable") return Value::boolean(kind_of_callable(types, type(0), args[1].truthy()));
  if (name == "type_iterable") return Value::boolean(iterable(types, type(0)));
  if (name == "type_iterable_element") {
    const Type* element = iterable_element(types, type(0));
    return element == nullptr ? Value::undef() : Value::type(element);
  }
  if (name == "type_accepts") { // a Callable, a Tuple of its arguments' types, type of the block
    const Type* callable = resolve_alias(types, type(0));
    const Type* given = type(1);
    if (callable->kind != TypeKind::Callable || given->kind != TypeKind::Tuple) return Value::boolean(false);
    return Value::boolean(callable_accepts(types, type_cast<CallableType>(callable), type_cast<TupleType>(given).types,
                                           args.size() > 2 && !args[2].is_undef() ? type(2) : nullptr));
  }
  if (name == "common_type") return Value::type(common_type(types, type(0), type(1)));
  if (name == "expanded_text") return copy(type_to_string_expanded(type(0)));
  if (name == "to_data") {
    std::string out;
    JsonWriter json(out);
    write_rich_value(json, args[0], arena);
    return copy(out);
  }
  if (name == "to_text") return copy(e.to_string(args[0]));
  known = false;
  return Value::undef();
}

Value RubySession::catalog_answer(std::string_view name, std::span<const Value> args, bool& known) {
  Evaluator& e = *evaluator_;
  CatalogBuilder& builder = e.catalog();
  Catalog& catalog = builder.catalog();
  Arena& arena = e.arena();
  auto text = [&](size_t i) { return i < args.size() && args[i].is_string() ? args[i].str() : std::string_view(); };
  auto reference = [&](ResourceId id) {
    return pair(arena, Value::string(catalog.type_name(catalog[id].type)), Value::string(catalog[id].title));
  };
  auto tag_list = [&](auto&& tags) {
    ListBuilder out(arena);
    for (TagId tag : tags) out.add(Value::string(catalog.tag_text(tag)));
    return out.finish();
  };
  auto find = [&] { return builder.find_declared(lower(plain_name(text(0))), text(1)); };
  if (name == "find_resource") {
    ResourceId id = find();
    return id == no_resource ? Value::undef() : reference(id);
  }
  if (name == "resource_parameter") {
    Value found;
    bool there = builder.resource_parameter(lower(text(0)), text(1), text(2), found);
    return pair(arena, Value::boolean(there), found);
  }
  if (name == "resource_parameters") {
    HashBuilder out(arena);
    ResourceId id = find();
    if (id != no_resource)
      for (const Param& p : catalog[id].parameters()) out.set(Value::string(p.name.str()), p.value);
    return out.finish();
  }
  if (name == "set_resource_parameter") {
    if (ResourceId id = find(); id != no_resource) catalog.set_param(id, Param{.name = intern(text(2)), .value = args[3]});
    return Value::undef();
  }
  if (name == "resource_place") { // file, line, virtual, exported
    ResourceId id = find();
    if (id == no_resource) return ListBuilder(arena).finish();
    const Resource& r = catalog[id];
    Value place[] = {r.file == 0 ? Value::undef() : Value::string(catalog.file_name(r.file)),
                     r.line == 0 ? Value::undef() : Value::integer(r.line), Value::boolean(r.has(Resource::is_virtual)),
                     Value::boolean(r.has(Resource::exported))};
    return make_list(arena, place);
  }
  if (name == "place_resource") {
    if (ResourceId id = find(); id != no_resource) {
      catalog[id].file = text(2).empty() ? 0 : catalog.file_index(text(2));
      catalog[id].line = args[3].is_int() ? static_cast<uint32_t>(args[3].i) : 0;
    }
    return Value::undef();
  }
  if (name == "tag_resource") {
    if (ResourceId id = find(); id != no_resource)
      for (const Value& tag : args[2].items()) catalog.tag(id, tag.str());
    return Value::undef();
  }
  if (name == "tag_catalog") {
    for (const Value& tag : args[0].items()) catalog.add_own_tag(catalog.tag_id(tag.str()));
    return Value::undef();
  }
  if (name == "add_classes") {
    for (const Value& c : args[0].items()) catalog.add_class(c.str());
    return Value::undef();
  }
  if (name == "resource_tags") {
    ResourceId id = find();
    return id == no_resource ? ListBuilder(arena).finish() : tag_list(catalog[id].tag_ids());
  }
  if (name == "resources") {
    ListBuilder out(arena);
    for (ResourceId id = 0; id < catalog.size(); ++id) out.add(reference(id));
    return out.finish();
  }
  if (name == "classes") {
    ListBuilder out(arena);
    for (std::string_view c : catalog.classes()) out.add(Value::string(c));
    return out.finish();
  }
  if (name == "catalog_tags") return tag_list(catalog.tags());
  if (name == "type_known") {
    std::string type = lower(plain_name(text(0)));
    if (builder.define_known(type)) return Value::string("define");
    return builder.native_type_known(type) ? Value::string("native") : Value::undef();
  }
  if (name == "namevar") {
    std::string type = lower(plain_name(text(0)));
    const ResourceTypeInfo* info = environment_.find_resource_type(type);
    return Value::string(info != nullptr ? info->namevar().str() : std::string_view("name"));
  }
  if (name == "class_known") return Value::boolean(builder.class_known(lower(plain_name(text(0)))));
  if (name == "add_class_definition") {
    auto there = builder.add_class_definition(text(0), text(1));
    return there ? Value::string(arena.copy(*there)) : Value::undef();
  }
  if (name == "class_frame") { // a number for the scope of an evaluated class, for the time of this call
    const Scope* evaluated = builder.class_scope(lower(plain_name(text(0))));
    if (evaluated == nullptr) return Value::undef();
    frames_.push_back(evaluated->frame);
    return Value::integer(static_cast<int64_t>(frames_.size() - 1));
  }
  if (name == "class_evaluated") return Value::boolean(builder.class_scope(lower(plain_name(text(0)))) != nullptr);
  if (name == "setting") {
    Value found;
    const bool known = builder.find_setting(text(0), found);
    return pair(arena, Value::boolean(known), found);
  }
  if (name == "node_name") return Value::string(builder.node_name());
  if (name == "scope_resource") {
    ResourceId id = builder.container_of(frame_of(args[0]));
    return id == no_resource ? Value::undef() : reference(id);
  }
  if (name == "scope_tags") {
    ResourceId id = builder.container_of(frame_of(args[0]));
    return id == no_resource ? ListBuilder(arena).finish() : tag_list(catalog[id].tag_ids());
  }
  if (name == "stacktrace") {
    ListBuilder out(arena);
    for (const CallPlace& place : innermost_calls(e, SIZE_MAX))
      out.add(pair(arena, Value::string(arena.copy(place.file)), Value::integer(place.line)));
    return out.finish();
  }
  if (name == "scope_defaults") { // of a type, those of outer scopes first: inner ones replace them
    std::vector<const Scope*> scopes;
    for (const Scope* s = frame_of(args[0]).scope; s != nullptr; s = s->parent) scopes.push_back(s);
    HashBuilder out(arena);
    for (size_t i = scopes.size(); i-- > 0;)
      if (scopes[i]->defaults != nullptr)
        for (const auto& t : scopes[i]->defaults->types)
          if (lower(catalog.type_name(t.type)) == lower(plain_name(text(1))))
            for (const Param& p : t.params) out.set(Value::string(p.name.str()), p.value);
    return out.finish();
  }
  const Scope* scope = nullptr;
  if (name == "scope_source" || name == "scope_text") scope = frame_of(args[0]).scope;
  if (name == "scope_source") { // name, module, kind
    Value parts[] = {Value::string(scope ? scope->class_name : std::string_view()),
                     scope && scope->module ? Value::string(scope->module->name) : Value::undef(),
                     Value::string(scope && scope->kind == ScopeKind::Define ? "definition"
                                   : scope && scope->kind == ScopeKind::Node ? "node"
                                                                             : "hostclass")};
    return make_list(arena, parts);
  }
  if (name == "scope_text") return Value::string(arena.copy(scope ? scope_source(*scope) : "Scope()"));
  known = false;
  return Value::undef();
}

} // namespace pupc
