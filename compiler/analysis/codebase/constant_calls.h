#pragma once
// Calls whose arguments are all known: they are made, and what they return or raise is what they will return or raise in a compile.
#include "catalog/base/limits.h"
#include "catalog/base/log.h"
#include "compiler/eval/evaluator.h"

#include <chrono>
#include <optional>
#include <span>
#include <string>

namespace pupc::compiler {

class ConstantCalls {
public:
  /// All outlive this object; `arena` keeps the results.
  ConstantCalls(Arena& arena, const Environment& environment, const FunctionRegistry& functions);

  struct Outcome {
    std::optional<Value> value; // what the call returns
    std::string error;          // or why it fails. Empty, too, when that cannot be known.
  };
  /// Whether a call of the function can be known from its arguments.
  static bool knows(const FunctionEntry& function);
  /// Calls one of the language's own functions. Knows nothing about those that have effects, read files, or ask the node, its data or the
  /// scope, and about calls that take more than a moment.
  Outcome call(const FunctionEntry& function, std::span<const Value> arguments);
  /// Evaluates an operator or index whose operands are literals. The node must live as long as this object.
  Outcome evaluate(const Node& node);

private:
  template <class Work> Outcome limited(Work work);

  struct Silence final : LogSink {
    void log(LogEntry) override {}
  };
  Silence silence_;
  Evaluator evaluator_;
  Scope top_;
  Watchdog watchdog_;
  std::chrono::nanoseconds left_ = std::chrono::seconds(1); // for all calls of a run: generated code may have millions of them
};

} // namespace pupc::compiler
