#pragma once
// Whether the Ruby of a template is free of syntax errors.
#include "catalog/value/regex.h"

#include <string_view>

namespace pupc::compiler {

/// True when the template's Ruby certainly parses. It knows the forms that nearly all templates are made of: tags that print a value or set
/// a variable, `if`, `unless` and blocks with their `end`, and expressions without what depends on the variables in sight (`x [1]`, `x
/// -1`). It reads the template in place and makes no tree, so it costs a small part of erb_parses. False means nothing: then erb_parses
/// decides.
bool plain_erb(std::string_view text);

/// Whether pupc's own parser accepts the whole template, as it does with all that plain_erb knows. Then the template's Ruby is valid.
/// Otherwise only Ruby can tell. `text` is valid UTF-8.
bool erb_parses(std::string_view text, RegexCache& regexes);

} // namespace pupc::compiler
