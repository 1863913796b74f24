#pragma once
// Legacy facts for a machine whose facts were collected elsewhere.
#include "catalog/value/value.h"

namespace pupc {

/// `facts` (a Hash) with the flat names that facts had before they were structured, as Facter derives them; facts that are there already
/// stay. What a legacy fact is derived from may be missing or of any type: then it is left out. Lives in `arena`.
Value with_legacy_facts(const Value& facts, Arena& arena);

} // namespace pupc
