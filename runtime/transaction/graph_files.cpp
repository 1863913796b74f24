#include "runtime/transaction/graph_files.h"

#include "catalog/base/text.h"
#include "catalog/graph/tags.h"
#include "runtime/provider/system_tools.h"

#include <algorithm>
#include <fmt/format.h>

namespace pupc::runtime {
namespace {

/// A graph as Puppet prints it: nodes in their order, edges by the node they lead to.
class Dot {
public:
  explicit Dot(std::string_view name) : text_(fmt::format("digraph {0} {{\n    label = \"{0}\"\n", name)) {}

  uint32_t node(std::string_view name) {
    names_.push_back(fmt::format("\"{}\"", with_replaced(name, "\"", "\\\"")));
    into_.emplace_back();
    return static_cast<uint32_t>(names_.size() - 1);
  }
  void edge(uint32_t from, uint32_t to) { into_[to].push_back(from); }

  std::string finish() {
    std::vector<std::string> parts;
    for (const std::string& name : names_)
      parts.push_back(fmt::format("    {0} [\n        fontsize = 8,\n        label = {0}\n    ]\n", name));
    for (size_t to = 0; to < into_.size(); ++to)
      for (const uint32_t from : into_[to])
        parts.push_back(fmt::format("    {} -> {} [\n        fontsize = 8\n    ]\n", names_[from], names_[to]));
    return text_ + join_text(parts, "\n") + "\n}\n";
  }

private:
  std::string text_;
  std::vector<std::string> names_;
  std::vector<std::vector<uint32_t>> into_;
};

void add_builtin(Dot& dot) {
  for (const std::string_view reference : builtin_references) dot.node(reference);
}

/// What the resource is called in the graph: its type may give it another name than its title (sshkey).
std::string name_of(const ManagedResource& r) {
  const std::string reference = r.reference();
  const size_t last = r.path.rfind("/" + r.printed_type + "[");
  return r.path.ends_with("/" + reference) || last == std::string::npos ? reference : r.path.substr(last + 1);
}

/// "Whit[Admissible_class[Main]]": Puppet takes what stands before the bracket for a type.
std::string whit(std::string_view end, const ManagedResource& container) {
  return fmt::format("Whit[{}[{}]]", capitalize_segments(fmt::format("{}_{}", end, container.type)), container.title);
}

} // namespace

std::string resources_dot(const RunCatalog& catalog) {
  Dot dot("Resources");
  for (uint32_t i = 0; i < catalog.size(); ++i) dot.node(name_of(*catalog[i].resource));
  add_builtin(dot);
  for (uint32_t i = 0; i < catalog.size(); ++i) {
    if (catalog[i].container != RunCatalog::none) dot.edge(catalog[i].container, i);
    for (const uint32_t other : catalog[i].other_containers) dot.edge(other, i);
  }
  return dot.finish();
}

std::string relationships_dot(const RunCatalog& catalog, const RelationshipGraph& graph) {
  Dot dot("Relationships");
  for (uint32_t i = 0; i < catalog.size(); ++i) dot.node(name_of(*catalog[i].resource));
  add_builtin(dot);
  for (const RelationshipGraph::Relation& r : graph.relations()) dot.edge(r.from, r.to);
  return dot.finish();
}

std::string expanded_relationships_dot(const RunCatalog& catalog, const RelationshipGraph& graph) {
  using Place = RelationshipGraph::NodeKind;
  Dot dot("Expanded_relationships");
  std::vector<uint32_t> shown(graph.size());
  for (uint32_t n = 0; n < graph.size(); ++n)
    if (graph[n].kind == Place::Resource) shown[n] = dot.node(name_of(*catalog[graph[n].resource].resource));
  add_builtin(dot);
  for (uint32_t n = 0; n < graph.size(); ++n)
    if (graph[n].kind != Place::Resource)
      shown[n] = dot.node(whit(graph[n].kind == Place::Begin ? "admissible" : "completed", *catalog[graph[n].resource].resource));
  // What was declared comes before what follows of containers.
  std::vector<std::pair<uint32_t, uint32_t>> later;
  for (uint32_t n = 0; n < graph.size(); ++n)
    for (const RelationshipGraph::Edge& e : graph[n].out) {
      const bool between = graph[n].kind == Place::Resource && graph[e.to].kind == Place::Resource;
      if (between)
        dot.edge(shown[n], shown[e.to]);
      else
        later.emplace_back(shown[n], shown[e.to]);
    }
  for (const auto& [from, to] : later) dot.edge(from, to);
  return dot.finish();
}

std::string cycles_dot(const RelationshipGraph& graph, const std::vector<RelationshipGraph::Cycle>& cycles) {
  std::string text = "digraph Resource_Cycles {\n  label = \"Resource Cycles\"\n";
  for (const auto& cycle : cycles)
    for (const auto& way : graph.ways_round(cycle, 10)) {
      std::vector<std::string> names;
      for (const std::string& name : way) names.push_back(fmt::format("\"{}\"", with_replaced(name, "\"", "\\\"")));
      text += join_text(names, " -> ") + "\n";
    }
  return text + "}\n";
}

} // namespace pupc::runtime
