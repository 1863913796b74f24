#pragma once
// Text of literals in Puppet's messages.
#include "catalog/value/value.h"

#include <string>
#include <string_view>

namespace pupc::compiler {

/// A literal hash key as Ruby's to_s prints it: `a`, `1`, `[1, "b"]`, `(?-mix:x)`, and nothing for undef.
std::string literal_text(const Value& value);

/// The hexadecimal digits of an integer of any size. `digits` is its text in the source; `flags` of the Literal give its base.
std::string hexadecimal(std::string_view digits, uint8_t flags);

} // namespace pupc::compiler
