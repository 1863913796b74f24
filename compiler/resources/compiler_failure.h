#pragma once
// Errors that Puppet's compiler itself reports: enclosing statements do not add "Error while evaluating …" to them.
#include "catalog/base/diagnostic.h"

namespace pupc::compiler {

/// A CompileError whose message names the compiler, as Puppet's does. Statements that add words to the errors of what they evaluate do not
/// change this one.
struct CompilerFailure : CompileError {
  explicit CompilerFailure(Diagnostic d) : CompileError(std::move(d)) {
    diagnostic.message.insert(0, "Puppet::Parser::Compiler failed with error ArgumentError: ");
  }
};

/// Throws a CompilerFailure without a place; its code is catalog_error.
[[noreturn]] inline void fail_by_compiler(std::string message) {
  Diagnostic d;
  d.code = ErrorCode::catalog_error;
  d.message = std::move(message);
  throw CompilerFailure(std::move(d));
}

} // namespace pupc::compiler
