#pragma once
// Autorequire and the like: resources that wait for others because of their types, such as a file for its directory.
#include "catalog/graph/catalog.h"

#include <utility>
#include <vector>

namespace pupc::cli {

/// An edge that a resource's type adds when the catalog is applied and contains both resources: `first` is done before `then`, and the type
/// of `holder` says so. Does not read this machine: a type that asks for something there (a user's home) finds nothing. Types in Ruby add
/// no edges.
struct AutomaticRelation {
  ResourceId first, then, holder;
};
std::vector<AutomaticRelation> automatic_relations(Catalog& catalog);

} // namespace pupc::cli
