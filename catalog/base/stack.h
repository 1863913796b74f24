#pragma once
// Turns deep recursion over code or values into an error instead of a crash. The address of the stack pointer shows how much native
// stack is left.
#include <cstddef>
#include <cstdint>

namespace pupc {

/// Whether the calling thread's stack is nearly used up.
bool native_stack_low();

/// Throws CompileError for a value that is nested too deeply (stack_overflow, without place) when the stack is nearly used up.
/// Functions that walk values recursively call this.
void check_native_stack();

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

} // namespace pupc
