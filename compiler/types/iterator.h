#pragma once
// What `reverse_each`, `step` and `tree_each` return without a block: a sequence that other iterating functions take.
// Every such sequence of the language is finite and has no side effects, so its elements are made at once.
#include "compiler/types/type.h"

namespace pupc {

struct IteratorValue : Opaque {
  const Type* element_type = nullptr; // null = unknown
  const Type* shown_type = nullptr;   // as messages show it: generalized; null = the element's
  const List* elements = nullptr;
  std::string_view runtime_class; // not empty: a class of Ruby, as which Puppet knows it
  bool hash_style = false;        // elements are [key, value] pairs of a hash

  /// "Iterator[Integer]-Value"
  std::string to_string() const override;
  bool equals(const Opaque& other) const override { return this == &other; }
  uint64_t hash() const override { return reinterpret_cast<uintptr_t>(this) >> 4; }
  Value to_rich_data(Arena& arena) const override;
};

inline const IteratorValue* as_iterator(const Value& v) {
  return v.is(Kind::Iterator) ? static_cast<const IteratorValue*>(v.opaque) : nullptr;
}

} // namespace pupc
