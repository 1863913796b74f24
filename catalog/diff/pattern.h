#pragma once
#include <string_view>

namespace pupc {

/// Whether a text fits a pattern with `*` (any characters) and `?` (one), in time proportional to the product of their lengths at most.
bool fits_pattern(std::string_view pattern, std::string_view text, bool any_case = false);

} // namespace pupc
