#pragma once
// What a line of authorized_keys looks like.
#include "catalog/value/regex.h"

#include <optional>
#include <string>
#include <string_view>

namespace pupc {

/// Groups: options, type, key, name.
const Regex& authorized_key_line();
/// The comment of a line that is a key, perhaps empty; nothing for other lines.
std::optional<std::string> authorized_key_name(std::string_view line);

} // namespace pupc
