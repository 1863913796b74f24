#pragma once
// `reverse_each`, `step` and `tree_each` return an iterator when they get no block. Other iterating functions accept it.
// All iterators of the language are finite and have no side effects, so all elements are computed at once.
#include "compiler/types/type.h"

namespace pupc::compiler {

struct IteratorValue : Opaque {
  const Type* element_type = nullptr; // null = unknown
  const Type* shown_type = nullptr;   // the generalized type for messages; null = element_type
  const List* elements = nullptr;
  std::string_view runtime_class; // if not empty: Puppet treats the iterator as a Runtime value of this Ruby class
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

} // namespace pupc::compiler
