#pragma once
// Plans in the tree. pupc parses and checks them, but does not run them: Bolt does.
#include "compiler/ast/ast.h"

namespace pupc::compiler {

/// FunctionDef::flags: a plan.
inline constexpr uint8_t function_is_plan = 1;
inline bool is_plan(const Node& n) { return n.kind == NodeKind::FunctionDef && (n.flags & function_is_plan) != 0; }

/// Call::flags: `apply(TARGETS) { … }` in a plan. The lambda, without parameters, holds what is applied.
inline constexpr uint8_t call_is_apply = 4;
inline bool is_apply(const Node& n) { return n.kind == NodeKind::Call && (n.flags & call_is_apply) != 0; }

} // namespace pupc::compiler
