#include "catalog/base/limits.h"

#include "catalog/base/overdue.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <malloc.h>
#include <mutex>
#include <unistd.h>

namespace pupc::catalog {
namespace limits_detail {

thread_local constinit Meter meter;

namespace {
constexpr uint32_t checks_between = 256;
// Extra memory beyond the limit for reporting the error and for unwinding the work.
constexpr int64_t slack = 16 * 1024 * 1024;

int64_t now() { return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch()).count(); }
} // namespace

void read_clock() {
  meter.checks_left = checks_between;
  if (meter.deadline != INT64_MAX && now() > meter.deadline) throw TimeLimitReached(meter.time);
}

void refuse_memory() {
  meter.most_bytes += slack;
  throw MemoryLimitReached(meter.memory);
}

void refuse_output() { throw OutputLimitReached(meter.output); }
void refuse_depth() { throw DepthLimitReached(meter.most_depth); }

} // namespace limits_detail

using limits_detail::meter;

LimitReached::LimitReached(ErrorCode c, std::string_view text) : code(c), loc{} {
  const size_t n = std::min(text.size(), sizeof text_ - 1);
  std::copy_n(text.data(), n, text_);
  text_[n] = '\0';
}

Diagnostic LimitReached::diagnostic() const {
  Diagnostic d;
  d.code = code;
  d.message = text_;
  d.loc = loc;
  return d;
}

TimeLimitReached::TimeLimitReached(std::chrono::milliseconds limit)
    : LimitReached(ErrorCode::time_limit,
                   fmt::format("the work took longer than {:g} s (--max-time)", std::chrono::duration<double>(limit).count())) {}

MemoryLimitReached::MemoryLimitReached(size_t limit) : LimitReached(ErrorCode::memory_limit, {}) {
  // Written in place: there may be no memory to make a text in.
  *fmt::format_to_n(text_, sizeof text_ - 1, "the work needed more than {} MB of memory (--max-memory)", limit / (1024 * 1024)).out = '\0';
}

OutputLimitReached::OutputLimitReached(size_t limit)
    : LimitReached(ErrorCode::output_limit,
                   fmt::format("the catalog document is larger than {} MB (--max-output)", limit / (1024 * 1024))) {}

DepthLimitReached::DepthLimitReached(uint32_t limit)
    : LimitReached(ErrorCode::depth_limit, fmt::format("more than {} calls run within one another (--max-depth)", limit)) {}

namespace {

std::atomic<bool> overdue_work_runs = false;

constexpr char too_late[] = "Error: the work took longer than --max-time allows, and could not be interrupted\n";

/// What the timer of a watchdog sends to the watchdog's thread.
int watchdog_signal() { return SIGRTMIN + 5; }

void timer_ran_out(int, siginfo_t* info, void*) {
  const int before = errno;
  static_cast<Watchdog*>(info->si_value.sival_ptr)->look();
  errno = before;
}

} // namespace

void let_overdue_work_run() { overdue_work_runs = true; }

Watchdog::~Watchdog() {
  if (has_timer_) ::timer_delete(timer_); // a signal that is on its way arrives before this returns
}

int64_t Watchdog::guard(int64_t end) {
  const int64_t before = end_.exchange(end);
  if (end < fires_) arm(end);
  return before;
}

void Watchdog::look() {
  fires_ = INT64_MAX;
  const int64_t end = end_;
  if (end == INT64_MAX || overdue_work_runs) return;
  if (limits_detail::now() < end) return arm(end);
  [[maybe_unused]] ssize_t written = ::write(STDERR_FILENO, too_late, sizeof too_late - 1);
  ::_exit(1);
}

