#pragma once
// Semantic versions and version ranges: the SemVer and SemVerRange values of the language.
#include "catalog/base/arena.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace pupc::catalog {

struct SemVer {
  int64_t major = 0;
  int64_t minor = 0;
  int64_t patch = 0;
  std::string_view prerelease; // without '-'
  std::string_view build;      // without '+'
};

/// Compares by semver.org rule 11, ignoring build metadata. Returns a negative number, zero or a positive number.
int compare(const SemVer& a, const SemVer& b);
/// Parses a version. Returns nothing when `text` is not a semantic version. The views in the result point into `text`.
std::optional<SemVer> parse_semver(std::string_view text);
std::string to_string(const SemVer& v);

/// One condition of a range. A set of at most two comparators requires both; an empty set accepts everything. A range accepts a version
/// that one of its sets accepts.
struct SemVerComparator {
  enum class Op : uint8_t { Lt, Le, Gt, Ge, Eq } op;
  SemVer version;
};
struct SemVerRange {
  std::string_view text; // the printed form
  std::span<const std::span<const SemVerComparator>> alternatives;
};

/// Whether both ranges have the same comparators in the same order. Their texts may differ.
bool same_range(const SemVerRange& a, const SemVerRange& b);
/// The range as comparators, ">=1.0.0 <2.0.0 || 3.0.0": its form inside an array that is converted to text.
std::string comparators_of(const SemVerRange& range);

} // namespace pupc::catalog
