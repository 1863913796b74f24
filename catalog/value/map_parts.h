#pragma once
// Values made from the parts of nested values.
#include "catalog/base/stack.h"
#include "catalog/value/value.h"

namespace pupc::catalog {

/// A list or hash of what `f` makes of its elements, or of its keys and values; every other value as it is. A function over nested values
/// answers for the values it knows and calls this with itself for all others. Throws CompileError where it goes too deep (stack_overflow).
template <class F> Value map_parts(Arena& arena, const Value& v, F f) {
  if (v.is_list()) {
    check_native_stack();
    ListBuilder out(arena, v.items().size());
    for (const Value& item : v.items()) out.add(f(item));
    return out.finish();
  }
  if (v.is_hash()) {
    check_native_stack();
    HashBuilder out(arena, v.hash->size);
    for (const HashEntry& e : v.hash->entries()) {
      const Value key = f(e.key);
      out.set(key, f(e.value));
    }
    return out.finish();
  }
  return v;
}

} // namespace pupc::catalog
