#pragma once
// Turns values into text by formats, as String.new does (Puppet's StringConverter).
#include "compiler/types/type.h"

namespace pupc::compiler {

/// `format` is a text like "%#x" for this value, or `default`, or a hash from types to formats: texts or hashes for containers
/// ({format, separator, separator2, string_formats}). Throws CompileError with Puppet's message for a wrong format.
std::string format_value(TypeContext& ctx, const Value& v, const Value& format = Value::default_value());

} // namespace pupc::compiler
