#include "runtime/provider/deferred.h"

#include "catalog/schema/metaparameters.h"

#include <algorithm>

namespace pupc::runtime {

bool has_deferred(const Value& v) {
  switch (v.kind) {
  case Kind::Deferred: return true;
  case Kind::Sensitive: return has_deferred(v.unwrap());
  case Kind::List: return std::any_of(v.items().begin(), v.items().end(), [](const Value& item) { return has_deferred(item); });
  case Kind::Hash:
    return std::any_of(v.hash->entries().begin(), v.hash->entries().end(),
                       [](const HashEntry& e) { return has_deferred(e.key) || has_deferred(e.value); });
  default: return false;
  }
}

bool has_deferred(const ManagedResource& resource) {
  return std::any_of(resource.attributes.begin(), resource.attributes.end(),
                     [](const ManagedAttribute& a) { return has_deferred(a.value) && !is_guard(a); });
}

} // namespace pupc::runtime
