#pragma once
#include "catalog/base/namespaces.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace pupc::catalog {

/// The line (from 1) on which a data file has a key of its root; of several, the last. 0 when the file cannot be read or has no such
/// key. The extension decides the format: .json, .conf and .hocon, otherwise YAML. Reads the file again, so use it for explanations, not
/// for lookups.
uint32_t data_key_line(const std::string& path, std::string_view key);

/// The same in a JSON text.
uint32_t json_key_line(std::string_view text, std::string_view key);

} // namespace pupc::catalog
