#pragma once
// The SemVer types, made of version ranges.
#include "catalog/value/semver.h"
#include "compiler/types/core_types.h"

namespace pupc::compiler {

bool semver_type_accepts(const SemVerType& to, const SemVerType& from);
/// A SemVer type of these ranges. Ranges that overlap or touch are joined.
const Type* semver_type(Arena& arena, std::span<const SemVerRange* const> ranges);
/// The SemVer type that accepts only this version.
const Type* semver_exact_type(Arena& arena, const SemVer& version);

} // namespace pupc::compiler
