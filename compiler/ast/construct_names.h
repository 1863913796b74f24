#pragma once
// What messages call a piece of code: "Function Call", "'+' expression", "Host Class Definition" (Puppet's label provider).
#include "compiler/ast/ast.h"

#include <string>
#include <string_view>

namespace pupc::compiler {

/// The name of a node's construct, without article.
std::string label(const Node& node);
/// The functions that may be called as a statement without parentheses.
inline constexpr std::string_view statement_functions[] = {"require", "realize", "include", "contain", "tag",   "debug", "info",  "notice",
                                                           "warning", "err",     "fail",    "import",  "break", "next",  "return"};
/// The name of the class that Puppet's parser makes of an expression: "AccessExpression".
std::string_view model_class(const Node& node);
/// The text after "a " or "an ". As in Puppet the first letter decides, and a quote before it does not count.
std::string a_an(std::string_view text);
/// The same, capitalised: "A Variable".
std::string a_an_upper(std::string_view text);

} // namespace pupc::compiler
