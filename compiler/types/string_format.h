#pragma once
// String.new with a format: one format text, or a hash from types to formats (Puppet's StringConverter).
#include "compiler/types/type.h"

namespace pupc {

/// `format`: a text like "%#x", or a Hash[Type, Variant[String, Hash]]. Throws CompileError with the reference's words.
std::string format_value(TypeContext& ctx, const Value& v, const Value& format);

} // namespace pupc
