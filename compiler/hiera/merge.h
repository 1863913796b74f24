#pragma once
// Merge strategies: how values found at several levels become one. Puppet's first, default, unique, hash, deep, and for
// hiera.yaml version 3 reverse_deep and unconstrained_deep.
#include "catalog/value/value.h"
#include "compiler/types/type.h"

#include <optional>
#include <string>
#include <string_view>

namespace pupc {

struct DeepMergeOptions {
  std::string knockout_prefix; // empty = none
  bool sort_merged_arrays = false;
  bool merge_hash_arrays = false;
};

/// The algorithm of Ruby's deep_merge gem with overwriting of what cannot be merged: `source` wins, `dest` gives the order.
/// Throws CompileError for a mixed array that should be sorted.
Value deep_merge(TypeContext& types, const Value& source, const Value& dest, const DeepMergeOptions& options);

class MergeStrategy {
public:
  enum class Form : uint8_t { First, Unique, Hash, Deep };

  /// From `merge` of a lookup or of lookup_options: undef, a strategy's name, or a hash with `strategy` and options.
  /// Throws CompileError without place for an unknown name or wrong options, in Puppet's words.
  static MergeStrategy from(TypeContext& types, const Value& merge);

  /// "unique", "hash", "deep", …
  std::string_view name() const;

  Form form = Form::First;
  DeepMergeOptions options;
  bool reversed = false; // reverse_deep: the lower level wins
  Value given;           // as it was given, for explain

  /// Merges a value of a lower level into what the higher ones gave. Throws CompileError ("The first element of the merge has wrong type,
  /// …").
  Value merge(TypeContext& types, const Value& higher, const Value& lower) const;
  /// What becomes of the first value found when there may be more.
  Value convert(Arena& arena, const Value& value) const;
  /// What becomes of a value when there is only one place to look at.
  Value single(Arena& arena, const Value& value) const;
};

} // namespace pupc
