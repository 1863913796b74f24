#pragma once
// What `--graph` writes: who contains whom, who comes before whom, and the order that follows, in the language of GraphViz.
#include "runtime/transaction/relationship_graph.h"

#include <string>

namespace pupc::runtime {

/// The text of resources.dot: containers and what is in them.
std::string resources_dot(const RunCatalog& catalog);
/// The text of relationships.dot: relationships that are declared or that types add by themselves.
std::string relationships_dot(const RunCatalog& catalog, const RelationshipGraph& graph);
/// The text of expanded_relationships.dot: the same with the beginning and the end of each container in its place. Before the run.
std::string expanded_relationships_dot(const RunCatalog& catalog, const RelationshipGraph& graph);
/// The text of cycles.dot: up to ten ways round each cycle.
std::string cycles_dot(const RelationshipGraph& graph, const std::vector<RelationshipGraph::Cycle>& cycles);

} // namespace pupc::runtime
