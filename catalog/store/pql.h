#pragma once
// PQL, the Puppet query language of PuppetDB.
#include "catalog/value/value.h"

#include <string_view>

namespace pupc::catalog {

/// The query as a List in PuppetDB's AST: `nodes[certname] { facts_environment = "x" limit 1 }` becomes
/// ["from", "nodes", ["extract", ["certname"], ["=", …]], ["limit", 1]]. It lives in `into`. Throws CompileError (load_error) that names
/// the column.
Value parse_pql(std::string_view text, Arena& into);

} // namespace pupc::catalog
