#include "catalog/base/stack.h"

#include "catalog/base/diagnostic.h"

#include <pthread.h>

namespace pupc {
namespace {

// Enough stack for one more native function, the unwinder and the error's text.
constexpr size_t reserve = 192 * 1024;

uintptr_t find_limit() {
  pthread_attr_t attributes;
  void* base = nullptr;
  size_t size = 0;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return 0;
  pthread_attr_getstack(&attributes, &base, &size);
  pthread_attr_destroy(&attributes);
  return reinterpret_cast<uintptr_t>(base) + std::min(reserve, size / 2);
}

} // namespace

bool native_stack_low() {
  static thread_local const uintptr_t limit = find_limit();
  return reinterpret_cast<uintptr_t>(__builtin_frame_address(0)) < limit;
}

void check_native_stack() {
  if (!native_stack_low()) return;
  Diagnostic d;
  d.code = ErrorCode::stack_overflow;
  d.message = "a value is nested too deeply (stack level too deep)";
  throw CompileError(std::move(d));
}

} // namespace pupc