/// Lets the timer run out at a time. Does nothing if the system gives no timer.
void Watchdog::arm(int64_t at) {
  if (!has_timer_) {
    static std::once_flag once;
    std::call_once(once, [] {
      struct sigaction action {};
      action.sa_sigaction = timer_ran_out;
      action.sa_flags = SA_SIGINFO | SA_RESTART;
      ::sigaction(watchdog_signal(), &action, nullptr);
    });
    sigevent event{};
    event.sigev_notify = SIGEV_THREAD_ID;
    event._sigev_un._tid = ::gettid(); // the name that Linux has for it is no part of the C library
    event.sigev_signo = watchdog_signal();
    event.sigev_value.sival_ptr = this;
    if (::timer_create(CLOCK_MONOTONIC, &event, &timer_) != 0) return;
    has_timer_ = true;
  }
  itimerspec when{};
  when.it_value.tv_sec = at / 1'000'000'000;
  when.it_value.tv_nsec = at % 1'000'000'000;
  fires_ = at;
  ::timer_settime(timer_, TIMER_ABSTIME, &when, nullptr);
}

LimitedWork::LimitedWork(const ResourceLimits& limits, Watchdog* shared)
    : saved_{meter.deadline, meter.time, meter.most_bytes, meter.memory, meter.output, meter.most_depth} {
  if (limits.output > 0) meter.output = limits.output;
  if (limits.depth > 0) meter.most_depth = limits.depth;
  if (limits.time.count() > 0) {
    const int64_t deadline = limits_detail::now() + std::chrono::nanoseconds(limits.time).count();
    if (deadline < meter.deadline) {
      meter.deadline = deadline;
      meter.time = limits.time;
      watchdog_ = shared != nullptr ? shared : &own_watchdog_.emplace();
      const auto patience = std::max<std::chrono::nanoseconds>(limits.time / 10, std::chrono::seconds(1));
      guarded_before_ = watchdog_->guard(deadline + patience.count());
    }
  }
  if (limits.memory > 0) {
    meter.most_bytes = meter.bytes + static_cast<int64_t>(std::min<size_t>(limits.memory, INT64_MAX / 4));
    meter.memory = limits.memory;
  }
}

LimitedWork::~LimitedWork() {
  if (watchdog_ != nullptr) watchdog_->guard(guarded_before_);
  meter.deadline = saved_.deadline;
  meter.time = saved_.time;
  meter.most_bytes = saved_.most_bytes;
  meter.memory = saved_.memory;
  meter.output = saved_.output;
  meter.most_depth = saved_.most_depth;
}

std::optional<std::chrono::nanoseconds> time_left() {
  if (meter.deadline == INT64_MAX) return std::nullopt;
  return std::chrono::nanoseconds(std::max<int64_t>(meter.deadline - limits_detail::now(), 0));
}

} // namespace pupc::catalog

// The sanitizers define their own operator new.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define PUPC_OWN_NEW 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define PUPC_OWN_NEW 0
#endif
#endif
#ifndef PUPC_OWN_NEW
#define PUPC_OWN_NEW 1
#endif

#if PUPC_OWN_NEW

// Counts every allocation by C++ code, also by libraries.

/// What a piece of this size takes from the system's allocator: computed, because to ask it costs a tenth of each allocation.
static constexpr int64_t taken_for(size_t size) {
  constexpr size_t header = sizeof(size_t), step = 2 * sizeof(size_t), least = 4 * sizeof(size_t);
  return static_cast<int64_t>(std::max(least, (size + header + step - 1) & ~(step - 1)));
}

void* operator new(size_t size) {
  void* p = std::malloc(size == 0 ? 1 : size);
  if (p == nullptr) throw std::bad_alloc();
  auto& m = pupc::catalog::limits_detail::meter;
  m.bytes += taken_for(size);
  if (m.bytes > m.most_bytes) [[unlikely]] {
    m.bytes -= taken_for(size);
    std::free(p);
    pupc::catalog::limits_detail::refuse_memory();
  }
  return p;
}
void operator delete(void* p) noexcept {
  if (p == nullptr) return;
  pupc::catalog::limits_detail::meter.bytes -= static_cast<int64_t>(malloc_usable_size(p) + sizeof(size_t));
  std::free(p);
}
void operator delete(void* p, size_t size) noexcept {
  if (p == nullptr) return;
  pupc::catalog::limits_detail::meter.bytes -= taken_for(size);
  std::free(p);
}

#endif
