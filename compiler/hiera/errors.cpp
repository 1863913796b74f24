#include "compiler/hiera/errors.h"

namespace pupc::compiler {
namespace {

Diagnostic make(std::string message, ErrorCode code) {
  Diagnostic d;
  d.code = code;
  d.message = std::move(message);
  return d;
}

} // namespace

void throw_lookup_error(std::string message, bool numbered, std::string file, uint32_t line) {
  Diagnostic d = make(std::move(message), ErrorCode::lookup_error);
  d.preformatted = true;
  if (!numbered) d.log_text = d.message;
  d.file = std::move(file);
  d.line = line;
  throw LookupError(std::move(d), numbered);
}

void throw_as_lookup_error(const CompileError& error) {
  try {
    throw_lookup_error(error.diagnostic.puppet_text());
  } catch (LookupError& made) {
    made.diagnostic.suggestion = error.diagnostic.suggestion;
    throw;
  }
}

void throw_puppet_error(std::string message) { throw CompileError(make(std::move(message), ErrorCode::lookup_error)); }

// The error code tells the kinds of errors apart; nothing else in a lookup uses it.
void throw_argument_error(std::string message) { throw CompileError(make(std::move(message), ErrorCode::argument_mismatch)); }

bool is_ruby_error(const CompileError& error) {
  ErrorCode code = error.diagnostic.code;
  // An exception in a module's Ruby code, unless it belongs to Puppet.
  if (code == ErrorCode::ruby_error) return error.diagnostic.suggestion.find("raised Puppet::") == std::string::npos;
  return code == ErrorCode::argument_mismatch || code == ErrorCode::unknown_variable || is_limit(code) ||
         code == ErrorCode::not_implemented;
}

} // namespace pupc::compiler
