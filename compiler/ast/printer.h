#pragma once
// Readable dump of a tree for `pupc ast FILE` and tests: one node a line, children indented and named where their role
// is not plain, then the place as @line:column+length (length in bytes).
#include "compiler/ast/ast.h"

#include <string>

namespace pupc {

struct PrintOptions {
  bool positions = true;
  bool slots = true; // frame layouts and the slots of variables, when compiler/check resolved them
};

/// The whole file's tree.
std::string print_ast(const ParsedFile& file, const PrintOptions& options = {});
/// One node and what is below it. `source` may be null: no positions then.
std::string print_ast(const Node* node, const SourceFile* source, const PrintOptions& options = {});

} // namespace pupc
