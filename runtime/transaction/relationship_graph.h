#pragma once
// The order of evaluation: a graph of explicit and automatic relationships in which each container has two nodes (its beginning and its
// end), and a queue of ready nodes sorted by their place in the catalog.
#include "runtime/transaction/run_catalog.h"

#include <set>
#include <string>
#include <vector>

namespace pupc::runtime {

class RelationshipGraph {
public:
  static constexpr uint32_t none = 0xFFFFFFFF;
  enum class NodeKind : uint8_t { Resource, Begin, End, Sentinel };
  struct Edge {
    uint32_t to;
    bool refresh; // passes events on
  };
  struct Relation { // of resources, by their index in the catalog
    uint32_t from, to;
    bool refresh;
  };
  struct Node {
    NodeKind kind = NodeKind::Resource;
    uint32_t resource = none;       // index in the catalog; for a sentinel, the generator whose resources it closes
    std::vector<uint32_t> priority; // compared lexicographically
    std::vector<Edge> out;
    std::vector<uint32_t> in; // distinct nodes
    uint32_t blockers = 0;
    bool done = false, queued = false;
  };

  /// Builds the graph from relationship metaparameters, automatic relationships and containment, in this order. Adds Puppet's message for
  /// each reference to a resource that is not in the catalog to `unresolved`.
  RelationshipGraph(RunCatalog& catalog, RunContext& run, std::vector<std::string>& unresolved);

  using Cycle = std::vector<uint32_t>; // nodes
  /// All dependency cycles, in Puppet's order.
  std::vector<Cycle> cycles() const;
  /// At most `most` ways round the cycle, each as references of which the last is one of the others; sorted as Puppet sorts them.
  std::vector<std::vector<std::string>> ways_round(const Cycle& cycle, size_t most) const;

  void start();
  /// Takes the next node from the queue; `none` when no node is ready.
  uint32_t next();
  void finish(uint32_t node);
  void put_back(uint32_t node);
  bool empty() const { return ready_.empty(); }

  /// Puts generated resources (`made` has their indices in the catalog) after `parent` and before everything that comes after `parent`.
  /// `below[i]` is the position in `made` of the resource whose path contains the i-th one's, or -1.
  void add_generated(uint32_t parent, const std::vector<uint32_t>& made, const std::vector<int>& below);

  Node& operator[](uint32_t node) { return nodes_[node]; }
  const Node& operator[](uint32_t node) const { return nodes_[node]; }
  size_t size() const { return nodes_.size(); }
  /// The node of a resource that is no container.
  uint32_t node_of(uint32_t resource) const { return begin_[resource]; }
  /// What was declared and what types added, before containment.
  const std::vector<Relation>& relations() const { return relations_; }
  /// What log lines call the node: a resource's path, a container's reference.
  std::string label(uint32_t node) const;

private:
  uint32_t add_node(NodeKind kind, uint32_t resource, std::vector<uint32_t> priority);
  void add_edge(uint32_t from, uint32_t to, bool refresh);
  bool has_edge(uint32_t from, uint32_t to) const;
  std::string sort_name(uint32_t node) const;
  uint32_t first_of(const Cycle& cycle) const;
  RunCatalog& catalog_;
  std::vector<Node> nodes_;
  std::vector<Relation> relations_;
  std::vector<uint32_t> begin_, end_; // by resource
  struct Order {
    const std::vector<Node>* nodes;
    bool operator()(uint32_t a, uint32_t b) const {
      const auto& x = (*nodes)[a].priority;
      const auto& y = (*nodes)[b].priority;
      return x != y ? x < y : a < b;
    }
  };
  std::set<uint32_t, Order> ready_{Order{&nodes_}};
};

} // namespace pupc::runtime
