#pragma once
// The catalog document of Puppet: keys, resources, edges and values in its wire order, streamed without a tree.
#include "catalog/graph/catalog.h"

#include <string>

namespace pupc {

struct CatalogWriteOptions {
  bool pretty = false;          // as `puppet catalog compile` without --render-as
  bool volatile_head = true;    // version and catalog_uuid; off for comparing
  bool exported_only = false;   // the exported resources and nothing else
  bool sensitive_values = true; // off: parameters that hold sensitive values are left out
};

/// Appends the document to `out`. Virtual resources and every edge that touches one are left out (exported ones are virtual too).
/// Uses the catalog's arena for temporary data.
void write_catalog(Catalog& catalog, std::string& out, const CatalogWriteOptions& options = {});

} // namespace pupc
