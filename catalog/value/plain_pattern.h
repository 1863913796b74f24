#pragma once
// Patterns that are valid at a glance.
#include "catalog/base/namespaces.h"

#include <string_view>

namespace pupc::catalog {

/// Whether a source certainly is a valid pattern without named groups. Knows the usual forms; false for all others.
bool plainly_valid(std::string_view source);

} // namespace pupc::catalog
