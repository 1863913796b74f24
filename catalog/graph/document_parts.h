#pragma once
// Parameters and tags as the catalog document shows them.
#include "catalog/graph/catalog.h"

#include <vector>

namespace pupc::catalog {

struct DocumentParam {
  Symbol name;
  Value value;
};

/// Puts the parameters in the order of the document: first parts of the title, then the parameters that are set. `name` appears under
/// the name of the namevar. Omits undef values and a namevar that equals the title. Flattens relationship metaparameters and lists
/// that contain references.
void document_parameters(Catalog& catalog, ResourceId id, std::vector<DocumentParam>& out);

/// Tags of the catalog in the order of the document: first those of the evaluated classes, in their order, then those that resources
/// added.
std::vector<TagId> document_tags(Catalog& catalog);

} // namespace pupc::catalog
