#pragma once
// The way to the place of an error: the bodies of classes and defines, of which each declared the next.
#include "catalog/base/diagnostic.h"
#include "catalog/graph/catalog.h"
#include "compiler/eval/scope.h"

namespace pupc::compiler {

/// At most so many bodies and calls are told.
inline constexpr size_t trace_limit = 64;

/// Adds the body of a scope to the trace of an error, innermost first, with the line that declared it: "Foo[x] (file: F, line: 3)".
/// `catalog` may be null.
void trace_scope(const Scope& scope, const Catalog* catalog, std::vector<TraceEntry>& trace);
/// The same for the scope and all that led to it.
void trace_scopes(const Scope* scope, const Catalog* catalog, std::vector<TraceEntry>& trace);

} // namespace pupc::compiler
