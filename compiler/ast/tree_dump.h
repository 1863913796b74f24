#pragma once
// Prints trees in the older form of `puppet parser dump`, which it uses without --format: lists in parentheses.
#include "compiler/ast/ast.h"

#include <string>

namespace pupc::compiler {

/// The tree of the whole file, without a final line end.
std::string dump_tree(const ParsedFile& file);

} // namespace pupc::compiler
