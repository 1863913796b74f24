#include "catalog/diff/impact.h"
#include "catalog/diff/document_members.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>

namespace pupc::catalog {
namespace {

constexpr std::array<std::string_view, impact_kinds> verbs = {"deletes",  "stops",        "restarts",          "starts", "runs",
                                                              "installs", "changes user", "no longer manages", "writes", "changes"};
constexpr std::array<std::string_view, impact_kinds> names = {"delete",  "stop",    "restart", "start", "run",
                                                              "install", "account", "abandon", "file",  "change"};

std::string_view type_of(std::string_view reference) { return reference.substr(0, reference.find('[')); }

bool is_one_of(std::string_view text, std::initializer_list<std::string_view> list) { return std::ranges::find(list, text) != list.end(); }

/// Attributes that order, name or filter a resource, and change nothing on the machine.
bool has_no_effect(std::string_view parameter) {
  return is_one_of(parameter, {"before", "require", "notify", "subscribe", "tag", "alias", "loglevel", "schedule", "audit", "stage"});
}

/// The text of a value as the types' values of `ensure` are written; true is "true".
std::string_view word_of(const Value* v) {
  if (v != nullptr && v->is(Kind::Bool)) return v->truthy() ? "true" : "false";
  return text_of(v);
}

/// The catalog's containment and notifications, by reference.
class Graph {
public:
  explicit Graph(const Value& catalog) {
    for (const Value& r : items_of(member(catalog, "resources"))) resources_.emplace(reference_of(r), &r);
    for (const Value& e : items_of(member(catalog, "edges"))) {
      const std::string source(text_of(member(e, "source"))), target(text_of(member(e, "target")));
      contains_[source].push_back(target);
      containers_[target].push_back(source);
    }
    for (const Value& r : items_of(member(catalog, "resources"))) {
      const std::string reference = reference_of(r);
      for_each_reference(parameter(reference, "notify"), [&](std::string_view to) { notifies_[reference].emplace_back(to); });
      for_each_reference(parameter(reference, "subscribe"),
                         [&](std::string_view from) { notifies_[std::string(from)].push_back(reference); });
    }
  }

  const Value* parameter(const std::string& reference, std::string_view name) const {
    const auto it = resources_.find(reference);
    const Value* parameters = it == resources_.end() ? nullptr : member(*it->second, "parameters");
    return parameters == nullptr ? nullptr : member(*parameters, name);
  }

  /// Classes, stages and defined types; documents of older servers lack `kind`.
  bool is_container(const std::string& reference) const {
    if (contains_.contains(reference) || is_one_of(type_of(reference), {"Class", "Stage"})) return true;
    const auto it = resources_.find(reference);
    const std::string_view kind = it == resources_.end() ? "" : text_of(member(*it->second, "kind"));
    return kind == "class" || kind == "defined_type";
  }

  /// Calls f with each resource that is notified when `changed` changes; no container, and each once.
  template <class F> void for_each_notified(const std::string& changed, const F& f) const {
    std::unordered_set<std::string> seen;
    std::vector<std::string> up = {changed};
    for (size_t i = 0; i < up.size(); ++i) {
      if (const auto it = containers_.find(up[i]); it != containers_.end())
        for (const std::string& c : it->second)
          if (std::ranges::find(up, c) == up.end()) up.push_back(c);
      const auto it = notifies_.find(up[i]);
      if (it == notifies_.end()) continue;
      for (const std::string& target : it->second) for_each_contained(target, seen, f);
    }
  }

private:
  template <class F> static void for_each_reference(const Value* v, const F& f) {
    if (v == nullptr) return;
    if (v->is_string()) f(v->str());
    for (const Value& item : items_of(v)) for_each_reference(&item, f);
  }
  template <class F> void for_each_contained(const std::string& top, std::unordered_set<std::string>& seen, const F& f) const {
    std::vector<std::string> open = {top};
    while (!open.empty()) {
      const std::string at = std::move(open.back());
      open.pop_back();
      if (!seen.insert(at).second) continue;
      if (!is_container(at)) f(at);
      if (const auto it = contains_.find(at); it != contains_.end()) open.insert(open.end(), it->second.rbegin(), it->second.rend());
    }
  }

