#pragma once
// Turns deep recursion over code or values into an error instead of a crash. The address of the stack pointer shows how much native
// stack is left.

namespace pupc {

/// Whether the calling thread's stack is nearly used up.
bool native_stack_low();

/// Throws CompileError for a value that is nested too deeply (stack_overflow, without place) when the stack is nearly used up.
/// Functions that walk values recursively call this.
void check_native_stack();

} // namespace pupc
