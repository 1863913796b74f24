#pragma once
// The provider's name that a report shows for a resource.
#include "runtime/provider/provider.h"

#include <string>

namespace pupc::runtime {

/// The resource's `provider` attribute, else the name of Puppet's default provider for the type on this machine; empty for types without
/// providers.
std::string provider_name(const ManagedResource& resource, RunContext& run);

} // namespace pupc::runtime
