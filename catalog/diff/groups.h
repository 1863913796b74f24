#pragma once
// Groups the differences of many nodes: each distinct change appears once, with the nodes that have it.
#include "catalog/base/arena.h"
#include "catalog/diff/diff.h"
#include "catalog/diff/impact.h"

#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pupc::catalog {

/// Changes that exactly these nodes have.
struct DiffGroup {
  std::vector<std::string> nodes; // sorted by name
  CatalogDiff changes;
};

/// A node without a catalog on one or both sides. `before` and `after` are the errors, or empty on a side where it compiles.
struct NodeFailure {
  std::string node, before, after;
};

/// What a change does on the machines of these nodes.
struct DiffImpact {
  Impact what;                    // with the causes on any of the nodes
  std::vector<std::string> nodes; // sorted by name
};

struct DiffReport {
  std::vector<DiffImpact> impacts; // by risk; of one risk those on most nodes first
  std::vector<DiffGroup> groups;   // those with most nodes first
  std::vector<std::string> nodes_removed, nodes_added;
  std::vector<NodeFailure> failures;
  size_t compared = 0;                      // nodes with a catalog on both sides
  size_t different = 0;                     // of these, nodes with a difference
  size_t left_out = 0;                      // nodes for which there was no time
  std::string before, after;                // names of the two sides
  std::map<std::string, std::string> roles; // what kind of node one is, where that is known
  std::shared_ptr<const Arena> values;      // owns the values that the changes point to

  bool equal() const { return groups.empty() && nodes_removed.empty() && nodes_added.empty() && failures.empty(); }
  /// "50 nodes compared: 3 different in 2 groups, 47 equal"
  std::string summary() const;
};

/// Collects the differences of nodes and stores each distinct change once.
class DiffGrouper {
public:
  /// `by_node`: no grouping, each node has its own group. `places`: equal changes at different places count as different.
  DiffGrouper(bool by_node, bool places) : by_node_(by_node), places_(places) {}

  /// Adds the difference of a node and what it does there, and copies what it needs. Add each node once, in any order.
  void add(const std::string& node, const CatalogDiff& diff, std::span<const Impact> impacts = {});
  /// Counts nodes of which the caller knows that they are equal.
  void add_equal(size_t nodes) { report_.compared += nodes; }
  void add_removed(std::string node) { report_.nodes_removed.push_back(std::move(node)); }
  void add_added(std::string node) { report_.nodes_added.push_back(std::move(node)); }
  void add_failure(NodeFailure failure) { report_.failures.push_back(std::move(failure)); }

  /// Returns the report. Do not use the grouper afterwards.
  DiffReport finish();

private:
  enum class Kind : uint8_t { Environment, ClassRemoved, ClassAdded, Resource, EdgeRemoved, EdgeAdded };
  struct Change {
    Kind kind;
    size_t order;     // order of first appearance
    CatalogDiff what; // holds only this change
    std::vector<std::string> nodes;
  };
  Change& change(Kind kind, std::string key, const std::string& node);
  ResourceDiff kept(const ResourceDiff& resource);
  std::string_view kept(std::string_view text) { return arena_->copy(text); }

  bool by_node_, places_;
  std::shared_ptr<Arena> arena_ = std::make_shared<Arena>();
  std::map<std::pair<Kind, std::string>, Change> changes_;
  std::map<std::pair<ImpactKind, std::string>, DiffImpact> impacts_;
  DiffReport report_;
};

/// What the report says of one impact: "restarts Service[nginx] on 2 nodes: a, b; because of File[/etc/nginx.conf]".
std::string impact_text(const DiffImpact& impact, const DiffReport& report);
/// "all 50 nodes", "3 nodes (2 web, 1 db): a, b, c" or one node's name, for control characters safe to print.
std::string nodes_text(const std::vector<std::string>& nodes, const DiffReport& report);

/// The report as text: what the change does, then for each group a line with its nodes, then its changes as in diff_text.
std::string report_text(const DiffReport& report);
/// The report as one JSON object: `equal`, `compared`, `different`, `impacts` (each with `impact`, `resource`, `causes`, `nodes`), `groups`
/// (each with `nodes` and the members of diff_json), `nodes` (`removed`, `added`), `failures`.
std::string report_json(const DiffReport& report);
/// The report for a comment on a change request: a heading for each group, with its changes folded.
std::string report_markdown(const DiffReport& report);
/// The report as one self-contained HTML page with a search field and filters by node and type (`#node=…&type=…&search=…` sets them).
std::string report_html(const DiffReport& report);

} // namespace pupc::catalog
