#pragma once
// Values of attributes that are to be absolute paths.
#include "runtime/provider/provider.h"

namespace pupc::runtime {

/// Whether a value is an absolute path. Of a value that is no text it warns, as Puppet does, that it cannot be looked at.
bool is_absolute_path(const Value& value, RunContext& run);
/// The class that Ruby gives a value of a catalog: "String", "TrueClass", "Integer", "Hash", …
std::string_view class_in_ruby(const Value& value);

} // namespace pupc::runtime
