#pragma once
// Nodes whose last facts somebody keeps: PuppetDB, a file with its answer, a store of exported resources.
#include "tools/pupc/settings/compile_settings.h"

#include <string>
#include <string_view>
#include <vector>

namespace pupc::cli {

struct KnownNode {
  std::string name;
  Value facts;   // a Hash
  Value trusted; // a Hash; undef: nobody knows them
};

/// Whether the place of facts is none with facts files: `puppetdb:QUERY` (PQL or a list; without a query all nodes), `store:FILE`, or a
/// file of JSON with a list, as PuppetDB answers a query for `inventory`.
bool keeps_nodes(const std::string& place);

/// The nodes of such a place, sorted by name; with `only` at most that one. A query has to answer with objects that have `certname`; where
/// they have no `facts`, PuppetDB is asked for the inventory of these nodes. The values live in `into`. The settings must have been read.
/// Throws CompileError where nothing answers, or the answer says too little.
std::vector<KnownNode> known_nodes(const CompileOptions& options, const std::string& place, Arena& into, std::string_view only = {});

} // namespace pupc::cli
