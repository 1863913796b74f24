#pragma once
// Turns deep recursion over code or values into an error instead of a crash. The address of the stack pointer shows how much native
// stack is left.
#include "catalog/base/namespaces.h"

#include <cstddef>
#include <cstdint>

namespace pupc::catalog {

namespace stack_detail {
/// The lowest address that the calling thread's stack may reach. Before anybody has asked, none is low enough for it.
extern constinit thread_local uintptr_t limit;
/// Whether the address is below the limit, once that is known.
bool below_limit(uintptr_t address);
[[noreturn]] void fail();
} // namespace stack_detail

/// Whether the calling thread's stack is nearly used up, or will be by `room` bytes more. Here, because whoever walks a tree asks at each
/// node.
inline bool native_stack_low(size_t room = 0) {
  const auto here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0)) - room;
  return here < stack_detail::limit && stack_detail::below_limit(here);
}

/// What a call of code needs before the next one. Who calls code asks for it, so that an endless recursion ends at a call, not at an
/// expression in it: what the error says must not depend on where the stack begins or on the size of frames.
inline constexpr size_t room_for_call = 256 * 1024;

/// Throws CompileError for a value that is nested too deeply (stack_overflow, without place) when the stack is nearly used up.
/// Functions that walk values recursively call this.
inline void check_native_stack() {
  if (native_stack_low()) stack_detail::fail();
}

/// As long as it lives, the stack of the process's first thread may grow to a number of bytes. The system looks at its limit when the stack
/// grows, and keeps room of 128 MB for that.
class LargeStack {
public:
  explicit LargeStack(size_t bytes);
  ~LargeStack();
  LargeStack(const LargeStack&) = delete;
  LargeStack& operator=(const LargeStack&) = delete;

  /// Whether the calling thread has such a stack: not in other threads, and not where the system's own limit is lower.
  bool there() const { return there_; }

private:
  bool there_ = false, changed_ = false;
  size_t before_ = 0; // the system's limit
  uintptr_t lowest_before_ = 0;
};

} // namespace pupc::catalog
