#pragma once
// The bytes that tables of mounts and tar's lists write as \NNN.
#include "catalog/base/namespaces.h"

#include <optional>
#include <string>
#include <string_view>

namespace pupc::catalog {

/// The byte that a backslash with three octal digits at `at` stands for; nothing when there is none.
std::optional<char> octal_escape(std::string_view text, size_t at);

/// The text with each such escape as its byte: a mount table writes a blank as \040.
std::string without_octal_escapes(std::string_view text);

} // namespace pupc::catalog
