#pragma once
// Functions that return what they were given, so that a Symbol of Ruby's comes back as a Symbol.
#include "compiler/types/runtime_object.h"

namespace pupc::compiler {

/// The argument of a call that Ruby code makes. Functions that may return an argument, such as a lookup's default value, get Symbols as
/// they are; the others get their names, because most of them could do nothing with a Symbol.
Value argument_from_ruby(Arena& arena, std::string_view function, const Value& v);

} // namespace pupc::compiler
