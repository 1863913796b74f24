#pragma once
// What a line of authorized_keys looks like.
#include "catalog/value/regex.h"
#include "runtime/provider/provider.h"

#include <optional>
#include <string>
#include <string_view>

namespace pupc {

/// Groups: options, type, key, name.
const Regex& authorized_key_line();
/// The comment of a line that is a key, perhaps empty; nothing for other lines.
std::optional<std::string> authorized_key_name(std::string_view line);

/// The text of a file of keys that is in a user's hands, read with that user's rights; nothing when it does not exist. Throws SystemError.
std::optional<std::string> read_keys(const std::string& path, const User& user, RunContext& run);

} // namespace pupc
