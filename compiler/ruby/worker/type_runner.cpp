// Reads resource types by running their files in a worker.
#include "compiler/load/type_runner.h"

#include "catalog/base/diagnostic.h"
#include "catalog/value/map_parts.h"
#include "catalog/value/symbol_text.h"
#include "compiler/ruby/worker/libraries.h"
#include "compiler/ruby/worker/marshal_reader.h"
#include "compiler/ruby/worker/ruby_pool.h"
#include "compiler/ruby/worker/ruby_protocol.h"
#include "compiler/ruby/worker/wire.h"

#include <fmt/format.h>

#include <functional>
#include <mutex>
#include <unordered_map>

namespace pupc::compiler {
namespace {

using Clock = std::chrono::steady_clock;

/// A context without types: the worker's answer only has names and flags.
class NoTypes : public TypeContext {
public:
  using TypeContext::TypeContext;
  const Type* load_type(std::string_view) override { return nullptr; }
  bool resource_type_exists(std::string_view) override { return false; }
};

/// Reads a type from the worker's description (compiler/ruby/facade/types.rb); false when the value is no description.
bool read_description(const Value& v, ScannedType& type) {
  auto member = [&](const char* name) {
    const Value* found = v.hash->find(name);
    return found != nullptr ? *found : Value::undef();
  };
  ScannedType out;
  out.name = type.name;
  out.file = type.file;
  Value attributes = member("attributes"), isomorphic = member("isomorphic"), titles = member("titles"), api = member("api"),
        doubt = member("titles_doubt");
  if (!attributes.is_list() || !isomorphic.is_bool() || !api.is_bool()) return false;
  for (const Value& a : attributes.items()) {
    auto parts = a.items();
    out.attributes.push_back(
        {std::string(parts[0].str()), parts[1].str() == "property" ? AttributeKind::Property : AttributeKind::Parameter, parts[2].b});
  }
  out.isomorphic = isomorphic.b;
  out.resource_api = api.b;
  if (doubt.is_string()) out.dynamic_titles = std::string(doubt.str());
  out.title_code = member("title_code").truthy();
  if (titles.is_list() && !out.title_code) {
    out.title_patterns.emplace();
    for (const Value& t : titles.items()) {
      auto parts = t.items();
      ScannedType::Pattern pattern{std::string(parts[0].str()), static_cast<uint8_t>(parts[1].i), {}};
      for (const Value& name : parts[2].items()) pattern.attributes.emplace_back(name.str());
      out.title_patterns->push_back(std::move(pattern));
    }
  }
  type = std::move(out);
  return true;
}

/// The worker's answer to a question about a type.
struct TypeAnswer {
  Value value;
  std::optional<std::string> failure; // the text of the error, when it raised one
};

/// Asks the worker and refuses the questions of the type's file: all compiles share the type, so it must not depend on one of them.
/// `ask` writes the question. Nothing if another worker must take over, because the libraries have changed since this one loaded them.
std::optional<TypeAnswer> ask_about_type(RubyWorker& worker, Arena& arena, TypeContext& types, std::chrono::nanoseconds timeout,
                                         const std::function<void(MarshalWriter&)>& ask) {
  std::vector<Value> handles;
  RuntimeObjects objects;
  auto send = [&](auto&& build) {
    std::string payload;
    MarshalWriter w(payload, handles);
    build(w);
    worker.send(payload, timeout);
  };
  send(ask);
  auto patience = timeout;
  while (true) {
    std::string bytes = worker.receive(patience, timeout);
    Value message;
    try {
      message = WireReader(bytes, arena, types, handles, &objects).value();
    } catch (const NeedsTaggedBytes&) {
      send([](MarshalWriter& w) { begin_question(w, RubyRequest::again); });
      continue;
    }
    auto members = message.is_list() ? message.items() : std::span<const Value>();
    if (members.size() > 1 && members[0].is_int() && members[0].i < ruby_first_question) {
      if (members[0].i == ruby_answer && members[1].is_bool()) return std::nullopt;
      if (members[0].i == ruby_answer) return TypeAnswer{members[1], {}};
      return TypeAnswer{{}, std::string(members[1].is_string() ? members[1].str() : "no description")};
    }
    send([&](MarshalWriter& w) {
      w.array(4);
      w.integer(ruby_failure);
      w.string("a resource type's file asks for something of a compile");
      w.nil();
      w.string("error");
    });
  }
}

void write_libraries(MarshalWriter& w, const Environment& environment, const RubyLibraries& libraries) {
  w.string(environment.options().name);
  w.array(libraries.directories.size());
  for (const auto& directory : libraries.directories) w.string(directory);
}

/// Takes a worker from the pool for one question, which `ask` puts to it until one answers. Throws RubyWorkerLost and CompileError.
TypeAnswer with_worker(RubyPool& pool, const RubyLibraries& libraries, const std::function<std::optional<TypeAnswer>(RubyWorker&)>& ask) {
  const auto begin = Clock::now();
  auto worker = pool.take(libraries.key);
  bool fresh = worker->fresh();
  std::optional<TypeAnswer> answer;
  while (!(answer = ask(*worker))) {
    worker = pool.take(libraries.key);
    fresh = fresh || worker->fresh();
  }
  if (fresh) pool.add_start_time(Clock::now() - begin);
  pool.give_back(std::move(worker));
  return *answer;
}

/// Marks the symbols of a value as such (symbol_text.h). Throws for other objects of Ruby's, of which no resource can have a part.
Value symbols_marked(Arena& arena, const Value& v) {
  if (const RuntimeObject* object = as_runtime_object(v)) {
    if (!object->is_symbol()) throw_error(ErrorCode::internal_error, {}, "the Ruby worker sent something that is no value");
    return symbol_text(arena.copy(object->symbol));
  }
  return map_parts(arena, v, [&](const Value& part) { return symbols_marked(arena, part); });
}

/// Titles that a worker splits. Each is asked once.
class WorkerTitleCode final : public TitleCode {
public:
  WorkerTitleCode(std::weak_ptr<RubyPool*> pool, const Environment& environment, std::string type, std::string file)
      : pool_(std::move(pool)), environment_(environment), type_(std::move(type)), file_(std::move(file)) {}

