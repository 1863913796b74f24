#pragma once
// In which order resources are evaluated: explicit and automatic relationships, containers as two nodes each (their beginning and
// their end), and a queue of ready nodes by their place in the catalog.
#include "runtime/transaction/run_catalog.h"

#include <set>
#include <string>
#include <vector>

namespace pupc {

class RelationshipGraph {
public:
  static constexpr uint32_t none = 0xFFFFFFFF;
  enum class NodeKind : uint8_t { Resource, Begin, End, Sentinel };
  struct Edge {
    uint32_t to;
    bool refresh; // events go along it
  };
  struct Relation { // of resources, by their index in the catalog
    uint32_t from, to;
    bool refresh;
  };
  struct Node {
    NodeKind kind = NodeKind::Resource;
    uint32_t resource = none;       // index in the catalog; of a sentinel: the resource whose generated ones it closes
    std::vector<uint32_t> priority; // compared lexicographically
    std::vector<Edge> out;
    std::vector<uint32_t> in; // distinct
    uint32_t blockers = 0;
    bool done = false, queued = false;
  };

  /// Builds the graph: relationship metaparameters, then what types add by themselves, then containment.
  /// `unresolved` takes Puppet's text for each reference to a resource that is not in the catalog.
  RelationshipGraph(RunCatalog& catalog, RunContext& run, std::vector<std::string>& unresolved);

  /// Text about cycles as Puppet reports them, empty when there are none; `members` takes the resources that are part of one.
  std::string cycles(std::vector<uint32_t>& members) const;

  void start();
  /// Takes the next ready node; none when there is no ready one.
  uint32_t next();
  void finish(uint32_t node);
  void put_back(uint32_t node);
  bool empty() const { return ready_.empty(); }

  /// Makes resources (indices of new ones in the catalog) follow `parent`: after it, before all that comes after it. `below[i]` is the
  /// index in `made` of the resource that the i-th lies under, or -1.
  void add_generated(uint32_t parent, const std::vector<uint32_t>& made, const std::vector<int>& below);

  Node& operator[](uint32_t node) { return nodes_[node]; }
  const Node& operator[](uint32_t node) const { return nodes_[node]; }
  size_t size() const { return nodes_.size(); }
  /// Node of a resource that is no container.
  uint32_t node_of(uint32_t resource) const { return begin_[resource]; }
  /// What was declared and what types added, before containment.
  const std::vector<Relation>& relations() const { return relations_; }
  /// What log lines call the node: a resource's path, a container's reference.
  std::string label(uint32_t node) const;

private:
  uint32_t add_node(NodeKind kind, uint32_t resource, std::vector<uint32_t> priority);
  void add_edge(uint32_t from, uint32_t to, bool refresh);
  bool has_edge(uint32_t from, uint32_t to) const;
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

} // namespace pupc
