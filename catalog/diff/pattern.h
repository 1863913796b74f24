#pragma once
#include "catalog/base/namespaces.h"

#include <string_view>

namespace pupc::catalog {

/// Whether a text matches a pattern with `*` (any characters) and `?` (one). Takes at most time proportional to the product of the
/// lengths.
bool fits_pattern(std::string_view pattern, std::string_view text, bool any_case = false);

} // namespace pupc::catalog
