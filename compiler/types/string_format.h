#pragma once
// Values as text under the control of formats (Puppet's StringConverter): what String.new does.
#include "compiler/types/type.h"

namespace pupc {

/// `format`: a text like "%#x" for this value, a hash from types to texts or container formats
/// ({format, separator, separator2, string_formats}), or default. Throws CompileError with Puppet's words.
std::string format_value(TypeContext& ctx, const Value& v, const Value& format = Value::default_value());

} // namespace pupc
