#pragma once
// Semantic versions and ranges of them, as the language's SemVer and SemVerRange values.
#include "catalog/base/arena.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace pupc {

struct SemVer {
  int64_t major = 0;
  int64_t minor = 0;
  int64_t patch = 0;
  std::string_view prerelease; // without '-'
  std::string_view build;      // without '+'
};

/// Precedence by semver.org rule 11 (build metadata ignored): negative, zero or positive.
int compare(const SemVer& a, const SemVer& b);
/// Parsed version, or nothing when `text` is not a semantic version. Views point into `text`.
std::optional<SemVer> parse_semver(std::string_view text);
std::string to_string(const SemVer& v);

/// One comparator set is a conjunction of at most two, an empty one accepts everything; the range is the disjunction of its sets.
struct SemVerComparator {
  enum class Op : uint8_t { Lt, Le, Gt, Ge, Eq } op;
  SemVer version;
};
struct SemVerRange {
  std::string_view text; // as printed
  std::span<const std::span<const SemVerComparator>> alternatives;
};

/// Same comparators in the same order, however they were written.
bool same_range(const SemVerRange& a, const SemVerRange& b);
/// The comparators: ">=1.0.0 <2.0.0 || 3.0.0", as the range stands inside arrays that become text.
std::string comparators_of(const SemVerRange& range);

} // namespace pupc
