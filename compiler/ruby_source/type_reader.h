#pragma once
// The body of one resource type written in Ruby.
#include "compiler/ruby_source/type_scan.h"

namespace pupc {

/// Reads the body of a `newtype` into `type`: its attributes, namevars and title patterns; `type.dynamic` says why it cannot be told what
/// the body does. `nesting` is the path of the module the body stands in, `locals` what it sees of the variables around it.
void read_type_body(RubyProgram& program, ScannedType& type, std::string nesting, RubyRange body, RubyLocals locals);

} // namespace pupc
