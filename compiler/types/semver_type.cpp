#include "compiler/types/semver_type.h"

#include "catalog/value/semver_range.h"

#include <algorithm>

namespace pupc::compiler {

bool semver_type_accepts(const SemVerType& to, const SemVerType& from) {
  if (to.ranges.empty()) return true;
  if (from.ranges.empty()) return false;
  return std::all_of(from.ranges.begin(), from.ranges.end(), [&](const SemVerRange* r) { return covers(to.ranges, *r); });
}

const Type* semver_type(Arena& arena, std::span<const SemVerRange* const> given) {
  std::vector<const SemVerRange*> ranges = joined_ranges(arena, given);
  return arena.make<SemVerType>(std::span<const SemVerRange* const>(arena.copy_span<const SemVerRange*>(ranges)));
}

const Type* semver_exact_type(Arena& arena, const SemVer& version) {
  const SemVerRange* ranges[] = {make_semver_range(arena, &version, &version, false)};
  return arena.make<SemVerType>(std::span<const SemVerRange* const>(arena.copy_span<const SemVerRange*>(ranges)));
}

} // namespace pupc::compiler
