#pragma once
// Whether a resource may proceed: only_if and not_if, as the document on guards and phases says.
#include "catalog/schema/guard.h"
#include "runtime/provider/provider.h"

#include <functional>
#include <string>

namespace pupc {

struct GuardResult {
  enum Outcome : uint8_t { Proceed, Skip, Broken };
  Outcome outcome = Proceed;
  std::string reason; // skip: the guard that decided; broken: what is wrong with it
};

/// Evaluates all guards of a resource: the first that does not let it through decides. `inherit`: settings of the resource surround the
/// commands of a guard_interpreter (not for containers). `resolve` gives a Deferred's value. Only queries: also called under noop.
GuardResult evaluate_guards(ManagedResource& resource, bool inherit, const std::function<Value(const Value&)>& resolve, RunContext& run);

} // namespace pupc
