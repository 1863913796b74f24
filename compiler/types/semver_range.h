#pragma once
// Version ranges: parsing, membership, and the SemVer types made of them.
#include "catalog/value/semver.h"
#include "compiler/types/core_types.h"

namespace pupc {

/// Parses a range (">=1.0.0 <2.0.0", "1.x", "~1.2", "^1.2.3", "1.0.0 - 2.0.0", alternatives with ||) by the rules of Puppet's
/// semantic_puppet gem. Returns null when the text is malformed.
const SemVerRange* parse_semver_range(Arena& arena, std::string_view text);
/// The range from `min` to `max`; null = open end.
const SemVerRange* make_semver_range(Arena& arena, const SemVer* min, const SemVer* max, bool exclude_max);
bool includes(const SemVerRange& range, const SemVer& version);
bool semver_type_accepts(const SemVerType& to, const SemVerType& from);
/// A SemVer type of these ranges. Ranges that overlap or touch are joined.
const Type* semver_type(Arena& arena, std::span<const SemVerRange* const> ranges);
/// The SemVer type that accepts only this version.
const Type* semver_exact_type(Arena& arena, const SemVer& version);

} // namespace pupc
