#include "compiler/eval/parameters.h"

namespace pupc {

std::string check_parameters(TypeContext& ctx, std::string_view subject, const std::vector<ParameterSpec>& parameters,
                             std::span<const HashEntry> values) {
  std::vector<std::string> problems;
  for (const HashEntry& given : values) {
    bool known = false;
    for (const ParameterSpec& p : parameters) known |= given.key.is_string() && p.name == given.key.str();
    if (!known) problems.push_back(fmt::format("has no parameter named '{}'", given.key.is_string() ? given.key.str() : std::string_view("?")));
  }
  for (const ParameterSpec& p : parameters) {
    const Value* value = nullptr;
    for (const HashEntry& given : values)
      if (given.key.is_string() && given.key.str() == p.name) value = &given.value;
    if (value == nullptr) {
      if (p.required) problems.push_back(fmt::format("expects a value for parameter '{}'", p.name));
    } else if (p.type->kind != TypeKind::Any && !is_instance(ctx, p.type, *value)) {
      problems.push_back(describe_mismatch(ctx, fmt::format("parameter '{}'", p.name), p.type, *value));
    }
  }
  if (problems.empty()) return {};
  bool several = problems.size() > 1 || problems[0].find("\n ") != std::string::npos;
  std::string text = fmt::format("{}:{}{}", subject, several ? "\n  " : " ", problems[0]);
  for (size_t i = 1; i < problems.size(); ++i) text.append("\n  ").append(problems[i]);
  return text;
}

} // namespace pupc
