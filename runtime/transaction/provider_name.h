#pragma once
// Under which name a report tells who managed a resource.
#include "runtime/provider/provider.h"

#include <string>

namespace pupc {

/// The resource's provider attribute, else the name that Puppet's default provider of the type has on this machine; empty for types
/// without providers.
std::string provider_name(const ManagedResource& resource, RunContext& run);

} // namespace pupc
