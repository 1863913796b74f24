#pragma once
// Differences of many nodes, the identical ones told once with the nodes that have them.
#include "catalog/base/arena.h"
#include "catalog/diff/diff.h"

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace pupc {

/// Changes that these nodes have, and no others.
struct DiffGroup {
  std::vector<std::string> nodes; // by name
  CatalogDiff changes;
};

/// A node that has no catalog on one side or on both: `before` and `after` are the errors, empty where it compiles.
struct NodeFailure {
  std::string node, before, after;
};

struct DiffReport {
  std::vector<DiffGroup> groups; // those of most nodes first
  std::vector<std::string> nodes_removed, nodes_added;
  std::vector<NodeFailure> failures;
  size_t compared = 0;                 // nodes with a catalog on both sides
  size_t different = 0;                // of them
  std::string before, after;           // what was compared: names of the two sides
  std::shared_ptr<const Arena> values; // what the changes point into

  bool equal() const { return groups.empty() && nodes_removed.empty() && nodes_added.empty() && failures.empty(); }
  /// "50 nodes compared: 3 different in 2 groups, 47 equal"
  std::string summary() const;
};

/// Collects the differences of nodes; keeps each distinct change once.
class DiffGrouper {
public:
  /// `by_node`: nothing is grouped, each node has a group of its own. `places`: changes at different places are different.
  DiffGrouper(bool by_node, bool places) : by_node_(by_node), places_(places) {}

  /// Takes a node's difference, which need not live on. Nodes may come in any order, each once.
  void add(const std::string& node, const CatalogDiff& diff);
  void add_removed(std::string node) { report_.nodes_removed.push_back(std::move(node)); }
  void add_added(std::string node) { report_.nodes_added.push_back(std::move(node)); }
  void add_failure(NodeFailure failure) { report_.failures.push_back(std::move(failure)); }

  /// What there is to tell; the grouper is used up.
  DiffReport finish();

private:
  enum class Kind : uint8_t { Environment, ClassRemoved, ClassAdded, Resource, EdgeRemoved, EdgeAdded };
  struct Change {
    Kind kind;
    size_t order;     // of its first appearance
    CatalogDiff what; // with this change alone
    std::vector<std::string> nodes;
  };
  Change& change(Kind kind, std::string key, const std::string& node);
  ResourceDiff kept(const ResourceDiff& resource);
  std::string_view kept(std::string_view text) { return arena_->copy(text); }

  bool by_node_, places_;
  std::shared_ptr<Arena> arena_ = std::make_shared<Arena>();
  std::map<std::pair<Kind, std::string>, Change> changes_;
  DiffReport report_;
};

/// The report as text: for each group a line with its nodes, then its changes as diff_text has them.
std::string report_text(const DiffReport& report);
/// The report as one JSON object: `equal`, `compared`, `different`, `groups` (each with `nodes` and the members of diff_json),
/// `nodes` (`removed`, `added`), `failures`.
std::string report_json(const DiffReport& report);
/// For a comment on a change request: a heading for each group, its changes folded.
std::string report_markdown(const DiffReport& report);
/// One HTML page that needs nothing else: a search field, filters by node and type (`#node=…&type=…&search=…` sets them).
std::string report_html(const DiffReport& report);

} // namespace pupc
