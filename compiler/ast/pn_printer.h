#pragma once
// Prints trees as the S-expressions of `puppet parser dump --format pn --pretty`, so that both parsers' trees can be compared as text.
#include "compiler/ast/ast.h"

#include <string>

namespace pupc::compiler {

/// The tree of the whole file, without a final line end. `pretty`: one element per line, indented by two spaces. `json`: the same tree as
/// `--format json` prints it.
std::string print_pn(const ParsedFile& file, bool pretty = true, bool json = false);

} // namespace pupc::compiler
