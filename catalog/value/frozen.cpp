#include "catalog/value/frozen.h"

#include "catalog/base/stack.h"

namespace pupc::catalog {
namespace {

Value with_items(Arena& arena, size_t size, const Value* items) {
  return Value::of(arena.make<List>(List{static_cast<uint32_t>(size), items}));
}

bool same(const Value& a, const Value& b) { return a.flags == b.flags && a.i == b.i; }

} // namespace

Value with_entries(Arena& arena, const Hash& from, const HashEntry* entries) {
  Hash* copy = arena.make<Hash>(from);
  copy->data = entries;
  return Value::of(copy);
}

Value deep_frozen(Arena& arena, const Value& v) {
  check_native_stack();
  Value out = frozen_text(v);
  if (v.is_list()) {
    Value* items = arena.make_array<Value>(v.list->size);
    for (size_t i = 0; i < v.list->size; ++i) items[i] = deep_frozen(arena, v.list->data[i]);
    out = with_items(arena, v.list->size, items);
    out.flags = frozen_flag;
  } else if (v.is_hash()) {
    auto* entries = arena.make_array<HashEntry>(v.hash->size);
    for (size_t i = 0; i < v.hash->size; ++i) entries[i] = {frozen_text(v.hash->data[i].key), deep_frozen(arena, v.hash->data[i].value)};
    out = with_entries(arena, *v.hash, entries);
    out.flags = static_cast<uint8_t>(v.flags | frozen_flag);
  }
  return out;
}

Value thawed(Arena& arena, const Value& v) {
  check_native_stack();
  Value out = v;
  if (is_frozen(v)) out.flags &= static_cast<uint8_t>(~frozen_flag);
  if (v.is_list()) {
    Value* items = nullptr;
    for (size_t i = 0; i < v.list->size; ++i) {
      const Value item = thawed(arena, v.list->data[i]);
      if (items == nullptr && (is_frozen(v) || !same(item, v.list->data[i]))) items = arena.copy_span<Value>(v.items()).data();
      if (items != nullptr) items[i] = item;
    }
    if (items != nullptr) return with_items(arena, v.list->size, items);
  } else if (v.is_hash()) {
    HashEntry* entries = nullptr;
    for (size_t i = 0; i < v.hash->size; ++i) {
      const Value value = thawed(arena, v.hash->data[i].value);
      if (entries == nullptr && (is_frozen(v) || !same(value, v.hash->data[i].value)))
        entries = arena.copy_span<HashEntry>(v.hash->entries()).data();
      if (entries != nullptr) entries[i].value = value;
    }
    if (entries != nullptr) {
      const uint8_t flags = out.flags;
      out = with_entries(arena, *v.hash, entries);
      out.flags = flags;
    }
  }
  return out;
}

} // namespace pupc::catalog
