#pragma once
// The error of a conversion between values and their texts.
#include "catalog/base/diagnostic.h"

namespace pupc::catalog {

/// Throws an error whose message is complete: Puppet appends no place to it.
[[noreturn]] inline void fail_conversion(std::string message) {
  throw_error(ErrorCode::evaluation_error, {}, std::move(message), PositionStyle::None);
}

} // namespace pupc::catalog
