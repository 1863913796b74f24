#pragma once
// Reads members of a catalog's document, as parsed JSON. Private to catalog/diff.
#include "catalog/value/value.h"

#include <fmt/format.h>
#include <span>
#include <string>
#include <string_view>

namespace pupc::catalog {

inline std::string_view text_of(const Value* v) { return v != nullptr && v->is_string() ? v->str() : std::string_view(); }

inline const Value* member(const Value& hash, std::string_view name) { return hash.is_hash() ? hash.hash->find(name) : nullptr; }

inline std::span<const Value> items_of(const Value* v) { return v != nullptr && v->is_list() ? v->items() : std::span<const Value>(); }

/// The catalog in a document, which may hold it in a `data` member as Puppet's wire format does; null when it is none.
inline const Value* catalog_of(const Value& document) {
  const Value* at = &document;
  if (const Value* data = member(document, "data"); data != nullptr && data->is_hash() && member(document, "resources") == nullptr)
    at = data;
  const Value* resources = member(*at, "resources");
  return resources != nullptr && resources->is_list() ? at : nullptr;
}

inline std::string reference_of(const Value& resource) {
  return fmt::format("{}[{}]", text_of(member(resource, "type")), text_of(member(resource, "title")));
}

} // namespace pupc::catalog
