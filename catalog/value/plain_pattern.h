#pragma once
// Patterns that are valid at a glance.
#include "catalog/base/namespaces.h"

#include <string>
#include <string_view>
#include <vector>

namespace pupc::catalog {

/// Whether a source certainly is a valid pattern without named groups. Knows the usual forms; false for all others.
bool plainly_valid(std::string_view source);

/// Texts that stand in everything that the pattern matches, one behind the other: "db" and ".example.com" for ^db\d+\.example\.com$. Empty
/// where there are none or the pattern is not plainly valid. Holds only where case matters.
std::vector<std::string> required_texts(std::string_view source);

} // namespace pupc::catalog
