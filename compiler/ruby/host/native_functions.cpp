#include "compiler/ruby/host/native_functions.h"
#include "catalog/base/stack.h"
#include "catalog/base/text_hash.h"
#include "catalog/value/frozen.h"

#include "compiler/eval/catalog_builder.h"
#include "compiler/eval/ruby_dispatch.h"
#include "compiler/ruby/host/evaluator_host.h"
#include "compiler/ruby/interpreter/function_file.h"
#include "compiler/ruby/interpreter/interpreter.h"
#include "compiler/types/core_types.h"
#include "compiler/types/lookup_context.h"
#include "compiler/types/runtime_object.h"

#include <fmt/format.h>

#include <algorithm>
#include <list>
#include <map>
#include <mutex>
#include <optional>
#include <unordered_map>

namespace pupc::compiler {
namespace {

using ruby::FunctionFile;

/// The function files read so far. The environment keeps this cache; a file is read again when its text has changed.
class FileCache : public EnvironmentAttachment {
public:
  std::shared_ptr<const FunctionFile> get(const std::string& path, const std::string& text, std::string_view name, RegexCache& regexes,
                                          const ruby::CallableFunctions& functions) {
    std::lock_guard lock(mutex_);
    Entry& entry = files_[{path, std::string(name)}]; // a file of the old API may have several functions
    if (entry.file == nullptr || entry.text != text) {
      entry.text = text;
      entry.file = ruby::read_function_file(text, name, path.find("/parser/functions/") != std::string::npos, regexes, functions);
    }
    return entry.file;
  }

private:
  struct Entry {
    std::string text;
    std::shared_ptr<const FunctionFile> file;
  };
  std::mutex mutex_;
  std::map<std::pair<std::string, std::string>, Entry> files_;
};

class NativeFunctions final : public NativeRubyOfCompile {
public:
  bool call_function(Evaluator& evaluator, std::string_view name, const std::string& file, std::span<const Value> args,
                     const Closure* block, Frame& caller, Loc loc, Value& out) override;
  std::string defined_beside(std::string_view name) const override {
    const auto found = beside_.find(name);
    return found == beside_.end() ? std::string() : found->second;
  }
  bool runs(Evaluator& evaluator, std::string_view name, const std::string& file) override {
    const Function& f = find(evaluator, name, file);
    return f.file != nullptr && !f.file->needs_ruby;
  }
  bool harmless(Evaluator& evaluator, std::string_view name, const std::string& file) override {
    const Function& f = find(evaluator, name, file);
    return f.file != nullptr && f.file->program.doubts.empty() && !f.file->program.effects && !f.file->program.keeps_state;
  }

private:
  /// A call, which later ones of the same function may go on from.
  struct Run {
    Run(Evaluator& evaluator, const FunctionFile& file, std::string_view path, Frame& frame, const Closure* block, Loc loc)
        : host(std::in_place, evaluator, frame, block, loc), interpreter(file.program, *host, path, 0) {}
    std::optional<EvaluatorHost> host;
    ruby::Interpreter interpreter;
  };
  struct Function {
    std::string path;
    std::shared_ptr<const FunctionFile> file; // null: only Ruby can run the function
    std::vector<RubyDispatch> dispatches;
    mutable bool in_ruby = false;      // Ruby has taken over with what calls have in common: it runs all that follow
    mutable std::unique_ptr<Run> last; // the call before, where the next one can go on from it; null while one runs
    mutable bool running = false;
    std::string reason; // why only Ruby can
  };
  static void leave_to_ruby(Evaluator& evaluator, const Function& f, Run* run, std::string_view reason);
  bool call_file(Evaluator& evaluator, std::string_view name, const std::string& path, std::span<const Value> args, const Closure* block,
                 Frame& caller, Loc loc, Value& out);
  bool call_known(Evaluator& evaluator, std::string_view name, const Function& f, std::span<const Value> args, const Closure* block,
                  Frame& caller, Loc loc, Value& out);
  const Function& find(Evaluator& evaluator, std::string_view name, const std::string& path);
  static bool run(Evaluator& evaluator, const Function& f, std::string_view method, std::span<const Value> args, const Closure* block,
                  Frame& frame, Loc loc, Value& out, bool with_scope = false, bool shared = false);
  bool call_old_api(Evaluator& evaluator, std::string_view name, const Function& f, std::span<const Value> args, Frame& caller, Loc loc,
                    Value& out);
  bool plain_copy(Arena& arena, const Value& v, Value& out);

