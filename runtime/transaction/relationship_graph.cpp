#include "runtime/transaction/relationship_graph.h"

#include "catalog/base/assert.h"
#include "runtime/provider/property_handler.h"

#include <algorithm>
#include <fmt/ranges.h>
#include <unordered_set>

namespace pupc::runtime {
namespace {

uint64_t pair_key(uint32_t a, uint32_t b) { return uint64_t{a} << 32 | b; }

} // namespace

RelationshipGraph::RelationshipGraph(RunCatalog& catalog, RunContext& run, std::vector<std::string>& unresolved) : catalog_(catalog) {
  std::unordered_set<uint64_t> known;
  auto relate = [&](uint32_t from, uint32_t to, bool refresh) {
    relations_.push_back({from, to, refresh});
    known.insert(pair_key(from, to));
  };
  const uint32_t count = static_cast<uint32_t>(catalog.size());
  for (uint32_t i = 0; i < count; ++i) {
    const ManagedResource& r = *catalog[i].resource;
    for (const ManagedAttribute& a : r.attributes) {
      const bool incoming = a.name == "require" || a.name == "subscribe";
      if (!incoming && a.name != "before" && a.name != "notify") continue;
      const bool refresh = a.name == "subscribe" || a.name == "notify";
      for (const std::string& text : r.texts(a.name)) {
        uint32_t other = catalog.find_reference(text);
        if (other == RunCatalog::none) {
          unresolved.push_back(
              fmt::format("Could not find {} {} for {}{}", incoming ? "dependency" : "dependent", text, r.reference(), place_suffix(r)));
          continue;
        }
        relate(incoming ? other : i, incoming ? i : other, refresh);
      }
    }
  }
  std::vector<AutoRelation> automatic;
  for (uint32_t i = 0; i < count; ++i) {
    if (catalog[i].handler == nullptr) continue;
    automatic.clear();
    catalog[i].handler->autorelations(*catalog[i].resource, run, automatic);
    auto incoming = [](const AutoRelation& a) { return a.kind == AutoRelation::Require || a.kind == AutoRelation::Subscribe; };
    for (int pass = 0; pass < 2; ++pass)
      for (const AutoRelation& a : automatic) {
        if (incoming(a) != (pass == 0)) continue;
        uint32_t other = catalog.find(a.type, a.title);
        if (other == RunCatalog::none || other == i) continue;
        uint32_t from = incoming(a) ? other : i, to = incoming(a) ? i : other;
        if (known.contains(pair_key(from, to)) || known.contains(pair_key(to, from))) continue;
        relate(from, to, a.kind == AutoRelation::Subscribe || a.kind == AutoRelation::Notify);
      }
  }

  begin_.resize(count);
  end_.resize(count);
  nodes_.reserve(count * 2);
  for (uint32_t i = 0; i < count; ++i) {
    if (catalog[i].is_container) {
      begin_[i] = add_node(NodeKind::Begin, i, catalog.priority_of(i));
      end_[i] = add_node(NodeKind::End, i, catalog.priority_of(i));
    } else {
      begin_[i] = end_[i] = add_node(NodeKind::Resource, i, catalog.priority_of(i));
    }
  }
  for (uint32_t i = 0; i < count; ++i) {
    if (!catalog[i].is_container) continue;
    if (catalog[i].contents.empty()) add_edge(begin_[i], end_[i], false);
    for (uint32_t c : catalog[i].contents) {
      add_edge(begin_[i], begin_[c], true);
      add_edge(end_[c], end_[i], true);
    }
  }
  for (const Relation& r : relations_) add_edge(end_[r.from], begin_[r.to], r.refresh);
}

uint32_t RelationshipGraph::add_node(NodeKind kind, uint32_t resource, std::vector<uint32_t> priority) {
  Node n;
  n.kind = kind;
  n.resource = resource;
  n.priority = std::move(priority);
  nodes_.push_back(std::move(n));
  return static_cast<uint32_t>(nodes_.size() - 1);
}

bool RelationshipGraph::has_edge(uint32_t from, uint32_t to) const {
  return std::any_of(nodes_[from].out.begin(), nodes_[from].out.end(), [&](const Edge& e) { return e.to == to; });
}

void RelationshipGraph::add_edge(uint32_t from, uint32_t to, bool refresh) {
  // Search the shorter side for an existing edge: hubs like Class[main] have thousands of edges.
  Node& target = nodes_[to];
  const bool related = target.in.size() < nodes_[from].out.size() ? std::find(target.in.begin(), target.in.end(), from) != target.in.end()
                                                                  : has_edge(from, to);
  nodes_[from].out.push_back({to, refresh});
  if (related) return;
  target.in.push_back(from);
  if (nodes_[from].done) return;
  ++target.blockers;
  if (target.queued) {
    ready_.erase(to);
    target.queued = false;
  }
}

void RelationshipGraph::start() {
  for (uint32_t i = 0; i < nodes_.size(); ++i)
    if (nodes_[i].blockers == 0) put_back(i);
}

void RelationshipGraph::put_back(uint32_t node) {
  PUPC_ASSERT(!nodes_[node].done, "what is done does not wait again");
  nodes_[node].queued = true;
  ready_.insert(node);
}

uint32_t RelationshipGraph::next() {
  if (ready_.empty()) return none;
  uint32_t node = *ready_.begin();
  ready_.erase(ready_.begin());
  nodes_[node].queued = false;
  return node;
}

void RelationshipGraph::finish(uint32_t node) {
  PUPC_ASSERT(!nodes_[node].done, "a node is done once");
  nodes_[node].done = true;
  // Several edges to one node block it only once.
  std::vector<uint32_t> targets;
  for (const Edge& e : nodes_[node].out) targets.push_back(e.to);
  std::sort(targets.begin(), targets.end());
  targets.erase(std::unique(targets.begin(), targets.end()), targets.end());
  for (uint32_t t : targets)
    if (nodes_[t].blockers > 0 && --nodes_[t].blockers == 0 && !nodes_[t].done) put_back(t);
}

void RelationshipGraph::add_generated(uint32_t parent, const std::vector<uint32_t>& made, const std::vector<int>& below) {
  const uint32_t parent_node = begin_[parent];
  auto child_priority = [&, n = uint32_t{0}]() mutable {
    std::vector<uint32_t> p = nodes_[parent_node].priority;
    p.push_back(++n);
    return p;
  };
  std::vector<uint32_t> made_nodes;
  for (uint32_t r : made) {
    if (r >= begin_.size()) {
      begin_.resize(r + 1, none);
      end_.resize(r + 1, none);
    }
    // A resource that is already in the catalog keeps its place in the order.
    if (begin_[r] == none) begin_[r] = end_[r] = add_node(NodeKind::Resource, r, child_priority());
    made_nodes.push_back(begin_[r]);
  }
  const uint32_t sentinel = add_node(NodeKind::Sentinel, parent, child_priority());
  std::vector<Edge> kept;
  std::vector<Edge> old = std::move(nodes_[parent_node].out);
  nodes_[parent_node].out.clear();
  for (const Edge& e : old) {
    if (std::find(made_nodes.begin(), made_nodes.end(), e.to) != made_nodes.end()) {
      kept.push_back(e);
      continue;
    }
    auto& in = nodes_[e.to].in;
    if (auto it = std::find(in.begin(), in.end(), parent_node); it != in.end()) {
      in.erase(it);
      --nodes_[e.to].blockers;
    }
    add_edge(sentinel, e.to, e.refresh);
  }
  for (const Edge& e : kept) nodes_[parent_node].out.push_back(e);
  auto conditional = [&](uint32_t from, uint32_t to, bool refresh) {
    if (!has_edge(to, from)) add_edge(from, to, refresh);
  };
  for (uint32_t n : made_nodes) conditional(n, sentinel, true);
  conditional(parent_node, sentinel, true);
  for (size_t i = 0; i < made_nodes.size(); ++i)
    conditional(below[i] < 0 ? parent_node : made_nodes[static_cast<size_t>(below[i])], made_nodes[i], false);
}

std::string RelationshipGraph::label(uint32_t node) const {
  const Node& n = nodes_[node];
  const ManagedResource& r = *catalog_[n.resource].resource;
  if (n.kind == NodeKind::Resource) return r.path;
  return n.kind == NodeKind::Sentinel ? r.title : r.reference();
}

// Names the nodes as Puppet's graph does: it too has two nodes for each container.
std::string RelationshipGraph::sort_name(uint32_t node) const {
  const std::string reference = catalog_[nodes_[node].resource].resource->reference();
  if (nodes_[node].kind == NodeKind::Resource) return reference;
  return fmt::format("Whit[{}_{}]", nodes_[node].kind == NodeKind::Begin ? "Admissible" : "Completed", reference);
}

std::vector<RelationshipGraph::Cycle> RelationshipGraph::cycles() const {
  // Tarjan's strongly connected components, without recursion.
  const uint32_t n = static_cast<uint32_t>(nodes_.size());
  std::vector<uint32_t> index(n, none), low(n, 0), stack;
  std::vector<bool> on_stack(n, false);
  std::vector<std::pair<uint32_t, size_t>> work;
  std::vector<Cycle> found;
  uint32_t counter = 0;
  for (uint32_t root = 0; root < n; ++root) {
    if (index[root] != none) continue;
    work.push_back({root, 0});
    while (!work.empty()) {
      uint32_t v = work.back().first;
      if (work.back().second == 0) {
        index[v] = low[v] = counter++;
        stack.push_back(v);
        on_stack[v] = true;
      }
      bool descended = false;
      while (work.back().second < nodes_[v].out.size()) {
        uint32_t w = nodes_[v].out[work.back().second++].to;
        if (index[w] == none) {
          work.push_back({w, 0});
          descended = true;
          break;
        }
        if (on_stack[w]) low[v] = std::min(low[v], index[w]);
      }
      if (descended) continue;
      if (low[v] == index[v]) {
        Cycle members;
        while (true) {
          uint32_t w = stack.back();
          stack.pop_back();
          on_stack[w] = false;
          members.push_back(w);
          if (w == v) break;
        }
        if (members.size() > 1 || has_edge(v, v)) found.push_back(std::move(members));
      }
      work.pop_back();
      if (!work.empty()) low[work.back().first] = std::min(low[work.back().first], low[v]);
    }
  }
  std::sort(found.begin(), found.end(), [&](const Cycle& x, const Cycle& y) { return sort_name(first_of(x)) < sort_name(first_of(y)); });
  return found;
}

uint32_t RelationshipGraph::first_of(const Cycle& cycle) const {
  return *std::min_element(cycle.begin(), cycle.end(), [&](uint32_t x, uint32_t y) { return sort_name(x) < sort_name(y); });
}

std::vector<std::vector<std::string>> RelationshipGraph::ways_round(const Cycle& cycle, size_t most) const {
  // Puppet's order: follow the edges from the first member by name, breadth first, until members come twice.
  const std::unordered_set<uint32_t> in_cycle(cycle.begin(), cycle.end());
  struct Step {
    uint32_t node;
    size_t before; // index of the previous step; the first step's own index
  };
  std::vector<Step> steps{{first_of(cycle), 0}};
  auto way_to = [&](size_t step) {
    std::vector<uint32_t> way{steps[step].node};
    for (; steps[step].before != step; step = steps[step].before) way.push_back(steps[steps[step].before].node);
    std::reverse(way.begin(), way.end());
    return way;
  };
  std::vector<std::vector<uint32_t>> found;
  std::unordered_set<uint32_t> expanded; // used once there are too many paths
  for (size_t at = 0; at < steps.size() && found.size() < most; ++at) {
    std::vector<uint32_t> here = way_to(at);
    if (std::find(here.begin(), here.end() - 1, here.back()) != here.end() - 1) {
      found.push_back(std::move(here));
      continue;
    }
    if (steps.size() > 20'000 && !expanded.insert(here.back()).second) continue;
    for (const Edge& e : nodes_[here.back()].out)
      if (in_cycle.contains(e.to)) steps.push_back({e.to, at});
  }
  auto names = [&](const std::vector<uint32_t>& way) {
    std::vector<std::string> out;
    for (uint32_t node : way) out.push_back(sort_name(node));
    return out;
  };
  std::sort(found.begin(), found.end(), [&](const auto& x, const auto& y) { return names(x) < names(y); });
  std::vector<std::vector<std::string>> ways;
  for (const auto& way : found) {
    ways.emplace_back();
    for (uint32_t node : way) ways.back().push_back(catalog_[nodes_[node].resource].resource->reference());
  }
  return ways;
}

} // namespace pupc::runtime
