#pragma once
// Reads the body of one resource type that is written in Ruby.
#include "compiler/ruby/types/type_scan.h"

namespace pupc::compiler {

/// Reads the body of a `newtype` into `type`: its attributes, namevars and title patterns. If it cannot find out what the body does, it
/// sets `type.dynamic` to the reason. `nesting` is the path of the module that contains the body; `locals` are the variables that the body
/// sees.
void read_type_body(RubyFileSet& program, ScannedType& type, std::string nesting, RubyRange body, RubyLocals locals);

} // namespace pupc::compiler
