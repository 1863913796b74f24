#pragma once
// Errors that Puppet's compiler tells itself: no statement on the way out says around them that it was being evaluated.
#include "catalog/base/diagnostic.h"

namespace pupc {

/// A CompileError whose message names the compiler as Puppet does. Statements that wrap the errors of what they evaluate leave it as
/// it is.
struct CompilerFailure : CompileError {
  explicit CompilerFailure(Diagnostic d) : CompileError(std::move(d)) {
    diagnostic.message.insert(0, "Puppet::Parser::Compiler failed with error ArgumentError: ");
  }
};

/// Raises a CompilerFailure without a place, as a mistake of the catalog.
[[noreturn]] inline void fail_by_compiler(std::string message) {
  Diagnostic d;
  d.code = ErrorCode::catalog_error;
  d.message = std::move(message);
  throw CompilerFailure(std::move(d));
}

} // namespace pupc
