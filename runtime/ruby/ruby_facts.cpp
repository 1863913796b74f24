#include "runtime/ruby/ruby_facts.h"

#include "catalog/formats/data_file.h"
#include "catalog/json/json_writer.h"
#include "runtime/provider/managed_resource.h"
#include "runtime/ruby/ruby_session.h"
#include "runtime/ruby/wire_value.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace pupc::runtime {

std::string_view ruby_provider_source();

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::seconds;

// Beyond a fact's own limit, which Ruby enforces as far as it can.
constexpr seconds grace{10};

void write_list(JsonWriter& w, const std::vector<std::string>& items) {
  w.begin_array();
  for (const std::string& item : items) w.string(item);
  w.end_array();
}

/// The conversation about the facts: requests, and what Ruby tells, asks and answers meanwhile.
class FactsConversation {
public:
  FactsConversation(RubyWorker& worker, const RubyFactsRequest& request, Arena& arena)
      : worker_(worker), request_(request), arena_(arena), deadline_(Clock::now() + request.limit + grace) {}

  /// Sends a request and waits for its result. Throws RubyWorkerLost. A failure in Ruby is told to the log; the result is undef then.
  Value call(const std::string& message) {
    worker_.send(message, request_.limit);
    while (true) {
      const std::string bytes = next();
      Value told;
      const bool readable = !read_json(bytes, arena_, told) && told.is_list() && told.items().size() > 1 && told.items()[0].is_string();
      if (!readable) throw RubyWorkerLost{"sent what is no answer"};
      const auto parts = told.items();
      const std::string_view kind = parts[0].str();
      if (kind == "done") return parts[1];
      if (kind == "failed") {
        request_.log(LogLevel::Err, "Facter", value_text(parts[1]));
        return Value::undef();
      }
      if (kind == "log" && parts.size() > 3)
        request_.log(level_named(parts[1].str()), value_text(parts[2]), value_text(parts[3]));
      else if (kind == "event" && parts.size() > 2)
        note(parts.subspan(1));
      else if (kind == "ask")
        answer(parts.subspan(1));
      else if (kind == "environment")
        take_environment(parts[1]);
    }
  }

  std::string running() const { return running_.empty() ? std::string() : running_.back().first; }
  bool late() const { return late_; }
  /// The values that Ruby told before it was lost.
  Value told_values() const {
    HashBuilder out(arena_);
    for (const auto& [fact, value] : values_) out.set(arena_.copy(fact), value);
    return out.finish();
  }
  std::vector<std::pair<std::string, double>> times;

private:
  static LogLevel level_named(std::string_view name) {
    for (const LogLevel level : {LogLevel::Debug, LogLevel::Info, LogLevel::Notice, LogLevel::Warning})
      if (name_of(level) == name) return level;
    return LogLevel::Err;
  }

  std::string next() {
    while (!worker_.wait_readable(std::chrono::milliseconds(1000))) {
      if (request_.stopped && request_.stopped()) end("was ended, as you asked for it");
      if (Clock::now() >= deadline_) {
        late_ = true;
        end("took too long");
      }
      if (request_.progress && !running_.empty())
        request_.progress(running_.front().first, std::chrono::duration_cast<seconds>(Clock::now() - running_.front().second));
    }
    std::chrono::nanoseconds patience = request_.limit;
    return worker_.receive(patience, request_.limit);
  }

  /// Ends the process and what it has started.
  [[noreturn]] void end(const char* reason) {
    worker_.end();
    throw RubyWorkerLost{reason};
  }

  void note(std::span<const Value> event) {
    const std::string_view what = event[0].str();
    if (what == "start") {
      running_.emplace_back(value_text(event[1]), Clock::now());
    } else if (what == "limit") {
      const double limit = event[1].is(Kind::Int) ? static_cast<double>(event[1].i) : event[1].is(Kind::Float) ? event[1].d : 0;
      deadline_ = std::max(deadline_, Clock::now() + seconds(static_cast<int64_t>(std::clamp(limit, 0.0, 1e9))) + grace);
    } else if (what == "end" && event.size() > 3) {
      const std::string fact = value_text(event[1]);
      if (event[2].is(Kind::Float)) times.emplace_back(fact, event[2].d);
      if (!event[3].is_undef()) values_.insert_or_assign(fact, event[3]);
      if (!running_.empty()) running_.pop_back();
      if (running_.empty()) deadline_ = Clock::now() + request_.limit + grace;
    }
  }

  void answer(std::span<const Value> question) {
    std::string text;
    JsonWriter w(text);
    w.begin_array();
    w.string("told");
    if (question[0].str() == "resources") {
      w.begin_array();
      w.end_array();
    } else if (!answer_without_run(question, request_.setting, arena_, w)) {
      w.null(); // there is no run, and so no resource
    }
    w.end_array();
    worker_.send(text, request_.limit);
  }

  RubyWorker& worker_;
  const RubyFactsRequest& request_;
  Arena& arena_;
  Clock::time_point deadline_;
  bool late_ = false;
  std::vector<std::pair<std::string, Clock::time_point>> running_;
  std::map<std::string, Value> values_;
};

std::string start_message(const RubyFactsRequest& request) {
  std::string text;
  JsonWriter w(text);
  w.begin_array();
  w.string("start");
  write_list(w, request.libraries);
  w.begin_object();
  w.end_object();
  write_list(w, request.directories);
  w.string(name_of(request.log_level));
  w.end_array();
  return text;
}

std::string facts_message(const RubyFactsRequest& request) {
  std::string text;
  JsonWriter w(text);
  w.begin_array();
  w.string("facts");
  for (const Value& facts : {request.facts, request.external, request.environment}) write_ruby_value(w, facts);
  write_list(w, request.directories);
  w.integer(request.limit.count());
  w.end_array();
  return text;
}

} // namespace

RubyFacts resolve_ruby_facts(const RubyFactsRequest& request, Arena& arena) {
  RubyFacts out;
  out.facts = HashBuilder(arena).finish();
  try {
    out.worker = std::make_unique<RubyWorker>(request.program, "providers", ruby_provider_source());
  } catch (const RubyWorkerLost& lost) {
    request.log(LogLevel::Err, "Facter", fmt::format("custom facts need Ruby, which {}", lost.reason));
    return out;
  }
  FactsConversation conversation(*out.worker, request, arena);
  try {
    conversation.call(start_message(request));
    if (const Value found = conversation.call(facts_message(request)); found.is_hash()) out.facts = found;
  } catch (const RubyWorkerLost& lost) {
    const std::string fact = conversation.running().empty() ? "" : fmt::format(" while it resolved the fact '{}'", conversation.running());
    const std::string_view why = lost.reason;
    request.log(LogLevel::Err, "Facter",
                fmt::format("the Ruby process of the custom facts {}{}{}", why.substr(0, why.find(" (")), fact,
                            conversation.late() ? " and was killed" : ""));
    out.facts = conversation.told_values();
    out.worker.reset();
  }
  out.seconds = std::move(conversation.times);
  return out;
}

} // namespace pupc::runtime
