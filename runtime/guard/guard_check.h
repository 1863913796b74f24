#pragma once
// Evaluates the guards only_if and not_if, which decide whether a resource may proceed (README.md beside this file has the rules).
#include "catalog/schema/guard.h"
#include "runtime/provider/provider.h"

#include <functional>
#include <string>

namespace pupc::runtime {

struct GuardResult {
  enum Outcome : uint8_t { Proceed, Skip, Broken };
  Outcome outcome = Proceed;
  /// Skip: the guard that decided. Broken: its error (a command that cannot run or takes too long, a Deferred that fails).
  std::string reason;
};

/// Evaluates the guards of a resource in order; the first one that does not pass decides. `inherit`: commands of a guard_interpreter use
/// the resource's own settings (false for containers). `resolve` resolves a Deferred. Changes nothing, so it is called under noop too.
GuardResult evaluate_guards(ManagedResource& resource, bool inherit, const std::function<Value(const Value&)>& resolve, RunContext& run);

} // namespace pupc::runtime
