#pragma once
// Version ranges: parsing, membership, and sets of ranges.
#include "catalog/value/semver.h"

#include <span>
#include <string_view>
#include <vector>

namespace pupc::catalog {

/// Parses a range (">=1.0.0 <2.0.0", "1.x", "~1.2", "^1.2.3", "1.0.0 - 2.0.0", alternatives with ||) by the rules of Puppet's
/// semantic_puppet gem. Returns null when the text is malformed.
const SemVerRange* parse_semver_range(Arena& arena, std::string_view text);
/// The range from `min` to `max`; null = open end.
const SemVerRange* make_semver_range(Arena& arena, const SemVer* min, const SemVer* max, bool exclude_max);
bool includes(const SemVerRange& range, const SemVer& version);
/// Whether one of the ranges covers all of `range`.
bool covers(std::span<const SemVerRange* const> ranges, const SemVerRange& range);
/// The ranges, with those joined that overlap or touch.
std::vector<const SemVerRange*> joined_ranges(Arena& arena, std::span<const SemVerRange* const> ranges);

} // namespace pupc::catalog
