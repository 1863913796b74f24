// Reads resource types by running their files in a worker.
#include "compiler/load/type_runner.h"
#include "compiler/ruby/libraries.h"
#include "compiler/ruby/marshal_reader.h"
#include "compiler/ruby/ruby_pool.h"
#include "compiler/ruby/ruby_protocol.h"
#include "compiler/ruby/wire.h"

#include <fmt/format.h>

namespace pupc {
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
  if (titles.is_list()) {
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

class WorkerTypeRunner final : public TypeRunner {
public:
  WorkerTypeRunner(RubyPool& pool, const Environment& environment) : pool_(pool.handle()), environment_(environment) {}

  bool usable() const override { return !pool_.expired(); }

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
      RubyLibraries libraries = ruby_libraries(environment_);
      auto worker = pool.take(libraries.key);
      bool fresh = worker->fresh();
      std::optional<Outcome> answered;
      while (!(answered = ask(*worker, libraries, type, pool.options().timeout))) { // its libraries have changed since it loaded them
        worker = pool.take(libraries.key);
        fresh = fresh || worker->fresh();
      }
      const Outcome outcome = *answered;
      if (fresh) pool.add_start_time(Clock::now() - begin);
      pool.give_back(std::move(worker));
      if (outcome == Outcome::Failed) return failed("");
      pool.add_use("type", type.name, file, Clock::now() - begin,
                   fmt::format("{} {}", outcome == Outcome::Absent ? "is none:" : "run because of this:", was));
      return outcome;
    } catch (const RubyWorkerLost& lost) {
      return failed(fmt::format("; the Ruby worker {}", lost.reason));
    } catch (const CompileError& error) { return failed(fmt::format("; {}", error.diagnostic.message)); }
  }

private:
  /// Asks the worker to run the file. Returns nothing if another worker must take over.
  std::optional<Outcome> ask(RubyWorker& worker, const RubyLibraries& libraries, ScannedType& type,
                             std::chrono::nanoseconds timeout) const {
    Arena arena;
    NoTypes types(arena, environment_.regexes());
    std::vector<Value> handles;
    auto send = [&](auto&& build) {
      std::string payload;
      MarshalWriter w(payload, handles);
      build(w);
      worker.send(payload, timeout);
    };
    send([&](MarshalWriter& w) {
      begin_question(w, RubyRequest::type);
      w.string(type.name);
      w.string(type.file);
      w.string(environment_.options().name);
      w.array(libraries.directories.size());
      for (const auto& directory : libraries.directories) w.string(directory);
    });
    auto patience = timeout;
    while (true) {
      std::string bytes = worker.receive(patience, timeout);
      Value message;
      try {
        message = WireReader(bytes, arena, types, handles).value();
      } catch (const NeedsTaggedBytes&) {
        send([](MarshalWriter& w) { begin_question(w, RubyRequest::again); });
        continue;
      }
      auto members = message.is_list() ? message.items() : std::span<const Value>();
      if (members.size() > 1 && members[0].is_int() && members[0].i < ruby_first_question) {
        if (members[0].i == ruby_answer && members[1].is_bool()) return std::nullopt;
        if (members[0].i == ruby_answer && members[1].is_undef()) return Outcome::Absent;
        if (members[0].i == ruby_answer && members[1].is_hash() && read_description(members[1], type)) return Outcome::Read;
        auto& why = type.dynamic.empty() ? type.dynamic_titles : type.dynamic;
        why += fmt::format("; running it: {}", members[1].is_string() ? members[1].str() : "no description");
        return Outcome::Failed;
      }
      // Refuse questions of a type's file. All compiles share the type, so it must not depend on one of them.
      send([&](MarshalWriter& w) {
        w.array(4);
        w.integer(ruby_failure);
        w.string("a resource type's file asks for something of a compile");
        w.nil();
        w.string("error");
      });
    }
  }

  std::weak_ptr<RubyPool*> pool_;
  const Environment& environment_;
};

} // namespace

void run_types_in_ruby(RubyPool& pool, const Environment& environment) {
  type_runner_slot(environment).ensure([&] { return std::make_shared<WorkerTypeRunner>(pool, environment.shared()); });
}

} // namespace pupc
