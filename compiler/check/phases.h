#pragma once
// What stands in the wrong phase: values that converge alone knows, read while compiling.
#include "catalog/base/diagnostic.h"
#include "compiler/ast/ast.h"

#include <vector>

namespace pupc {

/// Errors for each read of a run-time node attribute that compiling cannot know (the test of an if, a case or a selector, an operand, a part of a string), and
/// for each call of file(), find_file(), generate() and their like on a path that a file resource of the same program manages: the file is not there yet.
/// No part of check(): the reference has neither.
std::vector<Diagnostic> check_phases(const ParsedFile& file);

} // namespace pupc
