#pragma once
// The interpreter's host over the evaluator: variables and functions as a template's scope has them.
#include "compiler/eval/evaluator.h"
#include "compiler/ruby_interpreter/ruby_host.h"

namespace pupc {

/// The functions of a registry that templates may call by scope.function_x([…]) and scope.call_function('x', […]).
class TemplateFunctions final : public ruby::CallableFunctions {
public:
  explicit TemplateFunctions(const FunctionRegistry& registry) : registry_(registry) {}
  ruby::FunctionUse use_of(std::string_view name, bool old_api) const override;

private:
  const FunctionRegistry& registry_;
};

class ErbHost final : public ruby::RubyHost {
public:
  ErbHost(Evaluator& evaluator, Frame& frame) : evaluator_(evaluator), frame_(frame), functions_(evaluator.functions()) {}

  Arena& arena() override { return evaluator_.arena(); }
  TypeContext& types() override { return evaluator_.types(); }
  RegexCache& regexes() override { return evaluator_.environment().regexes(); }
  bool lookup_variable(std::string_view name, Value& out) override { return evaluator_.lookup_variable(name, frame_, out); }
  Unknown unknown_variable(std::string_view name) override;
  bool instance_variable(const std::string& name, Value& out) override;
  void change_variable(std::string_view name, Value value) override { evaluator_.change_variable(name, value, frame_); }
  std::string scope_text() override;
  bool has_ruby() override { return evaluator_.ruby_service() != nullptr; }
  const ruby::CallableFunctions& functions() override { return functions_; }
  bool in_old_api(std::string_view name) override;
  Value call_function(std::string_view name, std::span<const Value> args) override;
  TemplateFile find_template(std::string_view name) override;
  ruby::NestedRendering render(std::string_view text, std::string_view path, int depth) override;
  std::string text_of(const Value& value) override { return evaluator_.to_string(value); }
  void log(LogLevel level, std::string message) override;

private:
  Evaluator& evaluator_;
  Frame& frame_;
  TemplateFunctions functions_;
};

/// Path of a template by "module/file" or absolute path; "" when there is none.
std::string find_erb_template(Evaluator& evaluator, std::string_view name);

} // namespace pupc
