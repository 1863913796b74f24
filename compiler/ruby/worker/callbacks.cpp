// Answers to what Ruby code asks the compile while it runs: calls, variables, objects and the environment.
#include "catalog/base/limits.h"
#include "catalog/graph/catalog.h"
#include "compiler/eval/call_stack.h"
#include "compiler/eval/lookup_host.h"
#include "compiler/eval/members.h"
#include "compiler/eval/ruby_dispatch.h"
#include "compiler/hiera/lookup.h"
#include "compiler/resources/catalog_compiler.h"
#include "compiler/ruby/worker/session.h"
#include "compiler/types/core_types.h"
#include "compiler/types/given_back.h"
#include "compiler/types/lookup_context.h"

#include <fmt/format.h>

#include <algorithm>

namespace pupc::compiler {

/// The handlers of the callbacks, in the order of ruby_protocol.def.
const CompileRubySession::Handler CompileRubySession::handlers[] = {
#define RUBY_REQUEST(name, ...)
#define RUBY_CALLBACK(name, ...) &CompileRubySession::on_##name,
#include "compiler/ruby/worker/ruby_protocol.def"
#undef RUBY_REQUEST
#undef RUBY_CALLBACK
};

std::string_view CompileRubySession::Given::name(size_t i) const {
  std::string_view name = text(i);
  if (name.starts_with("::")) name.remove_prefix(2);
  return name;
}

std::string CompileRubySession::lower_text(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

Value CompileRubySession::text_value(std::string_view text) { return Value::string(evaluator_->arena().copy(text)); }

Value CompileRubySession::list_of(std::initializer_list<Value> members) {
  return make_list(evaluator_->arena(), std::span<const Value>(members.begin(), members.size()));
}

const Value* CompileRubySession::handle(const Value& number) const {
  const auto i = number.is_int() ? static_cast<size_t>(number.i) : SIZE_MAX;
  return i < handles_.size() ? &handles_[i] : nullptr;
}

Frame& CompileRubySession::frame_of(const Value& number) {
  auto i = number.is_int() ? static_cast<size_t>(number.i) : 0;
  if (i >= frames_.size()) throw_error(ErrorCode::ruby_error, {}, "the scope of a call that has ended is used");
  return *frames_[i];
}

void CompileRubySession::serve(const Value& message, Task& task) {
  std::string payload;
  MarshalWriter writer(payload, handles_);
  auto failed = [&](std::string_view text, std::string_view kind) {
    jumps_.push_back(std::current_exception());
    payload.clear();
    MarshalWriter w(payload, handles_);
    w.array(4);
    w.integer(ruby_failure);
    w.string(text);
    w.integer(static_cast<int64_t>(jumps_.size() - 1));
    w.string(kind);
  };
  try {
    const Value& number = message.items()[0];
    const int64_t question = number.is_int() ? number.i - ruby_first_question : -1;
    if (question < 0 || question >= std::ssize(handlers)) throw_error(ErrorCode::internal_error, {}, "the Ruby worker asked for nothing");
    Value value = (this->*handlers[question])({message.items().subspan(1)}, task);
    writer.array(2);
    writer.integer(ruby_answer);
    writer.value(value);
  } catch (const CompileError& error) {
    if (worker_ == nullptr || !worker_->alive()) throw; // an inner call lost the worker: there is nobody to answer
    bool placed = static_cast<bool>(error.diagnostic.loc);
    failed(placed ? error.diagnostic.puppet_text() : error.diagnostic.message, placed ? "placed" : "error");
  } catch (const LimitReached&) { // drop the worker: it waits for an answer that will not come
    worker_.reset();
    throw;
  } catch (const KeyNotFoundSignal&) { // context.not_found: passes through Ruby on its way to the lookup
    failed("no such key", "not_found");
  } catch (const BreakSignal&) { failed("break() from context where this is illegal", "break"); } catch (const NextSignal&) {
    failed("next() from context where this is illegal", "jump");
  } catch (const ReturnSignal&) { failed("return() from context where this is illegal", "jump"); }
  worker_->send(payload, pool_.options().timeout);
}

// ---------------------------------------------------------------------------------------------------------------------
// calls and variables

static bool same_call(const MadeCall& made, std::string_view name, std::span<const Value> args) {
  if (name.starts_with("::")) name.remove_prefix(2);
  return made.name == name &&
         std::equal(made.args.begin(), made.args.end(), args.begin(), args.end(), [](const Value& a, const Value& b) { return eql(a, b); });
}

Value CompileRubySession::on_call(const Given& arg, Task& task) {
  std::vector<Value> args;
  for (const Value& given : arg[2].items()) args.push_back(argument_from_ruby(evaluator_->arena(), arg.name(1), given));
  if (!task.made.empty() && same_call(task.made[0], arg.name(1), args)) {
    const MadeCall& made = task.made[0];
    task.made = task.made.subspan(1);
    if (made.error) std::rethrow_exception(made.error);
    return made.result;
  }
  if (arg[3].is_undef()) return evaluator_->call_function(arg.name(1), args, nullptr, frame_of(arg[0]), task.loc);
  auto arity = arg[4].items();
  const RubyBlock block(*evaluator_, frame_of(arg[0]), arity[0].i, arity[1].i,
                        [this, &task, number = arg[3].i](std::span<const Value> given) {
                          Task inner{task.what, task.loc, task.patience, nullptr};
                          return request(inner, RubyRequest::block, [&](MarshalWriter& w) {
                            w.integer(number);
                            w.array(given.size());
                            for (const Value& v : given) w.value(v);
                          });
                        });
  return evaluator_->call_function(arg.name(1), args, &block.closure, frame_of(arg[0]), task.loc);
}

Value CompileRubySession::on_block(const Given& arg, Task& task) {
  auto number = static_cast<size_t>(arg[0].i);
  if (number >= blocks_.size() || blocks_[number] == nullptr)
    throw_error(ErrorCode::ruby_error, {}, "the block of a call that has ended is used");
  return evaluator_->call_closure(*blocks_[number], arg[1].items(), task.loc);
}

Value CompileRubySession::on_function_exists(const Given& arg, Task&) {
  return Value::boolean(evaluator_->function_exists(arg.name(0), *frames_[0]));
}

Value CompileRubySession::on_pick_dispatch(const Given& arg, Task&) { return Value::integer(pick_dispatch(arg.text(0), arg[1].items())); }

/// The part of a list or hash at a place, which is a list of indexes and keys; undef where there is none.
static Value part_at(Value whole, std::span<const Value> place) {
  for (const Value& step : place) {
    if (whole.is(Kind::Sensitive)) whole = whole.unwrap();
    if (whole.is_list()) {
      if (!step.is_int() || step.i < 0 || static_cast<uint64_t>(step.i) >= whole.list->size) return Value::undef();
      whole = whole.items()[static_cast<size_t>(step.i)];
    } else {
      const Value* found = whole.is_hash() ? whole.hash->find(step) : nullptr;
      if (found == nullptr) return Value::undef();
      whole = *found;
    }
  }
  return whole;
}

static bool is_inside(const Value& whole, const Value& part) {
  if (whole.is_list()) {
    if (part.is_list() && part.list == whole.list) return true;
    return std::ranges::any_of(whole.items(), [&](const Value& v) { return is_inside(v, part); });
  }
  if (!whole.is_hash()) return false;
  if (part.is_hash() && part.hash == whole.hash) return true;
  return std::ranges::any_of(whole.hash->entries(), [&](const HashEntry& e) { return is_inside(e.value, part); });
}

/// Whether a value is that of a parameter of the class or define whose code runs: a copy of what was given, of which no other code has a
/// part.
static bool is_of_parameter(Evaluator& evaluator, const Frame& frame, const Value& value) {
  if (frame.scope == nullptr || frame.scope->resource == no_resource) return false;
  return std::ranges::any_of(evaluator.catalog().catalog()[frame.scope->resource].parameters(),
                             [&](const Param& p) { return is_inside(p.value, value); });
}

Value CompileRubySession::on_argument_changed(const Given& arg, Task& task) {
  const size_t index = arg[0].is_int() && arg[0].i >= 0 ? static_cast<size_t>(arg[0].i) : SIZE_MAX;
  if (task.caller == nullptr || index >= task.arguments.size()) return Value::undef();
  if (!arg[2].is_list() || arg[2].list->size == 0) {
    if (is_of_parameter(*evaluator_, *task.caller, task.arguments[index])) task.of_parameters.push_back(index);
    change_argument(task, index, arg[1]);
  } else if (std::ranges::find(task.of_parameters, index) == task.of_parameters.end()) {
    if (const Value part = part_at(task.arguments[index], arg[2].items()); !part.is_undef())
      evaluator_->change_value(part, arg[1], *task.caller);
  }
  return Value::undef();
}

void CompileRubySession::change_argument(Task& task, size_t index, const Value& changed) {
  if (task.caller == nullptr || index >= task.arguments.size()) return;
  evaluator_->change_value(task.argument(index), changed, *task.caller);
  task.changed.insert(task.changed.begin(), {index, changed});
}

Value CompileRubySession::on_argument_returned(const Given& arg, Task& task) {
  if (arg[0].is_int() && static_cast<size_t>(arg[0].i) < task.arguments.size()) task.returned = static_cast<size_t>(arg[0].i);
  return Value::undef();
}

/// Looks a key up in the global layer: [found, value]. The last member may name data sources to search before the hierarchy.
Value CompileRubySession::on_lookup_global(const Given& arg, Task&) {
  EvaluatorLookupHost host(*evaluator_, frame_of(arg[0]));
  LookupRequest asked;
  asked.key = arg.text(1);
  asked.global_only = true;
  asked.extra_paths = arg[2];
  if (asked.extra_paths.is_list() && asked.extra_paths.list->size == 0) asked.extra_paths = Value::undef();
  auto found = evaluator_->lookup_service() ? evaluator_->lookup_service()->lookup(asked, host) : std::nullopt;
  return list_of({Value::boolean(found.has_value()), found.value_or(Value::undef())});
}

/// [found, value, reason if not found]
Value CompileRubySession::on_variable(const Given& arg, Task&) {
  Value found;
  if (evaluator_->lookup_variable(arg.text(1), frame_of(arg[0]), found)) return list_of({Value::boolean(true), found});
  const std::string_view variable = arg.name(1);
  std::string reason;
  if (size_t cut = variable.rfind("::"); cut != std::string_view::npos) {
    std::string_view class_name = variable.substr(0, cut);
    if (!evaluator_->catalog().class_known(class_name))
      reason = fmt::format("class {} could not be found", class_name);
    else if (evaluator_->catalog().class_scope(class_name) == nullptr)
      reason = fmt::format("class {} has not been evaluated", class_name);
  }
  return list_of({Value::boolean(false), Value::undef(), reason.empty() ? Value::undef() : text_value(reason)});
}

/// A hash of the variables with the given names, without unknown ones; all variables if no names are given.
Value CompileRubySession::on_variables(const Given& arg, Task&) {
  HashBuilder out(evaluator_->arena());
  Frame& frame = frame_of(arg[0]);
  if (arg[1].is_list()) {
    for (const Value& wanted : arg[1].items()) {
      Value found;
      if (!wanted.is_string()) continue;
      if (evaluator_->lookup_variable(wanted.str(), frame, found)) out.set(wanted, found);
    }
  } else {
    evaluator_->visible_variables(frame, [&](std::string_view n, const Value& v) { out.set(Value::string(n), v); });
  }
  return out.finish();
}

Value CompileRubySession::on_set_variable(const Given& arg, Task&) {
  evaluator_->assign(arg.text(1), arg[2], frame_of(arg[0]));
  return Value::undef();
}

Value CompileRubySession::on_change_variable(const Given& arg, Task&) {
  evaluator_->change_variable(arg.text(1), arg[2], frame_of(arg[0]));
  return Value::undef();
}

Value CompileRubySession::on_frame_key(const Given& arg, Task&) {
  return Value::integer(static_cast<int64_t>(reinterpret_cast<intptr_t>(&frame_of(arg[0]))));
}

Value CompileRubySession::on_log(const Given& arg, Task&) {
  for (LogLevel level : {LogLevel::Debug, LogLevel::Info, LogLevel::Notice, LogLevel::Warning, LogLevel::Err, LogLevel::Alert,
                         LogLevel::Emerg, LogLevel::Crit})
    if (name_of(level) == arg.text(0)) evaluator_->log(level, arg.text(1), std::string(arg.text(2)));
  return Value::undef();
}

/// The value of Puppet code in the scope of a frame. Without a frame the text is only parsed.
Value CompileRubySession::on_evaluate(const Given& arg, Task&) {
  Evaluator& e = *evaluator_;
  std::shared_ptr<const ParsedFile> file = parse_inline(environment_, std::string(arg.text(1)), false, *e.regexes(), e.log_sink());
  if (arg[0].is_undef() || file->body == nullptr) return Value::undef();
  e.keep_alive(file);
  Frame& outer = frame_of(arg[0]);
  Frame* frame = e.make_frame(file->layout, outer.scope, &outer);
  FileGuard guard(e, file.get());
  return e.evaluate(*file->body, *frame);
}

Value CompileRubySession::on_stacktrace(const Given&, Task&) { return list_of_calls(*evaluator_); }

// ---------------------------------------------------------------------------------------------------------------------
// objects

/// [whether there is such a member, its value]
Value CompileRubySession::on_member(const Given& arg, Task&) {
  Value found;
  const Value* held = handle(arg[0]);
  const bool known = held != nullptr && find_member(evaluator_->arena(), *held, arg.text(1), found);
  return list_of({Value::boolean(known), found});
}

Value CompileRubySession::on_object(const Given& arg, Task&) {
  const Value* held = handle(arg[0]);
  return held != nullptr ? describe_object(*held) : Value::undef();
}

/// Calls a function of a native object, such as a lookup context. Members: handle of the object, name, arguments, number of a Ruby block
/// and how many parameters it has.
Value CompileRubySession::on_native(const Given& arg, Task& task) {
  const Value* held = handle(arg[0]);
  const NativeObject* object = held != nullptr ? as_native_object(*held) : nullptr;
  const ObjectFunction* function = object && arg[1].is_string() ? find_object_function(*object->type, arg.text(1)) : nullptr;
  if (!function || !arg[2].is_list())
    throw_error(ErrorCode::ruby_error, {}, "Ruby calls a function of an object that has none of that name");
  TypeContext& types = evaluator_->types();
  const auto& signature = type_cast<CallableType>(function->type);
  const bool block_needed = signature.block != nullptr && !is_assignable(types, signature.block, types::undef());
  const Value given = arg[2];
  if ((signature.parameters != nullptr && !is_instance(types, signature.parameters, given)) || (block_needed && arg[3].is_undef()))
    throw_error(ErrorCode::argument_mismatch, {},
                fmt::format("'{}' of a lookup context cannot be called with these arguments", arg[1].str()));
  if (arg[3].is_undef()) return object->call(arg[1].str(), given.items(), nullptr);
  ObjectBlock block{[&](std::span<const Value> values) {
                      Task inner{"block of the " + task.what, task.loc, task.patience, nullptr};
                      return request(inner, RubyRequest::block, [&](MarshalWriter& w) {
                        w.integer(arg[3].i);
                        w.array(values.size());
                        for (const Value& v : values) w.value(v);
                      });
                    },
                    arg[4].is_int() ? static_cast<size_t>(arg[4].i) : 1};
  return object->call(arg[1].str(), given.items(), &block);
}

// ---------------------------------------------------------------------------------------------------------------------
// the environment

Value CompileRubySession::on_find_file(const Given& arg, Task&) {
  auto path = environment_.find_module_file(arg.text(0) == "templates" ? ModuleFileKind::Templates : ModuleFileKind::Files, arg.text(1));
  return path ? text_value(*path) : Value::undef();
}

Value CompileRubySession::describe_module(const Module& m) {
  return list_of({Value::string(m.name), Value::string(m.path), Value::string(m.version)});
}

Value CompileRubySession::on_modules(const Given&, Task&) {
  ListBuilder all(evaluator_->arena());
  for (const Module& m : environment_.modules()) all.add(describe_module(m));
  return all.finish();
}

Value CompileRubySession::on_module(const Given& arg, Task&) {
  const Module* found = environment_.find_module(arg.text(0));
  return found != nullptr ? describe_module(*found) : Value::undef();
}

/// [whether there is such a setting, its value]
Value CompileRubySession::on_setting(const Given& arg, Task&) {
  Value found;
  const bool known = evaluator_->catalog().find_setting(arg.text(0), found);
  return list_of({Value::boolean(known), found});
}

Value CompileRubySession::on_node_name(const Given&, Task&) { return Value::string(evaluator_->catalog().node_name()); }

} // namespace pupc::compiler
