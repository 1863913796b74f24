#pragma once
// Prints trees as the S-expressions of `puppet parser dump --format pn --pretty`, so that both parsers' trees can be compared as text.
#include "compiler/ast/ast.h"

#include <string>

namespace pupc {

/// The whole text's tree, without a line end at the end. `pretty`: one element per line, indented by two spaces.
std::string print_pn(const ParsedFile& file, bool pretty = true);

} // namespace pupc
