#include "catalog/value/ruby_equality.h"

#include "catalog/base/stack.h"
#include "catalog/value/value.h"

#include <algorithm>

namespace pupc::catalog {

bool ruby_equal(const Value& a, const Value& b) {
  if (a.is_number() && b.is_number() && a.kind != b.kind)
    return (a.is_int() ? static_cast<double>(a.i) : a.d) == (b.is_int() ? static_cast<double>(b.i) : b.d);
  if (a.kind != b.kind) return false;
  check_native_stack();
  if (a.is_list()) return std::ranges::equal(a.items(), b.items(), ruby_equal);
  if (!a.is_hash()) return eql(a, b);
  return a.hash->size == b.hash->size && std::ranges::all_of(a.hash->entries(), [&](const HashEntry& e) {
           const Value* other = b.hash->find(e.key);
           return other != nullptr && ruby_equal(e.value, *other);
         });
}

} // namespace pupc::catalog
