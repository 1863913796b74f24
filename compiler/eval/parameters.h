#pragma once
// Checking named values against declared parameters: classes, defines, templates.
#include "compiler/types/type.h"

#include <string>
#include <string_view>
#include <vector>

namespace pupc {

struct ParameterSpec {
  std::string_view name;
  const Type* type;
  bool required; // has no default
};

/// The reference's text ("Class[A]: expects a value for parameter 'x'", "lambda: has no parameter named 'y'", with several problems one
/// a line) for values that do not fit, empty when all is well. Follows its describer's validate_parameters.
std::string check_parameters(TypeContext& ctx, std::string_view subject, const std::vector<ParameterSpec>& parameters,
                             std::span<const HashEntry> values);

} // namespace pupc
