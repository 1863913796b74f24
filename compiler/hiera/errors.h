#pragma once
// A lookup fails in Puppet in one of three ways. They differ in the words that callers add to the error.
#include "compiler/hiera/lookup.h"

namespace pupc::compiler {

/// DataBinding::LookupError: nobody adds words to it, but the global layer rewrites it unless it is `numbered`.
[[noreturn]] void throw_lookup_error(std::string message, bool numbered = false, std::string file = {}, uint32_t line = 0);
/// Throws a LookupError with the text of another error.
[[noreturn]] void throw_as_lookup_error(const CompileError& error);
/// Puppet::Error: becomes a LookupError when it leaves the data of a key; otherwise the function call adds its words.
[[noreturn]] void throw_puppet_error(std::string message);
/// A Ruby error (ArgumentError): the function call adds its words.
[[noreturn]] void throw_argument_error(std::string message);
/// Whether Puppet raises this CompileError as a Ruby error.
bool is_ruby_error(const CompileError& error);

} // namespace pupc::compiler