  bool split(std::string_view title, std::vector<TitlePart>& out, std::string& problem) const override {
    std::lock_guard lock(mutex_);
    auto known = titles_.find(std::string(title));
    if (known == titles_.end()) known = titles_.emplace(std::string(title), ask(title)).first;
    problem = known->second.problem;
    out.insert(out.end(), known->second.parts.begin(), known->second.parts.end());
    return problem.empty();
  }

private:
  struct Split {
    std::vector<TitlePart> parts;
    std::string problem;
  };

  Split ask(std::string_view title) const {
    auto held = pool_.lock();
    if (!held) return {{}, "the Ruby worker that splits titles is gone"};
    RubyPool& pool = **held;
    const auto begin = Clock::now();
    Split out;
    try {
      const RubyLibraries libraries = ruby_libraries(environment_);
      NoTypes types(arena_, environment_.regexes());
      const TypeAnswer answer = with_worker(pool, libraries, [&](RubyWorker& worker) {
        return ask_about_type(worker, arena_, types, pool.options().timeout, [&](MarshalWriter& w) {
          begin_question(w, RubyRequest::title);
          w.string(type_);
          w.string(file_);
          w.string(title);
          write_libraries(w, environment_, libraries);
        });
      });
      if (answer.failure)
        out.problem = *answer.failure;
      else if (!answer.value.is_list())
        out.problem = fmt::format("No set of title patterns matched the title \"{}\".", title);
      else
        for (const Value& part : answer.value.items()) add(part.items()[0].str(), symbols_marked(arena_, part.items()[1]), out.parts);
    } catch (const RubyWorkerLost& lost) {
      out.problem = fmt::format("the Ruby worker {}", lost.reason);
    } catch (const CompileError& error) { out.problem = error.diagnostic.message; }
    pool.add_use("type", type_, file_, Clock::now() - begin, "its title patterns have procedures");
    return out;
  }

  static void add(std::string_view name, const Value& value, std::vector<TitlePart>& parts) {
    TitlePart part{intern(name), {}, value.is_undef()};
    if (value.is_string() && !is_symbol(value))
      part.value = value.str();
    else
      part.made = value;
    for (TitlePart& present : parts)
      if (present.name == part.name) return void(present = part);
    parts.push_back(part);
  }

  std::weak_ptr<RubyPool*> pool_;
  const Environment& environment_;
  std::string type_, file_;
  mutable std::mutex mutex_;
  mutable Arena arena_;
  mutable std::unordered_map<std::string, Split> titles_;
};

class WorkerTypeRunner final : public TypeRunner {
public:
  WorkerTypeRunner(RubyPool& pool, const Environment& environment) : pool_(pool.handle()), environment_(environment) {}

  bool usable() const override { return !pool_.expired(); }

  std::unique_ptr<const TitleCode> title_code(const ScannedType& type) override {
    return std::make_unique<WorkerTitleCode>(pool_, environment_, type.name, type.file);
  }

  Outcome run(ScannedType& type) override {
    auto held = pool_.lock();
    if (!held) return Outcome::Failed;
    RubyPool& pool = **held;
    const std::string file = type.file;
    auto& why = type.dynamic.empty() ? type.dynamic_titles : type.dynamic;
    auto begin = Clock::now();
    auto failed = [&](std::string reason) {
      why += reason;
      pool.add_use("type", type.name, file, Clock::now() - begin,
                   fmt::format("{} {}", type.dynamic.empty() ? "its titles are taken whole:" : "accepts any attribute:", why));
      return Outcome::Failed;
    };
    if (pool.options().mode == RubyMode::Never) return failed("");
    const std::string was = why;
    try {
      const RubyLibraries libraries = ruby_libraries(environment_);
      Arena arena;
      NoTypes types(arena, environment_.regexes());
      const TypeAnswer answer = with_worker(pool, libraries, [&](RubyWorker& worker) {
        return ask_about_type(worker, arena, types, pool.options().timeout, [&](MarshalWriter& w) {
          begin_question(w, RubyRequest::type);
          w.string(type.name);
          w.string(type.file);
          write_libraries(w, environment_, libraries);
        });
      });
      const bool absent = !answer.failure && answer.value.is_undef();
      const Value description = symbols_as_texts(arena, answer.value);
      if (!absent && !(description.is_hash() && read_description(description, type)))
        return failed(fmt::format("; running it: {}", answer.failure.value_or("no description")));
      pool.add_use("type", type.name, file, Clock::now() - begin, fmt::format("{} {}", absent ? "is none:" : "run because of this:", was));
      return absent ? Outcome::Absent : Outcome::Read;
    } catch (const RubyWorkerLost& lost) {
      return failed(fmt::format("; the Ruby worker {}", lost.reason));
    } catch (const CompileError& error) { return failed(fmt::format("; {}", error.diagnostic.message)); }
  }

private:
  std::weak_ptr<RubyPool*> pool_;
  const Environment& environment_;
};

} // namespace

void run_types_in_ruby(RubyPool& pool, const Environment& environment) {
  type_runner_slot(environment).ensure([&] { return std::make_shared<WorkerTypeRunner>(pool, environment.shared()); });
}

} // namespace pupc::compiler
