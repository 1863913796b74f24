#pragma once
// Deep recursion over code or values ends in an error instead of a crash: the native stack is measured by address.

namespace pupc {

/// Whether the calling thread's stack is nearly used up.
bool native_stack_low();

/// Throws the error for a value that is nested too deeply (stack_overflow, without place) when the stack is nearly used up.
/// For functions that walk values recursively.
void check_native_stack();

} // namespace pupc
