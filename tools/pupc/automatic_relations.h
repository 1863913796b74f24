#pragma once
// Which resources wait for others because their types say so: a file for its directory, a service for nothing.
#include "catalog/graph/catalog.h"

#include <utility>
#include <vector>

namespace pupc {

/// Pairs of resources (done first, done then, whose type says so) that the types add when the catalog is applied and both are in it.
/// Nothing of this machine is read: what a type would ask of it (a user's home) it does not find. Types that Ruby implements add nothing.
struct AutomaticRelation {
  ResourceId first, then, holder;
};
std::vector<AutomaticRelation> automatic_relations(Catalog& catalog);

} // namespace pupc
