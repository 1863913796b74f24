#pragma once
// How Ruby itself would show a value: what functions that were written in Ruby put into texts and messages.
#include "compiler/types/type.h"

#include <string>

namespace pupc {

/// Ruby's to_s: undef is "", arrays and hashes as inspect shows them, everything else as the language prints it.
std::string ruby_to_s(TypeContext& types, const Value& v);
/// Ruby's inspect: "nil", quoted strings with escapes, `[1, "a"]`, `{"a"=>1}`.
std::string ruby_inspect(TypeContext& types, const Value& v);
/// Class name in Ruby: "String", "Integer", "NilClass", "TrueClass", "Array", "Puppet::Pops::Types::PIntegerType", …
std::string ruby_class_name(const Value& v);
/// Name of Puppet's Ruby class for a kind of type: "PStringType".
std::string_view ruby_type_class(TypeKind kind);
/// The right side in Ruby's "comparison of X with Y failed": special constants and numbers by inspect, else the class name.
std::string ruby_operand(TypeContext& types, const Value& v);
/// "a String", "an Integer", "an Array"…: Puppet's label of a value in messages.
std::string label_of(const Value& v);

} // namespace pupc
