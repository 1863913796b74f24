#pragma once
#include <string_view>

namespace pupc {

/// Whether Puppet or Facter gives a top-scope variable of that name, legacy facts included.
bool is_known_fact(std::string_view name);
/// The structured fact ("os.family") that has what the legacy fact `name` had; empty when it is none.
std::string_view modern_fact(std::string_view name);

} // namespace pupc
