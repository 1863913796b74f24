#pragma once
// Helpers for functions of the old API: undef arguments arrive as empty strings, and arrays behave as in Ruby.
#include "catalog/value/flatten.h"
#include "compiler/eval/function.h"

#include <vector>

namespace pupc::compiler {

/// Argument i as the old API passes it: undef is the empty string. So is a missing argument: check size() where the difference matters.
Value legacy_argument(const FunctionCall& c, size_t i);
/// Ruby's String#to_i and numbers' to_i; 0 for anything else.
int64_t ruby_to_i(const Value& v);
/// Ruby's Float(text). Returns false when the text is not a number.
bool ruby_float(std::string_view text, double& out);
/// What Ruby calls the value in "no implicit conversion of X": nil, true, false or its class.
std::string conversion_name(const Value& v);

} // namespace pupc::compiler
