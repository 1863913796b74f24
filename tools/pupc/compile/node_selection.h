#pragma once
// Which nodes a comparison of revisions takes: by name, and a sample of each role.
#include "catalog/value/value.h"
#include "tools/pupc/node/known_nodes.h"

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace pupc::cli {

/// A fact by its path ("role", "datacenter.name") as a text; empty when the node has none. Numbers and true are texts too.
std::string fact_text(const Value& facts, std::string_view path);

/// What --sample says: at most `count` nodes for each value of the fact.
struct Sample {
  std::string fact;
  size_t count = 0; // 0: no sample, all nodes
};
/// Reads "role:5"; nothing when it is none.
std::optional<Sample> parse_sample(std::string_view text);

/// The nodes of a directory of facts files (or of one file) that the sample has: for each value of the fact the first ones by name, among
/// those that fit one of the patterns (all nodes without patterns). `known`: the nodes instead of files; may be null. A file that cannot be
/// read is taken: the compile tells of it.
std::set<std::string> sampled_nodes(const std::string& facts, const std::vector<KnownNode>* known, const Sample& sample,
                                    const std::vector<std::string>& patterns);

/// Whether a node has a name that fits one of the patterns, or there are none.
bool fits_one(const std::vector<std::string>& patterns, const std::string& node);

} // namespace pupc::cli
