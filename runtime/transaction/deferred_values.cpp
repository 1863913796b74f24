// Resolves Deferred values when the transaction reaches their resource.
#include "runtime/transaction/transaction.h"

#include "catalog/schema/metaparameters.h"
#include "runtime/provider/deferred.h"

#include <algorithm>
#include <fmt/format.h>

namespace pupc::runtime {

Value Transaction::resolve_value(const Value& v, bool& changed, bool& sensitive) {
  switch (v.kind) {
  case Kind::Deferred: {
    changed = true;
    ListBuilder arguments(arena);
    if (v.deferred->arguments != nullptr)
      for (const Value& a : v.deferred->arguments->items()) arguments.add(resolve_value(a, changed, sensitive));
    auto* resolved = arena.make<DeferredData>();
    resolved->name = v.deferred->name;
    resolved->arguments = arguments.finish_list();
    if (resolved->name == "node_attribute" && resolved->arguments->size == 1 && resolved->arguments->data[0].is_string())
      return node_attribute(resolved->arguments->data[0].str());
    if (!options_.resolve) throw ResourceError(fmt::format("Deferred function {} cannot be called here", v.deferred->name));
    Value result = options_.resolve(*resolved);
    return has_deferred(result) ? resolve_value(result, changed, sensitive) : result;
  }
  case Kind::Sensitive: sensitive = true; return resolve_value(v.unwrap(), changed, sensitive);
  case Kind::List: {
    if (!has_deferred(v)) return v;
    ListBuilder out(arena);
    for (const Value& item : v.items()) out.add(resolve_value(item, changed, sensitive));
    return out.finish();
  }
  case Kind::Hash: {
    if (!has_deferred(v)) return v;
    HashBuilder out(arena);
    for (const HashEntry& e : v.hash->entries())
      out.set(resolve_value(e.key, changed, sensitive), resolve_value(e.value, changed, sensitive));
    return out.finish();
  }
  default: return v;
  }
}

bool Transaction::resolve_deferred(ManagedResource& resource) {
  bool any = false;
  for (ManagedAttribute& a : resource.attributes) {
    if (!has_deferred(a.value) || is_guard(a)) continue;
    bool sensitive = false;
    a.value = resolve_value(a.value, any, sensitive);
    while (a.value.is(Kind::Sensitive)) {
      a.value = a.value.unwrap();
      sensitive = true;
    }
    a.sensitive = a.sensitive || sensitive;
  }
  std::erase_if(resource.attributes, [](const ManagedAttribute& a) { return a.value.is_undef(); });
  return any;
}

} // namespace pupc::runtime
