#include "catalog/base/stack.h"

#include "catalog/base/diagnostic.h"

#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

namespace pupc {
namespace {

// Enough stack for one more native function, the unwinder and the error's text.
constexpr size_t reserve = 192 * 1024;

struct Bounds {
  uintptr_t top = 0, limit = 0; // the highest address, and the lowest that may be reached
};

uintptr_t limit_below(uintptr_t top, size_t size) { return top - size + std::min(reserve, size / 2); }

/// The bounds of the calling thread's stack. To find them takes a look at all that is mapped, so it is done once.
Bounds& bounds() {
  static thread_local Bounds known;
  if (known.top != 0) return known;
  pthread_attr_t attributes;
  void* base = nullptr;
  size_t size = 0;
  known.top = UINTPTR_MAX;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return known;
  pthread_attr_getstack(&attributes, &base, &size);
  pthread_attr_destroy(&attributes);
  known.top = reinterpret_cast<uintptr_t>(base) + size;
  known.limit = limit_below(known.top, size);
  return known;
}

} // namespace

bool native_stack_low() { return reinterpret_cast<uintptr_t>(__builtin_frame_address(0)) < bounds().limit; }

LargeStack::LargeStack(size_t bytes) {
  struct rlimit limit {};
  if (::gettid() != ::getpid() || ::getrlimit(RLIMIT_STACK, &limit) != 0) return;
  Bounds& known = bounds();
  there_ = limit.rlim_cur >= bytes; // no limit is the largest number
  if (there_ || limit.rlim_max < bytes || known.limit == 0) return;
  before_ = limit.rlim_cur;
  lowest_before_ = known.limit;
  limit.rlim_cur = bytes;
  there_ = changed_ = ::setrlimit(RLIMIT_STACK, &limit) == 0;
  if (changed_) known.limit = limit_below(known.top, bytes);
}

LargeStack::~LargeStack() {
  struct rlimit limit {};
  if (!changed_ || ::getrlimit(RLIMIT_STACK, &limit) != 0) return;
  limit.rlim_cur = before_;
  ::setrlimit(RLIMIT_STACK, &limit);
  bounds().limit = lowest_before_;
}

void check_native_stack() {
  if (!native_stack_low()) return;
  Diagnostic d;
  d.code = ErrorCode::stack_overflow;
  d.message = "a value is nested too deeply (stack level too deep)";
  throw CompileError(std::move(d));
}

} // namespace pupc
