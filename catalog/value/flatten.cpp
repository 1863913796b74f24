#include "catalog/value/flatten.h"

#include "catalog/base/stack.h"

namespace pupc::catalog {

void flatten_into(const Value& v, std::vector<Value>& out) {
  check_native_stack();
  if (v.is_list())
    for (const Value& item : v.items()) flatten_into(item, out);
  else
    out.push_back(v);
}

} // namespace pupc::catalog
