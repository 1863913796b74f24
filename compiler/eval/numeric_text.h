#pragma once
// Numbers in strings, as the operators and the access operator read them.
#include "catalog/value/value.h"

#include <optional>

namespace pupc {

/// Integer or Float from text with optional blanks, sign, and a hexadecimal, octal, decimal or floating number; nothing when
/// it is none or does not fit. A leading :: is ignored, as Puppet does.
std::optional<Value> number_from_text(std::string_view text);

} // namespace pupc
