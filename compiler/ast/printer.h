#pragma once
// A readable dump of a tree for `pupc ast FILE` and tests. Each node has its own line, which ends with its place as
// @line:column+length (length in bytes). Children are indented, and named where their role is not obvious.
#include "compiler/ast/ast.h"

#include <string>

namespace pupc::compiler {

struct PrintOptions {
  bool positions = true;
  bool slots = true; // print frame layouts and slots of variables
};

/// Prints the tree of the whole file.
std::string print_ast(const ParsedFile& file, const PrintOptions& options = {});
/// Prints one node and everything below it. Without a `source` (null) the dump has no places.
std::string print_ast(const Node* node, const SourceFile* source, const PrintOptions& options = {});

} // namespace pupc::compiler
