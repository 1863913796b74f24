// What a compile asks of its Ruby worker: functions of modules, templates, Hiera 3 backends.
#include "catalog/base/stack.h"
#include "catalog/value/frozen.h"
#include "catalog/value/map_leaves.h"
#include "catalog/value/symbol_text.h"
#include "compiler/eval/function_choice.h"
#include "compiler/hiera/lookup.h"
#include "compiler/load/dependencies.h"
#include "compiler/ruby/worker/libraries.h"
#include "compiler/ruby/worker/marshal_reader.h"
#include "compiler/ruby/worker/session.h"
#include "compiler/types/core_types.h"
#include "compiler/types/lookup_context.h"

#include <fmt/format.h>

namespace pupc::compiler {
namespace {

using Clock = std::chrono::steady_clock;

/// Throws an error without a place: the call site adds it.
[[noreturn]] void fail_here(ErrorCode code, std::string message, std::string suggestion = {}) {
  Diagnostic d;
  d.code = code;
  d.message = std::move(message);
  d.suggestion = std::move(suggestion);
  throw CompileError(std::move(d));
}

} // namespace

std::unique_ptr<RubyService> make_ruby_service(RubyPool& pool, const Environment& environment) {
  return std::make_unique<CompileRubySession>(pool, environment);
}

CompileRubySession::~CompileRubySession() { pool_.give_back(std::move(worker_)); }

void CompileRubySession::start_for(const Task& task, ErrorCode code) {
  try {
    start();
  } catch (const RubyWorkerLost& lost) { fail_here(code, fmt::format("The {} needs Ruby, which {}", task.what, lost.reason)); }
}

void CompileRubySession::start() {
  if (worker_ != nullptr && worker_->alive()) return;
  if (DependencyRecorder* notes = environment_.recorder()) notes->doubt("it ran Ruby");
  methods_told_ = 0;
  auto begin = Clock::now();
  RubyLibraries libraries = ruby_libraries(environment_);
  if (frames_.empty()) frames_.push_back(evaluator_->catalog().top_scope().frame);
  const EnvironmentOptions& options = environment_.options();
  Task task{"start", {}, pool_.options().timeout, nullptr};
  auto build = [&](MarshalWriter& w) {
    w.string(options.name);
    w.array(options.modulepath.size());
    for (const auto& directory : options.modulepath) w.string(directory);
    w.string(options.manifest);
    w.array(libraries.directories.size());
    for (const auto& directory : libraries.directories) w.string(directory);
    Strict strict = evaluator_->settings().strict;
    w.string(strict == Strict::Error ? "error" : strict == Strict::Warning ? "warning" : "off");
    w.boolean(evaluator_->settings().strict_variables);
    LogLevel least = LogLevel::Debug;
    while (least < LogLevel::Crit && !evaluator_->logs(least)) least = static_cast<LogLevel>(static_cast<int>(least) + 1);
    w.string(name_of(least));
  };
  do // try another process if this one has loaded libraries that have changed since
    worker_ = pool_.take(libraries.key);
  while (request(task, RubyRequest::begin, build).truthy());
  pool_.add_start_time(Clock::now() - begin);
}

/// Compares with Ruby's ==. False once the worker is gone: then each object only equals itself.
bool CompileRubySession::same(const RuntimeObject& a, const RuntimeObject& b) const {
  auto& self = const_cast<CompileRubySession&>(*this); // a comparison changes nothing visible, but it needs the worker
  if (worker_ == nullptr || !worker_->alive()) return false;
  Task task{"comparison of two objects", {}, pool_.options().timeout, nullptr};
  Value answer = self.request(task, RubyRequest::equal, [&](MarshalWriter& w) {
    w.value(Value::opaque_of(Kind::Object, &a));
    w.value(Value::opaque_of(Kind::Object, &b));
  });
  return answer.truthy();
}

std::string CompileRubySession::text(const RuntimeObject& object) const {
  auto& self = const_cast<CompileRubySession&>(*this);
  if (worker_ == nullptr || !worker_->alive()) return fmt::format("#<{}>", object.class_name());
  Task task{fmt::format("text of an object of class {}", object.class_name()), {}, pool_.options().timeout, nullptr};
  Value answer = self.request(task, RubyRequest::text, [&](MarshalWriter& w) { w.value(Value::opaque_of(Kind::Object, &object)); });
  return std::string(answer.is_string() ? answer.str() : std::string_view());
}

void CompileRubySession::fail_lost(const RubyWorkerLost& lost, const Task& task) {
  functions_.clear();
  beside_.clear();
  Diagnostic d;
  d.code = ErrorCode::ruby_error;
  d.message = fmt::format("The Ruby worker {}{}", lost.reason, task.what == "start" ? "" : " while it ran the " + task.what);
  throw CompileError(std::move(d));
}

void CompileRubySession::fail(const Value& failure, const Task& task) {
  auto members = failure.items();
  auto member = [&](size_t i) { return i < members.size() ? members[i] : Value::undef(); };
  if (member(2).is_int()) { // our own exception, which came back through Ruby
    auto number = static_cast<size_t>(member(2).i);
    if (number < jumps_.size() && jumps_[number]) std::rethrow_exception(jumps_[number]);
  }
  Diagnostic d;
  d.code = ErrorCode::ruby_error;
  d.message = member(1).is_string() ? std::string(member(1).str()) : "error in Ruby";
  std::string class_name = member(3).is_string() ? std::string(member(3).str()) : "";
  if (class_name == "PupcWorker::NotFound") throw KeyNotFoundSignal{};
  if (class_name == "SystemExit") d.message = fmt::format("The {} called exit", task.what);
  if (class_name == "SystemStackError") d.code = ErrorCode::stack_overflow;
  if (member(4).is_string())
    d.suggestion = fmt::format("Ruby raised {} at {}:{}.", class_name, member(4).str(), member(5).is_int() ? member(5).i : 0);
  if (member(8).is_list() && member(8).items().size() == 3) { // ParseError.new(message, file, line)
    auto place = member(8).items();
    d.file = std::string(place[0].str());
    d.line = static_cast<uint32_t>(place[1].i);
    d.column = static_cast<uint32_t>(place[2].i);
  }
  if (task.template_ && !d.line && member(7).is_list() && member(7).items().size() == 2) {
    d.file = std::string(member(7).items()[0].str());
    d.line = static_cast<uint32_t>(member(7).items()[1].i);
  }
  // Nothing in Puppet rescues what is no StandardError and adds text to its message.
  const bool standard = !member(6).is_bool() || member(6).truthy();
  if (!standard && class_name != "SystemExit" && class_name != "SystemStackError") d.preformatted = true;
  throw CompileError(std::move(d));
}

/// Whether a Symbol in this message stays a Symbol, as in values that code of modules made. In other messages a Symbol is just a name.
/// Puppet functions that Ruby calls also get a text, because most of them could do nothing with a Symbol.
static bool keeps_symbols(RubyRequest question, const Value& kind) {
  if (!kind.is_int()) return false;
  if (kind.i == ruby_first_question + static_cast<int64_t>(RubyCallback::call)) return true; // on_call decides
  if (kind.i == ruby_answer)
    return question == RubyRequest::call3 || question == RubyRequest::call4 || question == RubyRequest::object_call ||
           question == RubyRequest::block;
  const auto callback = static_cast<RubyCallback>(kind.i - ruby_first_question);
  return kind.i >= ruby_first_question && (callback == RubyCallback::block || callback == RubyCallback::set_variable ||
                                           callback == RubyCallback::change_variable || callback == RubyCallback::argument_changed);
}

Value CompileRubySession::request(Task& task, RubyRequest question, const Build& build) {
  // Each level is a call in both languages. Both stacks could hold more levels, but every further level takes longer than the one before.
  constexpr size_t deepest = 200;
  size_t depth = 0;
  for (const Task* t = task_; t != nullptr; t = t->outer) ++depth;
  if (native_stack_low() || depth > deepest)
    fail_here(ErrorCode::stack_overflow,
              fmt::format("the {} and what it calls call each other without end (stack level too deep)", task.what));
  std::string payload;
  MarshalWriter writer(payload, handles_);
  begin_question(writer, question);
  build(writer);
  task.outer = task_;
  task_ = &task;
  struct Leave {
    Task*& current;
    Task* outer;
    ~Leave() { current = outer; }
  } leave{task_, task.outer};
  try {
    worker_->send(payload, pool_.options().timeout);
    while (true) {
      std::string bytes = worker_->receive(task.patience, pool_.options().timeout);
      Value message;
      objects_.symbols = false;
      try {
        message = WireReader(bytes, evaluator_->arena(), evaluator_->types(), handles_, &objects_).value();
      } catch (const NeedsTaggedBytes&) {
        payload.clear();
        MarshalWriter again(payload, handles_);
        begin_question(again, RubyRequest::again);
        worker_->send(payload, pool_.options().timeout);
        continue;
      }
      if (!message.is_list() || message.items().empty()) throw_error(ErrorCode::internal_error, {}, "the Ruby worker sent no message");
      if (objects_.symbols && !keeps_symbols(question, message.items()[0])) message = symbols_as_texts(evaluator_->arena(), message);
      const Value& kind = message.items()[0];
      if (kind.is_int() && kind.i == ruby_answer) return message.items()[1];
      if (kind.is_int() && kind.i == ruby_failure) fail(message, task);
      serve(message, task);
    }
  } catch (const RubyWorkerLost& lost) { fail_lost(lost, task); }
}

// ---------------------------------------------------------------------------------------------------------------------
// functions

/// [[[type, name]…], least, most, [block type, name, required] | nil, return type | nil, mismatch, method]
static RubyDispatchText read_dispatch(const Value& v) {
  auto members = v.items();
  RubyDispatchText d;
  for (const Value& pair : members[0].items()) d.parameters.emplace_back(pair.items()[0].str(), pair.items()[1].str());
  d.least = members[1].i;
  d.most = members[2].i;
  if (members[3].is_list()) {
    auto block = members[3].items();
    d.block = RubyDispatchText::Block{block[0].str(), block[1].str(), block[2].b};
  }
  if (members[4].is_string()) d.returns = members[4].str();
  d.mismatch = members[5].is_bool() && members[5].b;
  d.method = members[6].str();
  return d;
}

const RubyFunction& CompileRubySession::function(std::string_view name, const std::string& file, Task& task) {
  // Several modules may have a function of this name, and one module may have it in both APIs. The process holds only one of them at a
  // time, so check which file it comes from.
  auto [entry, is_new] = functions_.try_emplace(std::string(name));
  if (!is_new && entry->second.file == file) return entry->second;
  entry->second = {};
  try {
    Value signatures = request(task, RubyRequest::load, [&](MarshalWriter& w) {
      w.integer(0);
      w.string(name);
      w.string(file);
    });
    RubyFunction& f = functions_[std::string(name)]; // look it up again: loading may have added other functions
    f.file = file;
    f.legacy = signatures.is_list(); // for a 3.x file: a list of the other functions that it defines
    if (f.legacy) {
      for (const Value& other : signatures.items())
        if (beside_.emplace(other.str(), file).second) {
          RubyFunction& beside = functions_.try_emplace(std::string(other.str())).first->second;
          beside.file = file;
          beside.legacy = true;
        }
      return functions_[std::string(name)];
    }
    f.own_call = signatures.hash->find("own_call")->truthy();
    std::vector<std::pair<std::string_view, std::string_view>> types;
    if (const Value& declared = *signatures.hash->find("types"); declared.is_list())
      for (const Value& pair : declared.items()) types.emplace_back(pair.items()[0].str(), pair.items()[1].str());
    std::vector<RubyDispatchText> dispatches;
    for (const Value& v : signatures.hash->find("dispatches")->items()) dispatches.push_back(read_dispatch(v));
    f.dispatches = make_dispatches(evaluator_->types(), types, dispatches);
    return f;
  } catch (...) {
    functions_.erase(std::string(name));
    throw;
  }
}

std::string CompileRubySession::defined_beside(std::string_view name) const {
  auto found = beside_.find(std::string(name));
  return found == beside_.end() ? std::string() : found->second;
}

/// A block as [number, [names of its parameters, least, most]], or nil.
void CompileRubySession::write_block(MarshalWriter& w, const Closure* block, size_t number) {
  if (block == nullptr) return w.nil();
  w.array(2);
  w.integer(static_cast<int64_t>(number));
  w.array(3);
  w.array(block->parameters().size);
  int64_t least = 0, most = 0;
  for (const Parameter& p : block->parameters()) {
    w.string(p.name.str());
    if (p.captures_rest) {
      most = -1;
      continue;
    }
    if (p.default_value == nullptr) ++least;
    if (most >= 0) ++most;
  }
  w.integer(least);
  w.integer(most);
}

static std::string reason_of(Evaluator& evaluator) {
  return evaluator.native_ruby() != nullptr ? evaluator.native_ruby()->take_reason() : std::string();
}

static std::vector<MadeCall> made_calls(Evaluator& evaluator) {
  return evaluator.native_ruby() != nullptr ? evaluator.native_ruby()->take_made_calls() : std::vector<MadeCall>();
}

Value CompileRubySession::call_function(Evaluator& evaluator, std::string_view name, const RubyFunctionFile& source,
                                        std::span<const Value> args, const Closure* block, Frame& caller, Loc loc) {
  evaluator_ = &evaluator;
  const std::string& file = source.path();
  auto begin = Clock::now();
  struct Count {
    CompileRubySession& session;
    std::string_view name;
    const RubyFunctionFile& file;
    Clock::time_point begin;
    std::string reason;
    ~Count() {
      const bool unknown = !session.always() && choose_function(session.evaluator_->functions(), name, file).version_unknown;
      std::string note;
      if (unknown && file.program()) note = fmt::format("version unknown: its program is 0x{:016x}", *file.program());
      if (unknown && !file.program()) note = "version unknown: its source cannot be followed without Ruby";
      session.pool_.add_use("function", name, file.path(), Clock::now() - begin, note, reason);
    }
  } count{*this, name, source, begin, reason_of(evaluator)};
  const std::vector<MadeCall> made = made_calls(evaluator);
  const NativeRuby::State state = evaluator.native_ruby() != nullptr ? evaluator.native_ruby()->take_state() : NativeRuby::State();
  Task task{fmt::format("function '{}' ({})", name, file), loc, pool_.options().timeout, nullptr};
  start_for(task, ErrorCode::ruby_error);
  const RubyFunction& f = function(name, file, task);
  if (!state.empty())
    request(task, RubyRequest::state, [&](MarshalWriter& w) {
      w.string(name);
      w.array(state.size());
      for (const auto& [variable, value] : state) {
        w.array(2);
        w.string(variable);
        w.value(value);
      }
    });
  task.made = made;
  NumberedFrame frame(frames_, caller);
  auto write_arguments = [&](MarshalWriter& w) {
    w.array(args.size());
    for (const Value& arg : args) w.value(f.legacy ? thawed(evaluator.arena(), arg) : arg); // the 3.x API gets copies
  };
  if (f.legacy) {
    Value result = request(task, RubyRequest::call3, [&](MarshalWriter& w) {
      w.integer(static_cast<int64_t>(frame.number));
      w.string(name);
      write_arguments(w);
    });
    return result;
  }
  task.arguments = args;
  task.caller = &caller;
  Numbered<const Closure*> numbered(blocks_, block);
  auto call = [&](int64_t index) {
    Value result = request(task, RubyRequest::call4, [&](MarshalWriter& w) {
      w.integer(static_cast<int64_t>(frame.number));
      w.string(name);
      w.integer(index);
      write_arguments(w);
      write_block(w, block, numbered.number);
    });
    return task.returned ? task.argument(*task.returned) : result;
  };
  if (f.own_call) return call(-1);
  for (size_t i = 0; i < f.dispatches.size(); ++i) {
    const RubyDispatch& d = f.dispatches[i];
    if (d.mismatch || !d.accepts(evaluator_->types(), args, block)) continue;
    const Type* returns = d.returns;
    Value result = call(static_cast<int64_t>(i));
    if (returns != nullptr && !is_instance(evaluator.types(), returns, result))
      fail_here(ErrorCode::type_mismatch,
                describe_mismatch(evaluator.types(), fmt::format("value returned from function '{}' has wrong type,", d.method), returns,
                                  result));
    return result;
  }
  for (size_t i = 0; i < f.dispatches.size(); ++i)
    if (f.dispatches[i].mismatch && f.dispatches[i].accepts(evaluator_->types(), args, block)) {
      Value text = call(static_cast<int64_t>(i));
      if (text.is_string()) fail_here(ErrorCode::argument_mismatch, fmt::format("'{}' {}", name, text.str()));
    }
  fail_dispatches(evaluator_->types(), name, f.dispatches, args, block);
}

/// For a function that overrides `call`: finds the first of its dispatches that accepts the arguments.
int64_t CompileRubySession::pick_dispatch(std::string_view name, std::span<const Value> args) {
  auto f = functions_.find(std::string(name));
  if (f == functions_.end()) throw_error(ErrorCode::ruby_error, {}, fmt::format("the function '{}' is not known", name));
  for (size_t i = 0; i < f->second.dispatches.size(); ++i)
    if (!f->second.dispatches[i].mismatch && f->second.dispatches[i].accepts(evaluator_->types(), args, nullptr))
      return static_cast<int64_t>(i);
  fail_dispatches(evaluator_->types(), name, f->second.dispatches, args, nullptr);
}

// ---------------------------------------------------------------------------------------------------------------------
// backends of Hiera 3

/// Turns texts that begin with the mark into symbols.
static Value with_symbols(Arena& arena, const Value& v) {
  return map_leaves(arena, v, [](const Value& leaf) {
    return leaf.is_string() && leaf.str().starts_with(BackendRequest::symbol_mark) ? symbol_text(leaf.str().substr(1)) : leaf;
  });
}

std::optional<Value> CompileRubySession::call_backend(Evaluator& evaluator, const BackendRequest& asked, std::string_view calling_class,
                                                      Frame& frame) {
  evaluator_ = &evaluator;
  auto begin = Clock::now();
  Task task{fmt::format("Hiera 3 backend '{}'", asked.backend), {}, pool_.options().timeout, nullptr};
  start_for(task, ErrorCode::not_implemented);
  NumberedFrame numbered(frames_, frame);
  Value answer = request(task, RubyRequest::backend, [&](MarshalWriter& w) {
    w.integer(static_cast<int64_t>(numbered.number));
    w.string(asked.backend);
    w.string(asked.key);
    w.value(asked.config);
    w.value(asked.order_override);
    w.value(asked.resolution);
    w.boolean(asked.version_3);
    w.string(calling_class);
  });
  pool_.add_use("backend", asked.backend, "", Clock::now() - begin);
  auto members = answer.items();
  if (members.size() == 2 && members[0].i == 0) return members[1];
  if (members.size() == 2 && members[0].i == 3) return with_symbols(evaluator.arena(), members[1]);
  if (members.size() == 2)
    fail_here(ErrorCode::lookup_error, std::string(members[1].str()),
              "It is looked for as lib/hiera/backend/NAME_backend.rb of the environment's modules and in Ruby's own library path.");
  return std::nullopt;
}

// ---------------------------------------------------------------------------------------------------------------------
// templates

std::string CompileRubySession::render_erb(Evaluator& evaluator, Frame& frame, std::string_view text, std::string_view path, Loc loc) {
  evaluator_ = &evaluator;
  auto begin = Clock::now();
  Task task{path.empty() ? std::string("inline template") : fmt::format("template {}", path), loc, pool_.options().timeout, nullptr};
  task.template_ = true;
  const std::string reason = reason_of(evaluator);
  const std::vector<MadeCall> made = made_calls(evaluator);
  start_for(task, ErrorCode::not_implemented);
  NumberedFrame numbered(frames_, frame);
  task.made = made;
  std::span<const TemplateMethodCode> methods;
  if (evaluator.native_ruby() != nullptr) methods = evaluator.native_ruby()->template_methods().subspan(methods_told_);
  Value result = request(task, RubyRequest::erb, [&](MarshalWriter& w) {
    w.integer(static_cast<int64_t>(numbered.number));
    w.string(text);
    w.string(path);
    w.array(methods.size());
    for (const TemplateMethodCode& method : methods) {
      w.array(3);
      w.string(method.code);
      w.string(method.path);
      w.integer(method.line);
    }
  });
  methods_told_ += methods.size();
  if (result.is_list()) { // the text, and what says that methods were defined
    if (evaluator.native_ruby() != nullptr) evaluator.native_ruby()->leave_template_methods_to_ruby();
    result = result.items()[0];
  }
  pool_.add_use("template", path.empty() ? "inline" : path.substr(path.rfind('/') + 1), path, Clock::now() - begin, {}, reason);
  return result.is_string() ? std::string(result.str()) : std::string();
}

} // namespace pupc::compiler
