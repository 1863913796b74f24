#include "catalog/base/stack.h"

#include "catalog/base/diagnostic.h"

#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

namespace pupc::catalog {
namespace {

// Enough stack for one more native function, the unwinder and the error's text.
constexpr size_t reserve = 192 * 1024;

uintptr_t limit_below(uintptr_t top, size_t size) { return top - size + std::min(reserve, size / 2); }

/// The highest address of the calling thread's stack; 0 where it is not known, and then there is no limit. To find it takes a look at all
/// that is mapped, so it is done once, and sets the limit.
uintptr_t top_of_stack() {
  static thread_local uintptr_t top = 0;
  if (stack_detail::limit != UINTPTR_MAX) return top;
  stack_detail::limit = 0;
  pthread_attr_t attributes;
  void* base = nullptr;
  size_t size = 0;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return top;
  pthread_attr_getstack(&attributes, &base, &size);
  pthread_attr_destroy(&attributes);
  top = reinterpret_cast<uintptr_t>(base) + size;
  stack_detail::limit = limit_below(top, size);
  return top;
}

} // namespace

constinit thread_local uintptr_t stack_detail::limit = UINTPTR_MAX;

bool stack_detail::below_limit(uintptr_t address) {
  top_of_stack();
  return address < limit;
}

LargeStack::LargeStack(size_t bytes) {
  struct rlimit limit {};
  if (::gettid() != ::getpid() || ::getrlimit(RLIMIT_STACK, &limit) != 0) return;
  const uintptr_t top = top_of_stack();
  there_ = limit.rlim_cur >= bytes; // no limit is the largest number
  if (there_ || limit.rlim_max < bytes || top == 0) return;
  before_ = limit.rlim_cur;
  lowest_before_ = stack_detail::limit;
  limit.rlim_cur = bytes;
  there_ = changed_ = ::setrlimit(RLIMIT_STACK, &limit) == 0;
  if (changed_) stack_detail::limit = limit_below(top, bytes);
}

LargeStack::~LargeStack() {
  struct rlimit limit {};
  if (!changed_ || ::getrlimit(RLIMIT_STACK, &limit) != 0) return;
  limit.rlim_cur = before_;
  ::setrlimit(RLIMIT_STACK, &limit);
  stack_detail::limit = lowest_before_;
}

void stack_detail::fail() {
  Diagnostic d;
  d.code = ErrorCode::stack_overflow;
  d.message = "a value is nested too deeply (stack level too deep)";
  throw CompileError(std::move(d));
}

} // namespace pupc::catalog
