#pragma once
// Merge strategies: how values from several levels become one. Puppet has first, default, unique, hash and deep; hiera.yaml version 3 also
// has reverse_deep and unconstrained_deep.
#include "catalog/value/value.h"
#include "compiler/types/type.h"

#include <optional>
#include <string>
#include <string_view>

namespace pupc::compiler {

struct DeepMergeOptions {
  std::string knockout_prefix; // empty = none
  bool sort_merged_arrays = false;
  bool merge_hash_arrays = false;
};

/// The algorithm of Ruby's deep_merge gem; it overwrites values that it cannot merge. `source` wins, and `dest` decides the order. Throws
/// CompileError when it would have to sort an array of mixed types.
Value deep_merge(TypeContext& types, const Value& source, const Value& dest, const DeepMergeOptions& options);

class MergeStrategy {
public:
  enum class Form : uint8_t { First, Unique, Hash, Deep };

  /// Reads `merge` of a lookup or of lookup_options: undef, the name of a strategy, or a hash with `strategy` and options. Throws
  /// CompileError without place, in Puppet's words, for an unknown name or wrong options.
  static MergeStrategy from(TypeContext& types, const Value& merge);

  /// "unique", "hash", "deep", …
  std::string_view name() const;

  Form form = Form::First;
  DeepMergeOptions options;
  bool reversed = false; // reverse_deep: the lower level wins
  Value given;           // as given, for explain

  /// Merges the value of a lower level into that of the higher levels. Throws CompileError ("The first element of the merge has wrong type,
  /// …").
  Value merge(TypeContext& types, const Value& higher, const Value& lower) const;
  /// Converts the first value found, when more may follow.
  Value convert(Arena& arena, const Value& value) const;
  /// Converts the value of a lookup with only one place to search.
  Value single(Arena& arena, const Value& value) const;
};

} // namespace pupc::compiler
