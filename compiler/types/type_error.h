#pragma once
// The error of a type that cannot be made.
#include "catalog/base/diagnostic.h"

namespace pupc::compiler {

/// Throws an error whose message is complete: Puppet appends no place to it.
[[noreturn]] inline void fail_type(std::string message) {
  throw_error(ErrorCode::invalid_type, {}, std::move(message), PositionStyle::None);
}

} // namespace pupc::compiler
