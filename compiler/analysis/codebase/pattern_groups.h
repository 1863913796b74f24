#pragma once
// Groups of regular expressions.
#include <optional>
#include <string_view>

namespace pupc::compiler {

/// How many groups a pattern has; nothing where they have names.
std::optional<int> groups_of(std::string_view pattern);

} // namespace pupc::compiler
