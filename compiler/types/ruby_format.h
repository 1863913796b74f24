#pragma once
// Kernel#sprintf of Ruby.
#include "compiler/types/type.h"

#include <span>
#include <string>
#include <string_view>

namespace pupc {

/// Raised with Ruby's text: "too few arguments", "malformed format string - %y", "invalid value for Integer(): \"x\"", "key<x> not found".
struct FormatError {
  std::string message;
};

/// The formatted text: flags `space # + - 0 *`, width, precision, positions (`%1$s`), names (`%<a>s`, `%{a}` from a hash argument),
/// directives d i u f e E g G a A x X o b B c s p %.
std::string ruby_sprintf(TypeContext& types, std::string_view format, std::span<const Value> args);

} // namespace pupc
