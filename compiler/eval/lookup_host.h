#pragma once
// What Hiera needs from the compile it serves: variables of a scope, functions, logs.
#include "compiler/eval/evaluator.h"
#include "compiler/hiera/lookup.h"

namespace pupc::compiler {

class EvaluatorLookupHost final : public LookupHost {
public:
  /// `frame`: where the code asked for the lookup. Keys and paths interpolate its variables.
  EvaluatorLookupHost(Evaluator& evaluator, Frame& frame) : evaluator_(evaluator), frame_(frame) {}

  Arena& arena() override { return evaluator_.arena(); }
  TypeContext& types() override { return evaluator_.types(); }
  bool variable(std::string_view name, Value& out) override { return evaluator_.lookup_variable(name, frame_, out); }
  void undefined_variable(std::string_view name, bool in_location) override;
  std::string calling_class() override;
  bool function_exists(std::string_view name) override { return evaluator_.function_exists(name, frame_); }
  Value call_function(std::string_view name, std::span<const Value> args) override {
    return evaluator_.call_function(name, args, nullptr, frame_, {});
  }
  std::optional<Value> call_backend(const BackendRequest& request) override;
  void warn(std::string message) override { evaluator_.log(LogLevel::Warning, "", std::move(message)); }
  void debug(std::string message) override { evaluator_.log(LogLevel::Debug, "", std::move(message)); }

private:
  Evaluator& evaluator_;
  Frame& frame_;
};

} // namespace pupc::compiler
