// Attributes of the node. Manifests write them during the compile; reads happen while the catalog is applied, so that every reader sees the
// last write. The catalog carries the store as a parameter of Class[main].
#include "catalog/base/stack.h"
#include "catalog/graph/catalog.h"
#include "compiler/eval/catalog_builder.h"
#include "compiler/eval/evaluator.h"
#include "compiler/function/function_tables.h"

#include <fmt/format.h>

namespace pupc::compiler {
namespace {

std::vector<std::string_view> segments_of(FunctionCall& c, std::string_view path) {
  std::vector<std::string_view> out;
  size_t at = 0;
  while (at <= path.size()) {
    size_t end = std::min(path.find('.', at), path.size());
    if (end == at) c.fail(fmt::format("'{}' is no path of a node attribute: a segment is empty", path));
    out.push_back(path.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

Value merged(Arena& arena, const Value& present, const Value& fallback) {
  check_native_stack();
  if (!present.is_hash() || !fallback.is_hash()) return present;
  HashBuilder out(arena, *present.hash);
  for (const HashEntry& e : fallback.hash->entries()) {
    const Value* have = present.hash->find(e.key);
    out.set(e.key, have == nullptr ? e.value : merged(arena, *have, e.value));
  }
  return out.finish();
}

/// A copy of the store with `value` at a path. With `only_default` an existing value stays.
Value written(Arena& arena, const Value* store, std::span<const std::string_view> path, const Value& value, bool only_default) {
  check_native_stack();
  if (path.empty()) return store == nullptr || !only_default ? value : merged(arena, *store, value);
  if (only_default && store != nullptr && !store->is_hash()) return *store;
  HashBuilder out = store != nullptr && store->is_hash() ? HashBuilder(arena, *store->hash) : HashBuilder(arena);
  Value key = Value::string(arena.copy(path.front()));
  const Value* below = out.find(key);
  out.set(key, written(arena, below, path.subspan(1), value, only_default));
  return out.finish();
}

Value write(FunctionCall& c, bool only_default) {
  Catalog& catalog = c.evaluator.catalog().catalog();
  ResourceId main = catalog.find(Catalog::class_type, "main");
  if (main == no_resource) c.fail("node attributes can be written only while a catalog is compiled");
  const Symbol name = intern("node_attributes");
  const Param* present = catalog[main].find(name);
  Param p;
  p.name = name;
  p.value = written(c.arena(), present == nullptr ? nullptr : &present->value, segments_of(c, c.args[0].str()), c.args[1], only_default);
  catalog.set_param(main, p);
  return Value::undef();
}

Value set_attribute(FunctionCall& c) { return write(c, false); }
Value default_attribute(FunctionCall& c) { return write(c, true); }

Value read_attribute(FunctionCall& c) {
  segments_of(c, c.args[0].str()); // report a bad path during the compile
  auto* deferred = c.arena().make<DeferredData>();
  deferred->name = "node_attribute";
  ListBuilder arguments(c.arena());
  arguments.add(c.args[0]);
  deferred->arguments = arguments.finish_list();
  return Value::of(static_cast<const DeferredData*>(deferred));
}

} // namespace

FunctionTable node_attribute_functions() {
  static const std::vector<FunctionEntry> table = {
      {"node_attribute_set",
       "Sets an attribute of the node (dotted path) for the run; of several writers the last wins.",
       {{"String[1] $path, Data $value", set_attribute}},
       FunctionTrait::Statement | FunctionTrait::Effects},
      {"node_attribute_default",
       "Sets an attribute of the node for the run where nobody has set it, earlier or later.",
       {{"String[1] $path, Data $value", default_attribute}},
       FunctionTrait::Statement | FunctionTrait::Effects},
      {"node_attribute",
       "A Deferred that yields the attribute's final value when the catalog is applied; undef when nobody set it.",
       {{"String[1] $path", read_attribute}},
       FunctionTrait::Effects},
  };
  return table;
}

} // namespace pupc::compiler
