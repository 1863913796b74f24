#pragma once
// Puppet's providers of other systems and tools, which pupc does not have. A resource that names one is accepted, as in Puppet, and fails
// at its turn where the provider cannot work.
#include "runtime/provider/provider.h"

namespace pupc::runtime {

/// Whether Puppet has such a provider of package, service, user or group, and pupc has not.
bool is_of_other_systems(std::string_view type, std::string_view provider);

/// "Provider x is not functional on this host" for such a provider. Throws ResourceError where the provider's program is installed, as
/// Puppet could use it.
std::string other_system_problem(std::string_view type, std::string_view provider, RunContext& run);

} // namespace pupc::runtime
