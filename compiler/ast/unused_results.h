#pragma once
// Calls of generate() whose output nothing can use: such a call only asks whether the program succeeds.
#include "compiler/ast/ast.h"

namespace pupc::compiler {

/// Call::flags: nothing uses the result. Only set for generate().
inline constexpr uint8_t call_unused = 64;

/// Sets the flag in a tree that is still being made. The result of a statement is unused where another one follows it, in the body of a
/// class, defined type or node, and in the block of each(). The end of another function or lambda gives its result on.
void mark_unused_results(ParsedFile& file);

} // namespace pupc::compiler
