#pragma once
// What messages call expressions and values: "a Function Call", "an Integer", "a '+' expression".
#include "catalog/value/value.h"
#include "compiler/ast/construct_names.h"

#include <string>
#include <string_view>

namespace pupc::compiler {

/// The label of a value in messages, without an article: "Integer".
std::string label(const Value& value);

/// A value in the form of Ruby's to_s, which some of Puppet's messages show: "[1, \"a\", nil]".
std::string ruby_to_s(const Value& value);
/// The same by Ruby's inspect: texts are quoted.
std::string ruby_inspect(const Value& value);
/// Name of the Ruby class of a value as conversion errors show it: "Integer", "nil", "Hash".
std::string_view ruby_class_or_nil(const Value& value);

} // namespace pupc::compiler
