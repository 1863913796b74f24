#pragma once
// Values as Ruby itself shows them. Functions that Puppet implements in Ruby put such texts into results and messages.
#include "compiler/types/type.h"

#include <string>

namespace pupc::compiler {

/// Ruby's to_s: "" for undef, inspect for arrays and hashes, the language's own printed form for everything else.
std::string ruby_to_s(TypeContext& types, const Value& v);
/// Ruby's inspect: "nil", quoted strings with escapes, `[1, "a"]`, `{"a"=>1}`.
std::string ruby_inspect(TypeContext& types, const Value& v);
/// The Y in Ruby's "comparison of X with Y failed": inspect for special constants and numbers, otherwise the class name.
std::string ruby_operand(TypeContext& types, const Value& v);

} // namespace pupc::compiler
