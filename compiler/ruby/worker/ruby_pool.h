#pragma once
// The Ruby processes of one run of pupc, and a record of what needed them. All compiles share the pool; it is thread-safe.
#include "catalog/ruby/ruby_worker.h"

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace pupc::compiler {

class Environment;
class RubyService;

enum class RubyMode : uint8_t {
  Auto,   // Ruby runs what pupc cannot run by itself
  Never,  // such code is an error instead
  Always, // Ruby renders all templates, even those that pupc can render: for comparing the two
};

struct RubyOptions {
  RubyMode mode = RubyMode::Auto;
  std::string program = "ruby";
  std::chrono::milliseconds timeout{60000}; // for one call, not counting the time of its callbacks
  size_t memory = size_t(4) << 30;          // limit of a process's data in bytes; 0 = none
};

/// A function, template or type that needed Ruby.
struct RubyUse {
  std::string kind; // "function", "template", "type"
  std::string name;
  std::string file;
  uint64_t calls = 0;
  std::chrono::nanoseconds time{};
  std::string note;                      // the outcome, if it is not obvious
  std::vector<std::string> reasons = {}; // what pupc did not know: "line 3: method 'x'"
};

class RubyPool {
public:
  explicit RubyPool(RubyOptions options) : options_(std::move(options)) {}
  RubyPool(const RubyPool&) = delete;
  RubyPool& operator=(const RubyPool&) = delete;
  const RubyOptions& options() const { return options_; }

  /// Returns an idle worker for the library directories with this key, or a new one. Throws RubyWorkerLost.
  std::unique_ptr<RubyWorker> take(const std::string& key);
  void give_back(std::unique_ptr<RubyWorker> worker);
  /// Whether no process has been started, and nobody has asked this before: who compiles many nodes looks ahead for the first alone.
  bool may_start_ahead();
  /// Starts a worker for `take` and does not wait until it is ready. Without effect when the program cannot be started: `take` tells that.
  void start_ahead(const std::string& key);

  void add_use(std::string_view kind, std::string_view name, std::string_view file, std::chrono::nanoseconds time,
               std::string_view note = {}, std::string_view reason = {});
  /// Notes what needed Ruby where none is allowed: a use without a call.
  void add_refusal(std::string_view kind, std::string_view name, std::string_view file, std::string_view reason);
  /// All uses, in order of first use.
  std::vector<RubyUse> uses() const;
  /// How many processes have started, and the total time until their first answers.
  unsigned starts() const;
  std::chrono::nanoseconds start_time() const;
  void add_start_time(std::chrono::nanoseconds time);

  /// A handle that expires with the pool, for owners that may outlive it.
  std::weak_ptr<RubyPool*> handle() const { return handle_; }

private:
  std::shared_ptr<RubyPool*> handle_ = std::make_shared<RubyPool*>(this);
  RubyOptions options_;
  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<RubyWorker>> idle_;
  RubyUse& use_of(std::string_view kind, std::string_view name, std::string_view file);
  std::vector<RubyUse> uses_;
  unsigned starts_ = 0;
  bool asked_ahead_ = false;
  std::chrono::nanoseconds start_time_{};
};

/// Makes the Ruby service of one compile. It takes a process from the pool at the first call and gives it back when it ends.
std::unique_ptr<RubyService> make_ruby_service(RubyPool& pool, const Environment& environment);

/// Some resource types cannot be read without running their files. As long as the pool lives, lets its processes run these files for the
/// environment (compiler/load/type_runner.h). With RubyMode::Never it only records the types for explain_ruby; they accept any attribute.
void run_types_in_ruby(RubyPool& pool, const Environment& environment);

/// The source of the worker: the files of compiler/ruby/facade, built into pupc, with the code that joins them.
std::string_view ruby_worker_source();

/// The output of --explain-ruby: a line for each function, template and type that needed Ruby, and a summary.
std::string explain_ruby(const RubyPool& pool);

} // namespace pupc::compiler
