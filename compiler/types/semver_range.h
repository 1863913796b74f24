#pragma once
// Version ranges: reading, membership, and the SemVer type made of them.
#include "catalog/value/semver.h"
#include "compiler/types/core_types.h"

namespace pupc {

/// A range from its text (">=1.0.0 <2.0.0", "1.x", "~1.2", "^1.2.3", "1.0.0 - 2.0.0", alternatives with ||), by the rules of
/// Puppet's semantic_puppet; null when malformed.
const SemVerRange* parse_semver_range(Arena& arena, std::string_view text);
/// The versions from `min` to `max`; null = open.
const SemVerRange* make_semver_range(Arena& arena, const SemVer* min, const SemVer* max, bool exclude_max);
bool includes(const SemVerRange& range, const SemVer& version);
bool semver_type_accepts(const SemVerType& to, const SemVerType& from);
/// The ranges of a SemVer type, those that meet joined.
const Type* semver_type(Arena& arena, std::span<const SemVerRange* const> ranges);
/// SemVer type of just this version.
const Type* semver_exact_type(Arena& arena, const SemVer& version);

} // namespace pupc
