#pragma once
// The three ways in which a lookup fails in Puppet; they differ in what is put around them on the way out.
#include "compiler/hiera/lookup.h"
#include "compiler/types/ruby_text.h"

namespace pupc {

/// DataBinding::LookupError: passes through everything as it is (the global layer rewrites it unless it is `numbered`).
[[noreturn]] void throw_lookup_error(std::string message, bool numbered = false, std::string file = {}, uint32_t line = 0);
/// A LookupError of another error's text.
[[noreturn]] void throw_as_lookup_error(const CompileError& error);
/// Puppet::Error: becomes a LookupError when it leaves the data of a key, else gets the function call around it.
[[noreturn]] void throw_puppet_error(std::string message);
/// A Ruby error (ArgumentError): gets the function call around it.
[[noreturn]] void throw_argument_error(std::string message);
/// Whether a CompileError is what Puppet raises as a Ruby error.
bool is_ruby_error(const CompileError& error);

} // namespace pupc