  std::map<std::string, std::string, std::less<>> beside_; // functions of files that have others' names, with their files
  /// Large lists and hashes that functions of the 3.x API got, by their address, each with its plain_copy.
  std::unordered_map<const void*, std::pair<Value, Value>> plain_copies_;
  /// By name, most of which one file alone has. Per compile, because the types in them belong to it.
  std::unordered_map<std::string, std::list<Function>, TransparentHash, std::equal_to<>> functions_;
};

const NativeFunctions::Function& NativeFunctions::find(Evaluator& evaluator, std::string_view name, const std::string& path) {
  auto known = functions_.find(name);
  if (known == functions_.end()) known = functions_.try_emplace(std::string(name)).first;
  for (const Function& one : known->second)
    if (one.path == path) return one;
  Function& f = known->second.emplace_back();
  f.path = path;
  const Environment& environment = evaluator.environment();
  auto cache = environment.attached<FileCache>();
  std::shared_ptr<const std::string> text = environment.read_file(path);
  if (text == nullptr) return f;
  auto file = cache->get(path, *text, name, environment.regexes(), KnownFunctions(evaluator.functions()));
  if (!file->program.problems.empty()) {
    evaluator.log(LogLevel::Debug, "", fmt::format("The function {} is run by Ruby: {}", name, file->program.problems[0]));
    f.reason = file->program.problems[0];
    return f;
  }
  if (file->program.changes_compile && !file->program.doubts.empty()) { // Ruby could not take over in the middle
    f.reason = file->program.doubts[0];
    return f;
  }
  std::vector<std::pair<std::string_view, std::string_view>> types(file->types.begin(), file->types.end());
  std::vector<RubyDispatchText> dispatches;
  for (const ruby::DispatchText& d : file->dispatches) {
    RubyDispatchText text_of_dispatch;
    for (const auto& p : d.parameters) text_of_dispatch.parameters.emplace_back(p.type, p.name);
    text_of_dispatch.least = d.least;
    text_of_dispatch.most = d.most;
    if (d.block) text_of_dispatch.block = RubyDispatchText::Block{d.block->type, d.block->name, d.block->required};
    if (d.returns) text_of_dispatch.returns = *d.returns;
    text_of_dispatch.mismatch = d.mismatch;
    text_of_dispatch.method = d.method;
    dispatches.push_back(std::move(text_of_dispatch));
  }
  try {
    f.dispatches = make_dispatches(evaluator.types(), types, dispatches);
    f.file = std::move(file);
  } catch (const CompileError&) { // leave it to Ruby, which finds the same error and reports its place
    f.reason = "an error in the types of its dispatches";
  }
  return f;
}

/// Whether a type refers to all classes or resources, or to all of a type. Puppet's error for them is Ruby's.
bool is_unspecific_reference(const Type& type) {
  if (type.kind == TypeKind::Class) return type_cast<ClassType>(&type).class_name.empty();
  return type.kind == TypeKind::CatalogEntry || (type.kind == TypeKind::Resource && !type_cast<ResourceType>(&type).has_title);
}

/// Converts a value for a 3.x function; false for kinds of values that such a function sees as Ruby objects.
bool old_api_argument(Evaluator& evaluator, const Value& v, bool outermost, Value& out) {
  check_native_stack();
  Arena& arena = evaluator.arena();
  switch (v.kind) {
  case Kind::Undef: out = outermost ? Value::string("") : v; return true;
  case Kind::String: out = is_frozen(v) ? thawed(arena, v) : v; return true;
  case Kind::List: {
    ListBuilder items(arena, v.items().size());
    for (const Value& item : v.items()) {
      Value converted;
      if (!old_api_argument(evaluator, item, false, converted)) return false;
      items.add(converted);
    }
    out = items.finish();
    return true;
  }
  case Kind::Hash: {
    auto* entries = arena.make_array<HashEntry>(v.hash->size);
    for (size_t i = 0; i < v.hash->size; ++i) {
      const HashEntry& entry = v.hash->data[i];
      Value key; // which nothing can change
      if (!old_api_argument(evaluator, entry.key, false, key) || !old_api_argument(evaluator, entry.value, false, entries[i].value))
        return false;
      entries[i].key = entry.key;
    }
    out = with_entries(arena, *v.hash, entries);
    return true;
  }
  case Kind::Bool:
  case Kind::Int:
  case Kind::Float:
  case Kind::Default:
  case Kind::Sensitive: out = v; return true;
  case Kind::Type: out = v; return outermost && !is_unspecific_reference(*as_type(v));
  default: out = v; return as_runtime_object(v) != nullptr && as_runtime_object(v)->is_date();
  }
}

/// Whether a value has only parts that such a function sees as they are.
bool is_plain_data(const Value& v) {
  check_native_stack();
  if (v.is_list()) return std::all_of(v.items().begin(), v.items().end(), is_plain_data);
  if (v.is_hash())
    return std::all_of(v.hash->entries().begin(), v.hash->entries().end(),
                       [](const HashEntry& e) { return is_plain_data(e.key) && is_plain_data(e.value); });
  return v.is_undef() || v.is_string() || v.is(Kind::Bool) || v.is_int() || v.is(Kind::Float) || v.is(Kind::Default);
}

/// An error of what neither the interpreter nor Ruby can do alone.
[[noreturn]] static void fail_between(std::string message, std::string suggestion) {
  Diagnostic d;
  d.code = ErrorCode::ruby_error;
  d.message = std::move(message);
  d.suggestion = std::move(suggestion);
  throw CompileError(std::move(d));
}

/// Ruby goes on with the function: all later calls are Ruby's, and its object gets the variables that the calls before this one have left.
/// `run`: the interpreter of those calls; null for the first one.
void NativeFunctions::leave_to_ruby(Evaluator& evaluator, const Function& f, Run* run, std::string_view reason) {
  if (!f.file->program.keeps_state) return;
  f.in_ruby = true;
  NativeRuby::State state;
  std::string what;
  if (run != nullptr && !run->interpreter.state_before_call(state, what))
    fail_between(fmt::format("{}: {} needs Ruby, which cannot get {} as the calls before have left it", f.path, reason, what),
                 "With --ruby=always Ruby runs all calls of such functions.");
  evaluator.native_ruby()->set_state(std::move(state));
}

/// Code that has changed the catalog came to something that only Ruby knows. Ruby would make the changes a second time.
[[noreturn]] static void fail_unrepeatable(const std::string& path, uint32_t line, std::string_view reason) {
  fail_between(fmt::format("{}:{}: {} needs Ruby, and the function has changed the catalog by then", path, line, reason),
               "With --ruby=always Ruby runs such functions from their start.");
}

/// The calls of a function that is called while it runs have one object in Ruby, and what one leaves the other sees.
[[noreturn]] static void fail_within_itself(const std::string& path) {
  fail_between(fmt::format("{}: the function keeps something from one call to the next, and is called while it runs", path),
               "With --ruby=always Ruby runs such functions.");
}

bool NativeFunctions::run(Evaluator& evaluator, const Function& f, std::string_view method, std::span<const Value> args,
                          const Closure* block, Frame& frame, Loc loc, Value& out, bool with_scope, bool shared) {
  const FunctionFile& file = *f.file;
  if (f.in_ruby) {
    evaluator.native_ruby()->set_reason("what a call in Ruby may have left");
    return false;
  }
  if (f.running && file.program.keeps_state) fail_within_itself(f.path);
  std::unique_ptr<Run> run = std::move(f.last);
  const bool goes_on = run != nullptr;
  struct Running { // the object of a function lives as long as the compile, however its calls end
    Running(const Function& function, std::unique_ptr<Run>& own) : f(function), run(own), outer(std::exchange(f.running, true)) {}
    ~Running() {
      f.running = outer;
      if (f.file->program.keeps_state && !f.in_ruby) f.last = std::move(run);
    }
    const Function& f;
    std::unique_ptr<Run>& run;
    bool outer;
  } running{f, run};
  if (goes_on) {
    run->host.emplace(evaluator, frame, block, loc);
    run->interpreter.go_on();
  } else {
    run = std::make_unique<Run>(evaluator, file, f.path, frame, block, loc);
  }
  EvaluatorHost& host = *run->host;
  const auto give_up = [&](std::string reason) {
    leave_to_ruby(evaluator, f, goes_on ? run.get() : nullptr, reason);
    evaluator.native_ruby()->set_reason(std::move(reason));
    evaluator.native_ruby()->set_made_calls(host.give_up());
    return false;
  };
  if (block != nullptr && !block->interpreted && !host.harmless(*block)) return give_up("a block with effects");
  ruby::RubyError failure{};
  try {
    ruby::Interpreter& interpreter = run->interpreter;
    interpreter.shares_arguments(!file.old_api || shared);
    if (!file.old_api && !goes_on) interpreter.define();
    if (file.old_api && !file.returns_value) interpreter.ignores_result();
    out = interpreter.call(method, args, block != nullptr, with_scope);
    const NativeObject* missed = interpreter.missed();
    if (!file.program.keeps_state && file.repeats && !host.changed_compile() && interpreter.can_go_on()) f.last = std::move(run);
    if (missed != nullptr) {
      if (args.empty() || as_native_object(args.back()) != missed) throw KeyNotFoundSignal{};
      missed->miss(true);
    }
    return true;
  } catch (const ruby::NeedsRuby& beyond) {
    if (host.changed_compile()) fail_unrepeatable(f.path, beyond.line, beyond.reason);
    if (run->interpreter.has_changed_kept()) {
      if (running.outer) fail_within_itself(f.path);
      f.in_ruby = true;
    }
    evaluator.log(LogLevel::Debug, "", fmt::format("The function in {} is run by Ruby: line {}: {}", f.path, beyond.line, beyond.reason));
    return give_up(fmt::format("line {}: {}", beyond.line, beyond.reason));
  } catch (ruby::RubyError& error) { failure = std::move(error); }
  if (failure.class_ == ruby::RubyClass::Other && !host.changed_compile())
    return give_up(fmt::format("line {}: an error of Ruby's own", failure.line));
  Diagnostic d;
  d.code = ErrorCode::ruby_error;
  d.message = failure.message;
  d.suggestion = fmt::format("Ruby raised {} at {}:{}.", ruby::class_name(failure.class_), f.path, failure.line);
  // Puppet adds text to the message of a StandardError only, and to none that says it is complete.
  d.preformatted = ruby::descends(failure.class_, ruby::RubyClass::PreformattedError) ||
                   (ruby::is_exception(failure.class_) && !ruby::descends(failure.class_, ruby::RubyClass::StandardError));
  throw CompileError(std::move(d));
}

/// What a function of the 3.x API gets of a list or hash that it does not change: all such functions may have the same one. False where a
/// part is no plain data.
bool NativeFunctions::plain_copy(Arena& arena, const Value& v, Value& out) {
  const bool large = (v.is_list() ? v.list->size : v.hash->size) > 16; // of the others it is quickly told
  const void* const key = v.is_list() ? static_cast<const void*>(v.list) : v.hash;
  if (const auto known = large ? plain_copies_.find(key) : plain_copies_.end();
      known != plain_copies_.end() && known->second.first.flags == v.flags) {
    out = known->second.second;
    return true;
  }
  if (!is_plain_data(v)) return false;
  out = thawed(arena, v);
  if (large) plain_copies_.insert_or_assign(key, std::pair(v, out));
  return true;
}

bool NativeFunctions::call_old_api(Evaluator& evaluator, std::string_view name, const Function& f, std::span<const Value> args,
                                   Frame& caller, Loc loc, Value& out) {
  const FunctionFile& file = *f.file;
  const bool shared = evaluator.native_ruby()->take_passes_objects();
  auto given = static_cast<int64_t>(args.size());
  if (file.arity >= 0 ? given != file.arity : given < -file.arity - 1)
    fail_unplaced(fmt::format("{}(): Wrong number of arguments given ({} for {})", name, given,
                              file.arity >= 0 ? std::to_string(file.arity) : fmt::format("minimum {}", -file.arity - 1)),
                  ErrorCode::ruby_error);
  std::vector<Value> converted(args.size());
  for (size_t i = 0; i < args.size(); ++i) {
    // Puppet hands over copies, of which code that changes nothing in place can tell nothing.
    if (!file.changes_objects && !shared && (args[i].is_list() || args[i].is_hash()) &&
        plain_copy(evaluator.arena(), args[i], converted[i]))
      continue;
    if (!old_api_argument(evaluator, args[i], !shared, converted[i])) {
      const bool parts = args[i].is_list() || args[i].is_hash(); // whose whole type takes long to tell
      const std::string type = parts ? "list or hash with such a value" : infer(evaluator.types(), args[i])->to_string();
      evaluator.native_ruby()->set_reason(fmt::format("an argument of a function of the 3.x API that is a {}", type));
      return false;
    }
  }
  if (!run(evaluator, f, {}, converted, nullptr, caller, loc, out, false, shared)) return false;
  if (!file.returns_value) out = Value::undef();
  return true;
}

bool NativeFunctions::call_function(Evaluator& evaluator, std::string_view name, const std::string& path, std::span<const Value> args,
                                    const Closure* block, Frame& caller, Loc loc, Value& out) {
  const bool done = call_file(evaluator, name, path, args, block, caller, loc, out);
  if (!done && block != nullptr && block->interpreted) throw LeavesCaller{take_reason()}; // Ruby could not call the block
  return done;
}

bool NativeFunctions::call_file(Evaluator& evaluator, std::string_view name, const std::string& path, std::span<const Value> args,
                                const Closure* block, Frame& caller, Loc loc, Value& out) {
  const Function& f = find(evaluator, name, path);
  if (f.file == nullptr) set_reason(f.reason);
  if (f.file != nullptr)
    for (const std::string& other : f.file->beside) beside_.try_emplace(other, path);
  if (native_stack_low()) {
    set_reason("calls that are nested too deep");
    if (f.file != nullptr && f.running && f.file->program.keeps_state) fail_within_itself(f.path);
    if (f.file != nullptr && !f.in_ruby) leave_to_ruby(evaluator, f, f.last.get(), "a call that is nested too deep");
    return false;
  }
  // Ruby keeps the cache of a lookup context that it got, so one of them runs all calls of such a function.
  const NativeObject* context = args.empty() ? nullptr : as_native_object(args.back());
  const bool direct = context != nullptr && context->take_direct_call(name);
  if (f.file == nullptr) return false;
  if (context == nullptr) return call_known(evaluator, name, f, args, block, caller, loc, out);
  if (f.in_ruby) return false;
  if (!call_known(evaluator, name, f, args, block, caller, loc, out)) {
    f.in_ruby = true;
    return false;
  }
  if (context->missed() && !direct) { // a function that this one's caller goes on from, if it catches what is thrown
    context->miss(false);
    throw KeyNotFoundSignal{};
  }
  return true;
}

bool NativeFunctions::call_known(Evaluator& evaluator, std::string_view name, const Function& f, std::span<const Value> args,
                                 const Closure* block, Frame& caller, Loc loc, Value& out) {
  if (f.file->old_api) return call_old_api(evaluator, name, f, args, caller, loc, out);
  TypeContext& types = evaluator.types();
  Frame& top = *evaluator.catalog().top_scope().frame;
  const std::vector<ruby::DispatchText>& texts = f.file->dispatches;
  std::vector<Value> with_scope_first;
  std::span<const Value> asked = args;
  if (f.file->scope_first) {
    with_scope_first.resize(1);
    with_scope_first.insert(with_scope_first.end(), args.begin(), args.end());
    asked = with_scope_first;
  }
  for (const RubyDispatch& d : f.dispatches) {
    if (d.mismatch || !d.accepts(types, asked, block)) continue;
    const bool with_scope = texts[static_cast<size_t>(&d - f.dispatches.data())].with_scope;
    if (!run(evaluator, f, d.method, args, block, with_scope ? caller : top, loc, out, with_scope)) return false;
    const NativeObject* context = d.returns == nullptr || args.empty() ? nullptr : as_native_object(args.back());
    if (context != nullptr && context->missed()) return true;
    if (d.returns != nullptr && !is_instance(types, d.returns, out))
      fail_unplaced(describe_mismatch(types, fmt::format("value returned from function '{}' has wrong type,", d.method), d.returns, out),
                    ErrorCode::type_mismatch);
    return true;
  }
  if (f.file->requires_files) try { // Puppet loads them before it looks at the arguments
      Run(evaluator, *f.file, f.path, top, block, loc).interpreter.define();
    } catch (const ruby::NeedsRuby& beyond) {
      evaluator.native_ruby()->set_reason(fmt::format("line {}: {}", beyond.line, beyond.reason));
      return false;
    } catch (const ruby::RubyError&) {
      evaluator.native_ruby()->set_reason("an error in a file that is required");
      return false;
    }
  for (const RubyDispatch& d : f.dispatches)
    if (d.mismatch && d.accepts(types, asked, block)) {
      const bool with_scope = texts[static_cast<size_t>(&d - f.dispatches.data())].with_scope;
      Value text;
      if (!run(evaluator, f, d.method, args, block, with_scope ? caller : top, loc, text, with_scope)) return false;
      if (text.is_string()) fail_unplaced(fmt::format("'{}' {}", name, text.str()), ErrorCode::argument_mismatch);
    }
  fail_dispatches(types, name, f.dispatches, asked, block);
}

} // namespace

void NativeRubyOfCompile::define_method(std::string_view name, std::shared_ptr<const ruby::RubyScript> program, const ruby::Def& def,
                                        std::string_view path) {
  if (const auto known = methods_.find(name); known != methods_.end() && known->second.def == &def) return;
  codes_.push_back({std::string(code_of(*program, def)), std::string(path), def.line});
  methods_[std::string(name)] = {std::move(program), &def};
}

std::unique_ptr<NativeRuby> make_native_ruby() { return std::make_unique<NativeFunctions>(); }

} // namespace pupc::compiler
