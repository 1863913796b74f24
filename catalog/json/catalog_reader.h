#pragma once
// Reads a catalog document, for applying catalogs that were compiled elsewhere. The reverse of write_catalog.
#include "catalog/graph/catalog.h"

#include <string>
#include <string_view>

namespace pupc::catalog {

/// Reads a document (as written by write_catalog or by Puppet, bare or in a `data` member) into an empty catalog. Converts rich data
/// to values: Deferred, Sensitive, Binary, Timestamp and so on. Types remain hashes. A resource without `kind` (format 1) whose type is not
/// native has the kind Unknown. Returns false, with the reason in `problem`, when
/// the text is not a catalog.
bool read_catalog(std::string_view text, Catalog& catalog, std::string& problem);

/// Converts the rich data of a document to the value it stands for. `json` must live as long as `arena`.
Value read_rich_value(const Value& json, Arena& arena);

} // namespace pupc::catalog
