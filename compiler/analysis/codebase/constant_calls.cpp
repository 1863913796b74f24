#include "compiler/analysis/codebase/constant_calls.h"

#include "catalog/base/limits.h"
#include "compiler/eval/signature.h"

namespace pupc::compiler {
namespace {

/// The reason alone: without "Evaluation Error: Error while evaluating a Function Call, " and the like.
std::string reason_of(std::string_view message) {
  constexpr std::string_view error = "Evaluation Error: ";
  if (message.starts_with(error)) message.remove_prefix(error.size());
  for (std::string_view in : {"Error while evaluating ", "Error creating type specialization of "})
    if (const size_t comma = message.find(", "); message.starts_with(in) && comma != std::string_view::npos)
      message.remove_prefix(comma + 2);
  while (message.ends_with('.')) message.remove_suffix(1);
  return std::string(message);
}

} // namespace

ConstantCalls::ConstantCalls(Arena& arena, const Environment& environment, const FunctionRegistry& functions)
    : evaluator_(arena, environment, functions, silence_, {}) {
  top_.frame = evaluator_.make_frame(nullptr, &top_, nullptr);
}

template <class Work> ConstantCalls::Outcome ConstantCalls::limited(Work work) {
  if (left_ <= left_.zero()) return {};
  struct Clock { // takes the time of the call off what is left
    std::chrono::nanoseconds& left;
    std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();
    ~Clock() { left -= std::chrono::steady_clock::now() - begin; }
  } const clock{left_};
  ResourceLimits limits;
  limits.time = std::chrono::milliseconds(200);
  limits.memory = 50'000'000;
  limits.depth = 100;
  const LimitedWork guarded(limits, &watchdog_);
  const BodyGuard body(evaluator_, top_);
  try {
    return {work(), {}};
  } catch (const CompileError& error) {
    if (error.diagnostic.code == ErrorCode::internal_error) return {}; // it asked for what only a compile has
    return {{}, reason_of(error.diagnostic.message)};
  } catch (const std::exception&) {
    return {}; // a limit, or a signal that leaves a body
  }
}

bool ConstantCalls::knows(const FunctionEntry& function) {
  constexpr FunctionTrait others[] = {FunctionTrait::Effects, FunctionTrait::ReadsFiles, FunctionTrait::Statement, FunctionTrait::AsksNode};
  for (FunctionTrait trait : others)
    if (function.has(trait)) return false;
  return function.module.empty();
}

ConstantCalls::Outcome ConstantCalls::call(const FunctionEntry& function, std::span<const Value> arguments) {
  if (!knows(function)) return {};
  return limited([&] {
    FunctionCall call{evaluator_, function.name, arguments, nullptr, *top_.frame, {}};
    return call_builtin(signatures_of(function), call);
  });
}

ConstantCalls::Outcome ConstantCalls::evaluate(const Node& node) {
  return limited([&] { return evaluator_.evaluate(node, *top_.frame); });
}

} // namespace pupc::compiler
