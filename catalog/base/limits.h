#pragma once
// What one piece of work (a compile, a lookup, a request) may take: time and memory. Whoever starts the work opens a LimitedWork; what may
// take long calls check_time(); memory is counted by the allocators themselves.
#include "catalog/base/diagnostic.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <new>
#include <optional>

namespace pupc {

struct ResourceLimits {
  std::chrono::milliseconds time{0}; // 0 = none
  size_t memory = 0;                 // bytes beyond those in use when the work starts; 0 = none
};

/// A limit was reached. No CompileError: code that survives an error (rescue, an optional data file) must not survive this.
struct LimitReached {
  ErrorCode code;
  Loc loc; // innermost place known, set on the way out

  /// The error to tell, with the place.
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

/// The limits hold for the calling thread while this lives. One inside another replaces it, but never allows more time. Work that is well
/// over its time and still meets no check (a regular expression at work on a long text) ends the process with one line on standard error.
class LimitedWork {
public:
  explicit LimitedWork(const ResourceLimits& limits);
  ~LimitedWork();
  LimitedWork(const LimitedWork&) = delete;
  LimitedWork& operator=(const LimitedWork&) = delete;

private:
  struct Saved {
    int64_t deadline;
    std::chrono::milliseconds time;
    int64_t most_bytes;
    size_t memory;
  } saved_;
  void* watchdog_ = nullptr;
};

namespace limits_detail {
struct Meter {
  int64_t bytes = 0;                 // allocated less freed by this thread
  int64_t most_bytes = INT64_MAX;    // of `bytes`
  int64_t deadline = INT64_MAX;      // nanoseconds of the steady clock
  std::chrono::milliseconds time{0}; // the limit behind it
  size_t memory = 0;                 // the limit behind most_bytes
  uint32_t checks_left = 256;        // until the clock is read again
};
extern thread_local constinit Meter meter;
void read_clock();
void refuse_memory();
} // namespace limits_detail

/// Throws TimeLimitReached when the time is up. Reads the clock at every 256th call only.
inline void check_time() {
  if (--limits_detail::meter.checks_left == 0) limits_detail::read_clock();
}
/// As check_time(), but reads the clock: where each step takes long.
inline void check_time_now() { limits_detail::read_clock(); }

/// The time that is left, when there is a limit.
std::optional<std::chrono::nanoseconds> time_left();

/// Counts memory that is not allocated by operator new. Throws MemoryLimitReached where `bytes` would be too much.
inline void count_memory(size_t bytes) {
  auto& m = limits_detail::meter;
  m.bytes += static_cast<int64_t>(bytes);
  if (m.bytes > m.most_bytes) [[unlikely]] {
    m.bytes -= static_cast<int64_t>(bytes);
    limits_detail::refuse_memory();
  }
}
inline void uncount_memory(size_t bytes) noexcept { limits_detail::meter.bytes -= static_cast<int64_t>(bytes); }

} // namespace pupc
