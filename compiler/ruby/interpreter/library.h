#pragma once
// Parts of Ruby's library that are written in Ruby (core/library/*.rb): classes such as Set and Struct, and methods of Ruby's own classes
// that code seldom needs. A file is parsed when code first needs something of it. An error that such a method raises by itself is left to
// Ruby, which words it; an error in a block that the code has given is the code's own.
#include "compiler/ruby/syntax/ruby_tree.h"

#include <optional>
#include <string_view>

namespace pupc::compiler::ruby {

/// The number of the library's file that defines a class or module, by its full name. Nothing where the library has none of that name.
std::optional<size_t> library_file_of(std::string_view constant);

/// The number of the file that gives a method to a class or module; `singleton`: to the class itself. The class may be one of Ruby's own.
std::optional<size_t> library_method(std::string_view of, std::string_view method, bool singleton);

/// Whether any class has a method of that name in the library.
bool library_knows(std::string_view method);

/// The program of a file.
const RubyScript& library_program(size_t file);

} // namespace pupc::compiler::ruby
