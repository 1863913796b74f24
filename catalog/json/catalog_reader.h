#pragma once
// Reads a catalog document back: the reverse of write_catalog, for applying catalogs that were compiled elsewhere.
#include "catalog/graph/catalog.h"

#include <string>
#include <string_view>

namespace pupc {

/// Reads a document (as written by write_catalog or by Puppet, bare or in a `data` member) into an empty catalog. Rich data become
/// values again: Deferred, Sensitive, Binary, Timestamp and so on; types stay as their hashes. False, with the reason in `problem`, when it
/// is no catalog.
bool read_catalog(std::string_view text, Catalog& catalog, std::string& problem);

/// The value that a document's rich data stand for. `json` lives as long as `arena`.
Value read_rich_value(const Value& json, Arena& arena);

} // namespace pupc
