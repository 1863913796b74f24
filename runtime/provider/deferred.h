#pragma once
#include "catalog/value/value.h"
#include "runtime/provider/managed_resource.h"

namespace pupc::runtime {

/// Whether a value is or contains a Deferred.
bool has_deferred(const Value& value);
/// Whether an attribute contains a Deferred, so that its value is known only when the resource is evaluated. Ignores guards: they
/// resolve their own values.
bool has_deferred(const ManagedResource& resource);

} // namespace pupc::runtime
