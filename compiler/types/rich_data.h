#pragma once
// Which values have no form as rich data.
#include "catalog/value/value.h"

#include <string>

namespace pupc {

/// Why Puppet cannot serialise a value of a catalog (a type that leads back to itself), in its words; empty when it can.
std::string serialization_error(const Value& value);

} // namespace pupc
