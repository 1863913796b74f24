#pragma once
// What this process leaves in its environment for all that it starts later, as Puppet's providers do.
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace pupc::runtime {

/// Sets a variable of this process's environment, or removes it without a value. Every command that is started later inherits it. Only the
/// thread of the run may call it.
void set_process_environment(const std::string& name, const std::optional<std::string>& value);

/// How many changes there were so far. Who keeps a copy of the environment sees by it that there is something to copy.
uint64_t process_environment_changes();

/// Tells the changes after the first `seen` ones, in their order.
void tell_process_environment(uint64_t seen,
                              const std::function<void(const std::string& name, const std::optional<std::string>& value)>& tell);

/// The search path that Puppet gives itself and all that it starts: `wanted`, or the present one when that is "none", with /usr/sbin and
/// /sbin at the end when they are missing.
void set_search_path(const std::string& wanted = "none");

} // namespace pupc::runtime
