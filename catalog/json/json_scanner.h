#pragma once
// Reads the JSON that programs write: several times faster than the parser that takes all forms and tells what is wrong.
#include "catalog/value/value.h"

#include <cstddef>
#include <optional>
#include <string_view>

namespace pupc::catalog {

/// The value of a JSON text whose strings are copied into `arena`. Nothing for a text that is not plainly right: malformed, deeper than
/// `most_levels`, with numbers beyond 64 bits, a surrogate in an escape, anything but blanks around its tokens. That is for json_values.
std::optional<Value> scan_json(std::string_view text, Arena& arena, size_t most_levels);

} // namespace pupc::catalog