  std::unordered_map<std::string, const Value*> resources_;
  std::unordered_map<std::string, std::vector<std::string>> contains_, containers_, notifies_;
};

/// Whether the resource comes to differ on the machine, as far as the catalogs tell.
bool has_effect(const ResourceDiff& r) {
  if (!r.in_after) return false;
  return !r.in_before || std::ranges::any_of(r.parameters, [](const ParameterDiff& p) { return !has_no_effect(p.name); });
}

/// What a resource that is new or changed does by itself.
ImpactKind own_impact(const ResourceDiff& r, const Graph& graph) {
  const std::string_view type = type_of(r.reference), ensure = word_of(graph.parameter(r.reference, "ensure"));
  const bool ensure_changed = std::ranges::any_of(r.parameters, [](const ParameterDiff& p) { return p.name == "ensure"; });
  if (type == "Service" && ensure_changed) return is_one_of(ensure, {"stopped", "false"}) ? ImpactKind::Stops : ImpactKind::Starts;
  if (type != "Service" && ensure_changed && is_one_of(ensure, {"absent", "purged", "false"})) return ImpactKind::Deletes;
  if (type == "Exec") return ImpactKind::Runs;
  if (type == "Package") return ImpactKind::Installs;
  if (is_one_of(type, {"User", "Group", "Ssh_authorized_key"})) return ImpactKind::Accounts;
  if (is_one_of(type, {"File", "Concat_file", "File_line"})) return ImpactKind::Files;
  return ImpactKind::Changes;
}

class Impacts {
public:
  Impacts(const Graph& before, const Graph& graph, const CatalogDiff& diff) : graph_(graph) {
    for (const ResourceDiff& r : diff.resources) {
      if (!r.in_after && !before.is_container(r.reference)) add(ImpactKind::Abandons, r.reference, "");
      if (!has_effect(r) || graph_.is_container(r.reference)) continue;
      const bool only_when_notified = type_of(r.reference) == "Exec" && word_of(graph_.parameter(r.reference, "refreshonly")) == "true";
      if (only_when_notified) continue;
      add(own_impact(r, graph_), r.reference, "");
      spread(r.reference);
    }
  }

  std::vector<Impact> sorted() {
    // A service that the change starts has not run before: that it is notified, too, says nothing more.
    std::erase_if(list_, [&](const Impact& i) {
      return i.kind == ImpactKind::Restarts && places_.contains({ImpactKind::Starts, i.reference});
    });
    std::ranges::stable_sort(list_, {}, &Impact::kind);
    return std::move(list_);
  }

private:
  void add(ImpactKind kind, const std::string& reference, const std::string& cause) {
    if (is_one_of(type_of(reference), {"Notify", "Schedule", "Filebucket", "Anchor"})) return; // leave nothing on the machine
    auto [it, added] = places_.try_emplace({kind, reference}, list_.size());
    if (added) list_.push_back({kind, reference, {}});
    auto& causes = list_[it->second].causes;
    if (!cause.empty() && std::ranges::find(causes, cause) == causes.end()) causes.push_back(cause);
  }

  /// Follows the notifications that begin at a changed resource.
  void spread(const std::string& cause) {
    std::unordered_set<std::string> reached;
    std::vector<std::string> open = {cause};
    while (!open.empty()) {
      const std::string at = std::move(open.back());
      open.pop_back();
      graph_.for_each_notified(at, [&](const std::string& target) {
        const bool service = type_of(target) == "Service";
        if ((!service && type_of(target) != "Exec") || target == cause || !reached.insert(target).second) return;
        if (service && is_one_of(word_of(graph_.parameter(target, "ensure")), {"stopped", "false"})) return;
        add(service ? ImpactKind::Restarts : ImpactKind::Runs, target, cause);
        open.push_back(target);
      });
    }
  }

  const Graph& graph_;
  std::vector<Impact> list_;
  std::map<std::pair<ImpactKind, std::string>, size_t> places_;
};

} // namespace

std::string_view impact_verb(ImpactKind kind) { return verbs[static_cast<size_t>(kind)]; }
std::string_view impact_name(ImpactKind kind) { return names[static_cast<size_t>(kind)]; }

std::vector<Impact> impacts_of(const Value& before, const Value& after, const CatalogDiff& diff) {
  const Value *old_catalog = catalog_of(before), *catalog = catalog_of(after);
  if (old_catalog == nullptr || catalog == nullptr || diff.resources.empty()) return {};
  return Impacts(Graph(*old_catalog), Graph(*catalog), diff).sorted();
}

} // namespace pupc::catalog
