#pragma once
// The Ruby processes of a program run, and what they were used for. Shared by all compiles; thread-safe.
#include "catalog/ruby/ruby_worker.h"

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace pupc {

class Environment;
class RubyService;

enum class RubyMode : uint8_t {
  Auto,   // what pupc cannot do by itself goes to Ruby
  Never,  // that is an error instead
  Always, // templates go to Ruby even where pupc could render them: to compare
};

struct RubyOptions {
  RubyMode mode = RubyMode::Auto;
  std::string program = "ruby";
  std::chrono::milliseconds timeout{60000}; // for one call, without the time of what it calls back
  size_t memory = size_t(4) << 30;          // the most bytes of data that a process may have; 0 = any
};

/// One thing that needed Ruby.
struct RubyUse {
  std::string kind; // "function", "template", "type"
  std::string name;
  std::string file;
  uint64_t calls = 0;
  std::chrono::nanoseconds time{};
  std::string note; // what came of it where that is not plain
};

class RubyPool {
public:
  explicit RubyPool(RubyOptions options) : options_(std::move(options)) {}
  RubyPool(const RubyPool&) = delete;
  RubyPool& operator=(const RubyPool&) = delete;
  const RubyOptions& options() const { return options_; }

  /// An idle worker for these library directories, else a new one. Throws RubyWorkerLost.
  std::unique_ptr<RubyWorker> take(const std::string& key);
  void give_back(std::unique_ptr<RubyWorker> worker);

  void add_use(std::string_view kind, std::string_view name, std::string_view file, std::chrono::nanoseconds time,
               std::string_view note = {});
  /// In order of first use.
  std::vector<RubyUse> uses() const;
  /// Processes started so far, and the time until they answered.
  unsigned starts() const;
  std::chrono::nanoseconds start_time() const;
  void add_start_time(std::chrono::nanoseconds time);

  /// Gives the pool while it lives.
  std::weak_ptr<RubyPool*> handle() const { return handle_; }

private:
  std::shared_ptr<RubyPool*> handle_ = std::make_shared<RubyPool*>(this);
  RubyOptions options_;
  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<RubyWorker>> idle_;
  std::vector<RubyUse> uses_;
  unsigned starts_ = 0;
  std::chrono::nanoseconds start_time_{};
};

/// The service of one compile. A process is taken from the pool at the first call and given back when the service ends.
std::unique_ptr<RubyService> make_ruby_service(RubyPool& pool, const Environment& environment);

/// Lets the environment's resource types that cannot be told without running them be read by a process of this pool while the pool lives
/// (compiler/load/type_runner.h). With RubyMode::Never they are only noted for explain_ruby: they accept any attribute.
void run_types_in_ruby(RubyPool& pool, const Environment& environment);

/// Text of compiler/ruby/facade/*.rb as it was when pupc was built, with what joins them.
std::string_view ruby_worker_source();

/// What --explain-ruby prints: a line for each function, template and type that needed Ruby, and the sum.
std::string explain_ruby(const RubyPool& pool);

} // namespace pupc
