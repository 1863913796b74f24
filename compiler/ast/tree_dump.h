#pragma once
// Prints trees in the older form of `puppet parser dump`, the one it has without --format: lists in parentheses.
#include "compiler/ast/ast.h"

#include <string>

namespace pupc {

/// The whole text's tree, without a line end at the end.
std::string dump_tree(const ParsedFile& file);

} // namespace pupc
