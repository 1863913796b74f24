#pragma once
// Literals as Puppet's messages show them.
#include "catalog/value/value.h"

#include <string>
#include <string_view>

namespace pupc {

/// A literal hash key as Ruby's to_s gives it: `a`, `1`, `[1, "b"]`, `(?-mix:x)`, and nothing for undef.
std::string literal_text(const Value& value);

/// Hexadecimal digits of an integer of any size, given as the source has it. `flags` of the Literal tell the base.
std::string hexadecimal(std::string_view digits, uint8_t flags);

} // namespace pupc
