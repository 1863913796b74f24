#pragma once
// Replaces values inside nested data.
#include "catalog/base/stack.h"
#include "catalog/value/value.h"

namespace pupc::catalog {

/// Copies nested lists and hashes to `arena`, and replaces every other value, also in keys, by `leaf(value)`.
template <class Leaf> Value map_leaves(Arena& arena, const Value& v, const Leaf& leaf) {
  check_native_stack();
  if (v.is_list()) {
    ListBuilder out(arena, v.list->size);
    for (const Value& item : v.items()) out.add(map_leaves(arena, item, leaf));
    return out.finish();
  }
  if (!v.is_hash()) return leaf(v);
  HashBuilder out(arena, v.hash->size);
  for (const HashEntry& e : v.hash->entries()) out.set(map_leaves(arena, e.key, leaf), map_leaves(arena, e.value, leaf));
  return out.finish();
}

} // namespace pupc::catalog
