#pragma once
// What Ruby calls the class of a value. Messages of functions that Puppet implements in Ruby show it.
#include "compiler/types/type.h"

#include <string>
#include <string_view>

namespace pupc::compiler {

/// The name of the value's Ruby class: "String", "Integer", "NilClass", "TrueClass", "Array", "Puppet::Pops::Types::PIntegerType", …
std::string ruby_class_name(const Value& v);
/// Name of Puppet's Ruby class for a kind of type: "PStringType".
std::string_view ruby_type_class(TypeKind kind);
/// "a String", "an Integer", "an Array"…: Puppet's label of a value in messages.
std::string label_of(const Value& v);

} // namespace pupc::compiler
