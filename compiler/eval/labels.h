#pragma once
// What messages call expressions and values: "a Function Call", "an Integer", "a '+' expression".
#include "catalog/value/value.h"
#include "compiler/ast/ast.h"

#include <string>
#include <string_view>

namespace pupc {

std::string label(const Node& node);
std::string label(const Value& value);
/// "a " or "an " and the text, by its first letter as the reference picks it.
std::string a_an(std::string_view text);
/// The same, capitalised: "A Variable".
std::string a_an_upper(std::string_view text);

/// A value as Ruby's to_s gives it, which some of the reference's messages show: "[1, \"a\", nil]".
std::string ruby_to_s(const Value& value);
std::string ruby_inspect(const Value& value);
/// Name of the Ruby class of a value as conversion errors show it: "Integer", "nil", "Hash".
std::string_view ruby_class_name(const Value& value);

} // namespace pupc
