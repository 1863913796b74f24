#pragma once
// The error for a file or a setting that cannot be used.
#include "catalog/base/diagnostic.h"

#include <string>
#include <utility>

namespace pupc::compiler {

/// Throws CompileError (load_error) with the known part of the place.
[[noreturn]] inline void throw_load_error(std::string message, const std::string& file = {}, uint32_t line = 0, uint32_t column = 0) {
  Diagnostic d;
  d.code = ErrorCode::load_error;
  d.message = std::move(message);
  d.file = file;
  d.line = line;
  d.column = column;
  throw CompileError(std::move(d));
}

} // namespace pupc::compiler
