#pragma once
// Parses lines of authorized_keys and reads such files with their user's rights.
#include "catalog/value/regex.h"
#include "runtime/provider/provider.h"

#include <optional>
#include <string>
#include <string_view>

namespace pupc::runtime {

/// The pattern of a line. Its groups are options, type, key and name.
const Regex& authorized_key_line();
/// The comment, which may be empty, of a line with a key; nothing for other lines.
std::optional<std::string> authorized_key_name(std::string_view line);

/// Reads a user's file of keys with that user's rights; nothing when it does not exist. Throws SystemError.
std::optional<std::string> read_keys(const std::string& path, const User& user, RunContext& run);

} // namespace pupc::runtime
