#pragma once
// Reads a catalog document, for applying catalogs that were compiled elsewhere. The reverse of write_catalog.
#include "catalog/graph/catalog.h"

#include <string>
#include <string_view>

namespace pupc::catalog {

/// The metadata of the files that a static catalog's resources take from the server, as they were written; undef when there are none. The
/// values live in the catalog's arena.
struct StaticFiles {
  Value metadata;  // by the resource's title
  Value recursive; // by the resource's title, then by the source: lists
};

/// Reads a document (as written by write_catalog or by Puppet, bare or in a `data` member) into an empty catalog. Converts rich data
/// to values: Deferred, Sensitive, Binary, Timestamp and so on. Types remain hashes. A resource without `kind` (format 1) whose type is not
/// native has the kind Unknown. Returns false, with the reason in `problem`, when
/// the text is not a catalog. `files` (may be null) gets what a static catalog says of files.
bool read_catalog(std::string_view text, Catalog& catalog, std::string& problem, StaticFiles* files = nullptr);

/// Converts the rich data of a document to the value it stands for. `json` must live as long as `arena`.
Value read_rich_value(const Value& json, Arena& arena);

} // namespace pupc::catalog
