#pragma once
// Kernel#sprintf of Ruby.
#include "compiler/types/type.h"

#include <span>
#include <string>
#include <string_view>

namespace pupc::compiler {

/// ruby_sprintf throws this with Ruby's message: "too few arguments", "malformed format string - %y", "key<x> not found", …
struct FormatError {
  std::string message;
};

/// Formats the arguments. Supports the flags `space # + - 0 *`, width, precision, positions (`%1$s`), names (`%<a>s` and `%{a}` from
/// a hash argument) and the directives d i u f e E g G a A x X o b B c s p %. Throws FormatError.
std::string ruby_sprintf(TypeContext& types, std::string_view format, std::span<const Value> args);

} // namespace pupc::compiler
