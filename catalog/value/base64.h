#pragma once
#include "catalog/base/namespaces.h"

#include <string>
#include <string_view>

namespace pupc::catalog {

/// Standard base64 with padding and without line breaks.
std::string base64_encode(std::string_view bytes);

} // namespace pupc::catalog
