#pragma once
// Legacy facts for a machine whose facts were collected elsewhere.
#include "catalog/value/value.h"

namespace pupc::runtime {

/// Returns `facts` (a Hash) with the legacy facts that Facter derives from them. Present facts stay. When the source of a legacy fact is
/// missing or has another type, leaves that legacy fact out. The result lives in `arena`.
Value with_legacy_facts(const Value& facts, Arena& arena);

} // namespace pupc::runtime
