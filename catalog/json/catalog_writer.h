#pragma once
// Writes Puppet's catalog document: keys, resources, edges and values in its wire order, streamed without an intermediate tree.
#include "catalog/graph/catalog.h"
#include "catalog/json/json_writer.h"

#include <functional>
#include <string>

namespace pupc::catalog {

struct CatalogWriteOptions {
  bool pretty = false;          // as `puppet catalog compile` without --render-as
  bool volatile_head = true;    // write version and catalog_uuid; turn off for comparing documents
  bool exported_only = false;   // write only the exported resources
  bool exported_too = false;    // write them beside the others, without their edges
  bool sensitive_values = true; // if off, omit parameters with sensitive values
  // Writes more members after the last one, such as the metadata of a static catalog.
  std::function<void(JsonWriter&)> more{};
};

/// Appends the document to `out`, without virtual resources and edges to or from them (exported resources are virtual too).
/// Uses the catalog's arena for temporary data.
void write_catalog(Catalog& catalog, std::string& out, const CatalogWriteOptions& options = {});

} // namespace pupc::catalog
