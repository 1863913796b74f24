#pragma once
// Parameters of a resource as the catalog document shows them.
#include "catalog/graph/catalog.h"

#include <vector>

namespace pupc {

struct DocumentParam {
  Symbol name;
  Value value;
};

/// Parameters in the document's order: parts of the title first, then those set, `name` under the namevar's name; without undef
/// values and without a namevar that equals the title. Relationship metaparameters and lists that hold references are flattened.
void document_parameters(Catalog& catalog, ResourceId id, std::vector<DocumentParam>& out);

/// Tags of the catalog in the document's order: those of the evaluated classes in their order, then those that resources brought.
std::vector<TagId> document_tags(Catalog& catalog);

} // namespace pupc
