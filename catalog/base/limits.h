#pragma once
// Limits the time, memory, depth and output of one piece of work (a compile, a lookup, a request). The code that starts the work opens a
// LimitedWork. Code that may take long calls check_time(). The allocators count the memory.
#include "catalog/base/diagnostic.h"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <new>
#include <optional>

namespace pupc::catalog {

struct ResourceLimits {
  std::chrono::milliseconds time{0}; // 0 = none
  size_t memory = 0;                 // bytes beyond those in use when the work starts; 0 = none
  size_t output = 0;                 // bytes of one catalog document; 0 = none
  uint32_t depth = 0;                // bodies of functions, lambdas, classes and defines that run within one another; 0 = the stack limits
};

/// A limit was reached. This is not a CompileError, because code that handles errors (rescue, an optional data file) must not catch it.
struct LimitReached {
  ErrorCode code;
  Loc loc; // innermost known place, set while the exception propagates

  /// The error to report, with the place.
  Diagnostic diagnostic() const;
  void place(Loc at) {
    if (!loc) loc = at;
  }

protected:
  LimitReached(ErrorCode c, std::string_view text);
  char text_[160];
};
struct TimeLimitReached : std::exception, LimitReached {
  explicit TimeLimitReached(std::chrono::milliseconds limit);
  const char* what() const noexcept override { return text_; }
};
struct MemoryLimitReached : std::bad_alloc, LimitReached {
  explicit MemoryLimitReached(size_t limit);
  const char* what() const noexcept override { return text_; }
};

struct OutputLimitReached : std::exception, LimitReached {
  explicit OutputLimitReached(size_t limit);
  const char* what() const noexcept override { return text_; }
};
struct DepthLimitReached : std::exception, LimitReached {
  explicit DepthLimitReached(uint32_t limit);
  const char* what() const noexcept override { return text_; }
};

/// Ends the process, with one line on standard error, when work is well over its time without calling check_time() (e.g. inside a regular
/// expression on a long text). A watchdog can guard many works one after another, but belongs to the thread that first uses it: work that
/// ends in time leaves the timer alone, and only when that runs out the watchdog looks whether there is work, and until when.
class Watchdog {
public:
  Watchdog() = default;
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  /// Sets when the work must have ended, in nanoseconds of the steady clock; INT64_MAX when there is none. Returns what was set before.
  int64_t guard(int64_t end);
  /// For the handler of the timer's signal.
  void look();

private:
  void arm(int64_t at);

  std::atomic<int64_t> end_ = INT64_MAX;
  std::atomic<int64_t> fires_ = INT64_MAX; // when the timer runs out
  void* timer_ = nullptr;                  // null also is a timer
  bool has_timer_ = false;
};

/// Sets the limits of the calling thread while this object lives. A nested LimitedWork replaces the outer limits, but never allows more
/// time. A watchdog guards the time: `shared`, which saves system calls where many short works follow each other, or one of its own.
class LimitedWork {
public:
  explicit LimitedWork(const ResourceLimits& limits, Watchdog* shared = nullptr);
  ~LimitedWork();
  LimitedWork(const LimitedWork&) = delete;
  LimitedWork& operator=(const LimitedWork&) = delete;

private:
  struct Saved {
    int64_t deadline;
    std::chrono::milliseconds time;
    int64_t most_bytes;
    size_t memory, output;
    uint32_t most_depth;
  } saved_;
  std::optional<Watchdog> own_watchdog_;
  Watchdog* watchdog_ = nullptr;
  int64_t guarded_before_ = INT64_MAX;
};

namespace limits_detail {
struct Meter {
  int64_t bytes = 0;                 // allocated minus freed by this thread
  int64_t most_bytes = INT64_MAX;    // the limit for `bytes`
  int64_t deadline = INT64_MAX;      // nanoseconds of the steady clock
  std::chrono::milliseconds time{0}; // the time limit from which `deadline` was computed
  size_t memory = 0;                 // the memory limit from which `most_bytes` was computed
  size_t output = SIZE_MAX;          // the limit for a document
  uint32_t depth = 0;                // of the running bodies
  uint32_t most_depth = UINT32_MAX;
  uint32_t checks_left = 256; // calls of check_time() until it reads the clock again
};
extern thread_local constinit Meter meter;
void read_clock();
void refuse_memory();
[[noreturn]] void refuse_output();
[[noreturn]] void refuse_depth();
} // namespace limits_detail

/// Throws TimeLimitReached when the time is up. Reads the clock only at every 256th call.
inline void check_time() {
  if (--limits_detail::meter.checks_left == 0) limits_detail::read_clock();
}
/// Like check_time(), but always reads the clock. For loops whose steps take long.
inline void check_time_now() { limits_detail::read_clock(); }

/// Throws OutputLimitReached when a document of `bytes` is too large. Writers call it after each part.
inline void check_output(size_t bytes) {
  if (bytes > limits_detail::meter.output) [[unlikely]]
    limits_detail::refuse_output();
}

/// Counts a body that runs within others while this object lives. Throws DepthLimitReached when there are too many.
class NestedBody {
public:
  NestedBody() {
    if (limits_detail::meter.depth >= limits_detail::meter.most_depth) [[unlikely]]
      limits_detail::refuse_depth();
    ++limits_detail::meter.depth;
  }
  ~NestedBody() { --limits_detail::meter.depth; }
  NestedBody(const NestedBody&) = delete;
  NestedBody& operator=(const NestedBody&) = delete;
};

/// The remaining time, or nothing without a limit.
std::optional<std::chrono::nanoseconds> time_left();

/// Counts memory that operator new does not allocate. Throws MemoryLimitReached if `bytes` more exceed the limit.
inline void count_memory(size_t bytes) {
  auto& m = limits_detail::meter;
  m.bytes += static_cast<int64_t>(bytes);
  if (m.bytes > m.most_bytes) [[unlikely]] {
    m.bytes -= static_cast<int64_t>(bytes);
    limits_detail::refuse_memory();
  }
}
inline void uncount_memory(size_t bytes) noexcept { limits_detail::meter.bytes -= static_cast<int64_t>(bytes); }

} // namespace pupc::catalog
