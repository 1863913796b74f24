#pragma once
#include "catalog/value/value.h"
#include "runtime/provider/managed_resource.h"

namespace pupc {

/// Whether a Deferred is in the value or anywhere within it.
bool has_deferred(const Value& value);
/// Whether some attribute gets its value only at the resource's turn. Guards are asked on their own.
bool has_deferred(const ManagedResource& resource);

} // namespace pupc
