#pragma once
// PUPC_ASSERT(CONDITION, "what has to hold"): what the code itself promises, whatever the input is. A broken promise is a mistake in pupc:
// debug builds (with the sanitizers and the fuzzers among them) say which one and end the process; release builds do not look, unless
// PUPC_ASSERTIONS is defined. What an input can break is no assertion: that is an error with a number (diagnostic.h).
#if defined(NDEBUG) && !defined(PUPC_ASSERTIONS)
#define PUPC_ASSERT(condition, promise) static_cast<void>(0)
#else
namespace pupc::catalog {
/// Prints the promise and the place, and ends the process.
[[noreturn]] void promise_broken(const char* condition, const char* promise, const char* file, int line) noexcept;
} // namespace pupc::catalog
#define PUPC_ASSERT(condition, promise)                                                                                                    \
  (static_cast<bool>(condition) ? static_cast<void>(0) : ::pupc::catalog::promise_broken(#condition, promise, __FILE__, __LINE__))
#endif
