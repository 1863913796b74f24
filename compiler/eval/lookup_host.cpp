#include "compiler/eval/lookup_host.h"

#include "compiler/eval/catalog_builder.h"
#include "compiler/eval/evaluator_state.h"
#include "compiler/eval/ruby_service.h"

#include <fmt/format.h>

namespace pupc::compiler {

std::string EvaluatorLookupHost::calling_class() {
  for (const Scope* scope = frame_.scope; scope != nullptr; scope = scope->parent)
    if (scope->kind == ScopeKind::Class) return std::string(scope->class_name);
  return {};
}

std::optional<Value> EvaluatorLookupHost::call_backend(const BackendRequest& request) {
  RubyService* ruby = evaluator_.ruby_service();
  return ruby ? ruby->call_backend(evaluator_, request, calling_class(), frame_) : LookupHost::call_backend(request);
}

void EvaluatorLookupHost::undefined_variable(std::string_view name, bool in_location) {
  std::string reason;
  std::string_view plain = name.starts_with("::") ? name.substr(2) : name;
  if (size_t at = plain.rfind("::"); at != std::string_view::npos) {
    std::string_view class_name = plain.substr(0, at);
    reason = fmt::format("class {} {}", class_name,
                         evaluator_.catalog().class_known(class_name) ? "has not been evaluated" : "could not be found");
    name = plain;
  }
  const Strict strict = evaluator_.settings().strict;
  if (strict == Strict::Off) return;
  std::string text = strict == Strict::Error && in_location
                         ? fmt::format("Interpolation failed with '{}', but compilation continuing; {}", name, reason)
                         : fmt::format("Undefined variable '{}'; {}", name, reason);
  if (strict == Strict::Error && !in_location) fail_unplaced(std::move(text), ErrorCode::unknown_variable);
  if (evaluator_.settings().tell_undefined_variables)
    evaluator_.warn_once(fmt::format("Variable: {}", name), {}, text + "\n   (file & line not available)");
}

} // namespace pupc::compiler
