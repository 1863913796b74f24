#pragma once
// Version ranges: reading, membership, and the SemVer type made of them.
#include "catalog/value/semver.h"
#include "compiler/types/core_types.h"

namespace pupc {

/// A range from its text (">=1.0.0 <2.0.0", "1.x", "~1.2", "^1.2.3", "1.0.0 - 2.0.0", alternatives with ||); null when malformed.
const SemVerRange* parse_semver_range(Arena& arena, std::string_view text);
bool includes(const SemVerRange& range, const SemVer& version);
bool semver_type_accepts(const SemVerType& to, const SemVerType& from);
/// SemVer type of just this version.
const Type* semver_exact_type(Arena& arena, const SemVer& version);

} // namespace pupc
