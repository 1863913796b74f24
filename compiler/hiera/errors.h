#pragma once
// The three ways in which a lookup fails in the reference; they differ in what is put around them on the way out.
#include "compiler/hiera/lookup.h"

namespace pupc {

/// DataBinding::LookupError: passes through everything as it is (the global layer rewrites it unless it is `numbered`).
[[noreturn]] void throw_lookup_error(std::string message, bool numbered = false, std::string file = {}, uint32_t line = 0);
/// Puppet::Error: becomes a LookupError when it leaves the data of a key, else gets the function call around it.
[[noreturn]] void throw_puppet_error(std::string message);
/// A Ruby error (ArgumentError): gets the function call around it.
[[noreturn]] void throw_argument_error(std::string message);
/// Whether a CompileError is what the reference raises as a Ruby error.
bool is_ruby_error(const CompileError& error);

/// Class of a value as Ruby names it: String, Array, Integer, TrueClass, …
std::string_view ruby_class(const Value& v);
/// Value as Ruby's to_s prints it in interpolations: undef is "", lists and hashes by inspect (`["a", nil]`, `{"a"=>1}`).
std::string ruby_to_s(TypeContext& types, const Value& v);

} // namespace pupc
