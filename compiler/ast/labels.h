#pragma once
// What messages call a piece of code: "Function Call", "'+' expression", "Host Class Definition" (Puppet's label provider).
#include "compiler/ast/ast.h"

#include <string>
#include <string_view>

namespace pupc {

/// The name of a node's construct, without article.
std::string label(const Node& node);
/// "a " or "an " and the text, by its first letter as Puppet picks it (a quote before the letter is skipped).
std::string a_an(std::string_view text);
/// The same, capitalised: "A Variable".
std::string a_an_upper(std::string_view text);

} // namespace pupc
