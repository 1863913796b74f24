#pragma once
#include <string_view>

namespace pupc {

/// Whether Puppet or Facter sets a top-scope variable of that name. Legacy facts count.
bool is_known_fact(std::string_view name);
/// The structured fact ("os.family") that replaced the legacy fact `name`; empty when `name` is not a legacy fact.
std::string_view modern_fact(std::string_view name);

} // namespace pupc
