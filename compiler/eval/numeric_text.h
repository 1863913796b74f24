#pragma once
// Numbers in strings, as the operators and the access operator read them.
#include "catalog/value/value.h"

#include <optional>

namespace pupc::compiler {

/// Reads an Integer or Float: optional blanks, sign, then a hexadecimal, octal, decimal or floating number. Returns nothing when the text
/// is not a number or the number does not fit. A leading :: is ignored, as in Puppet.
std::optional<Value> number_from_text(std::string_view text);

} // namespace pupc::compiler
