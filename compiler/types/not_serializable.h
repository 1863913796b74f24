#pragma once
// Which values cannot be written as rich data.
#include "catalog/value/value.h"

#include <string>

namespace pupc::compiler {

/// Puppet's message for a catalog value that it cannot serialise, such as a type that leads back to itself. Empty if it can.
std::string serialization_error(const Value& value);

} // namespace pupc::compiler
