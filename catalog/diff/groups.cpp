#include "catalog/diff/groups.h"
#include "catalog/diff/diff_text.h"
#include "catalog/json/json_writer.h"
#include "catalog/value/map_leaves.h"

#include <algorithm>
#include <fmt/format.h>

namespace pupc::catalog {

DiffGrouper::Change& DiffGrouper::change(Kind kind, std::string key, const std::string& node) {
  if (by_node_) key = node + '\0' + key;
  auto [it, added] = changes_.try_emplace({kind, std::move(key)});
  Change& c = it->second;
  if (added) {
    c.kind = kind;
    c.order = changes_.size();
  }
  if (c.nodes.empty() || c.nodes.back() != node) c.nodes.push_back(node);
  return c;
}

ResourceDiff DiffGrouper::kept(const ResourceDiff& resource) {
  ResourceDiff out = resource;
  auto keep = [&](const Value* v) -> const Value* {
    if (v == nullptr) return nullptr;
    auto leaf = [&](const Value& x) { return x.is_string() ? Value::string(arena_->copy(x.str())) : x; };
    return arena_->make<Value>(map_leaves(*arena_, *v, leaf));
  };
  for (ParameterDiff& p : out.parameters) {
    p.name = kept(p.name);
    // Sensitive values are never shown, so there is no need to keep them.
    static const Value hidden{};
    p.before = p.sensitive && p.before != nullptr ? &hidden : keep(p.before);
    p.after = p.sensitive && p.after != nullptr ? &hidden : keep(p.after);
  }
  for (auto* tags : {&out.tags_removed, &out.tags_added})
    for (std::string_view& tag : *tags) tag = kept(tag);
  return out;
}

void DiffGrouper::add(const std::string& node, const CatalogDiff& diff, std::span<const Impact> impacts) {
  ++report_.compared;
  for (const Impact& impact : impacts) {
    auto [it, added] = impacts_.try_emplace({impact.kind, impact.reference});
    DiffImpact& into = it->second;
    if (added) into.what = {impact.kind, impact.reference, {}};
    into.nodes.push_back(node);
    for (const std::string& cause : impact.causes)
      if (std::ranges::find(into.what.causes, cause) == into.what.causes.end()) into.what.causes.push_back(cause);
  }
  if (diff.empty()) return;
  ++report_.different;
  if (diff.environment_before != diff.environment_after) {
    CatalogDiff& what = change(Kind::Environment, fmt::format("{}\n{}", diff.environment_before, diff.environment_after), node).what;
    what.environment_before = kept(diff.environment_before);
    what.environment_after = kept(diff.environment_after);
  }
  auto names = [&](Kind kind, const auto& list, auto member) {
    for (const auto& name : list) {
      auto& into = change(kind, std::string(name), node).what.*member;
      if (!into.empty()) continue;
      into.emplace_back(kept(name));
    }
  };
  names(Kind::ClassRemoved, diff.classes_removed, &CatalogDiff::classes_removed);
  names(Kind::ClassAdded, diff.classes_added, &CatalogDiff::classes_added);
  for (const ResourceDiff& r : diff.resources) {
    std::string key;
    JsonWriter json(key);
    write_resource_diff(json, r, places_);
    auto& into = change(Kind::Resource, std::move(key), node).what.resources;
    if (into.empty()) into.push_back(kept(r));
  }
  names(Kind::EdgeRemoved, diff.edges_removed, &CatalogDiff::edges_removed);
  names(Kind::EdgeAdded, diff.edges_added, &CatalogDiff::edges_added);
}

DiffReport DiffGrouper::finish() {
  std::vector<Change*> ordered;
  for (auto& [key, c] : changes_) {
    std::sort(c.nodes.begin(), c.nodes.end());
    ordered.push_back(&c);
  }
  std::sort(ordered.begin(), ordered.end(), [](const Change* a, const Change* b) { return a->order < b->order; });
  std::map<std::vector<std::string>, size_t> groups;
  for (Change* c : ordered) {
    auto [it, added] = groups.try_emplace(c->nodes, report_.groups.size());
    if (added) report_.groups.push_back({c->nodes, {}});
    CatalogDiff& into = report_.groups[it->second].changes;
    auto move = [&](auto member) {
      for (auto& item : c->what.*member) (into.*member).push_back(std::move(item));
    };
    move(&CatalogDiff::resources);
    move(&CatalogDiff::edges_removed);
    move(&CatalogDiff::edges_added);
    move(&CatalogDiff::classes_removed);
    move(&CatalogDiff::classes_added);
    if (c->kind != Kind::Environment) continue;
    into.environment_before = c->what.environment_before;
    into.environment_after = c->what.environment_after;
  }
  std::stable_sort(report_.groups.begin(), report_.groups.end(), [](const DiffGroup& a, const DiffGroup& b) {
    return a.nodes.size() != b.nodes.size() ? a.nodes.size() > b.nodes.size() : a.nodes < b.nodes;
  });
  for (auto& [key, impact] : impacts_) {
    std::ranges::sort(impact.nodes);
    report_.impacts.push_back(std::move(impact));
  }
  std::ranges::stable_sort(report_.impacts, [](const DiffImpact& a, const DiffImpact& b) {
    return a.what.kind != b.what.kind ? a.what.kind < b.what.kind : a.nodes.size() > b.nodes.size();
  });
  for (auto* names : {&report_.nodes_removed, &report_.nodes_added}) std::sort(names->begin(), names->end());
  std::sort(report_.failures.begin(), report_.failures.end(), [](const auto& a, const auto& b) { return a.node < b.node; });
  report_.values = arena_;
  changes_.clear();
  return std::move(report_);
}

std::string DiffReport::summary() const {
  auto count = [](size_t n, const char* what) { return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s"); };
  std::string out = count(compared, "node") + " compared";
  if (different == 0 && compared > 0)
    out += ": no difference";
  else if (compared > 0) // with none nothing is known of differences
    out += fmt::format(": {} different in {}, {} equal", different, count(groups.size(), "group"), compared - different);
  if (!nodes_removed.empty()) out += fmt::format("; {} removed", nodes_removed.size());
  if (!nodes_added.empty()) out += fmt::format("; {} added", nodes_added.size());
  if (left_out != 0) out += fmt::format("; {} not compared: the time was over", left_out);
  const auto newly = [&](bool failed_before, bool fails_after) {
    return static_cast<size_t>(std::count_if(failures.begin(), failures.end(), [&](const NodeFailure& f) {
      return f.before.empty() != failed_before && f.after.empty() != fails_after;
    }));
  };
  if (const size_t n = newly(false, true)) out += fmt::format("; {} compile no more", n);
  if (const size_t n = newly(true, false)) out += fmt::format("; {} compile now", n);
  if (const size_t n = newly(true, true)) out += fmt::format("; {} compile on neither side", n);
  return out;
}

// ---------------------------------------------------------------------------------------------------------------------
// text and JSON

/// " (2 web, 1 db)": how many of the nodes have which role, the most frequent first. Empty when no role is known.
static std::string roles_text(const std::vector<std::string>& nodes, const DiffReport& report) {
  std::map<std::string, size_t> counts;
  for (const std::string& node : nodes)
    if (const auto it = report.roles.find(node); it != report.roles.end()) ++counts[it->second];
  if (counts.empty()) return {};
  std::vector<std::pair<std::string, size_t>> sorted(counts.begin(), counts.end());
  std::ranges::stable_sort(sorted, std::ranges::greater(), &std::pair<std::string, size_t>::second);
  constexpr size_t named = 5;
  std::string out;
  for (size_t i = 0; i < std::min(named, sorted.size()); ++i)
    out += fmt::format("{}{} {}", i == 0 ? " (" : ", ", sorted[i].second, printable(sorted[i].first));
  if (sorted.size() > named) out += fmt::format(" and {} other roles", sorted.size() - named);
  return out + ")";
}

std::string nodes_text(const std::vector<std::string>& nodes, const DiffReport& report) {
  if (nodes.size() == 1) return printable(nodes[0]);
  if (nodes.size() == report.compared) return fmt::format("all {} nodes{}", nodes.size(), roles_text(nodes, report));
  constexpr size_t named = 12;
  std::string out = fmt::format("{} nodes{}: ", nodes.size(), roles_text(nodes, report));
  for (size_t i = 0; i < std::min(named, nodes.size()); ++i) out += (i == 0 ? "" : ", ") + printable(nodes[i]);
  if (nodes.size() > named) out += fmt::format(" and {} more", nodes.size() - named);
  return out;
}

std::string impact_text(const DiffImpact& impact, const DiffReport& report) {
  std::string out = fmt::format("{} {} on {}", impact_verb(impact.what.kind), printable(impact.what.reference),
                                nodes_text(impact.nodes, report));
  constexpr size_t named = 3;
  const auto& causes = impact.what.causes;
  for (size_t i = 0; i < std::min(named, causes.size()); ++i) out += (i == 0 ? "; because of " : ", ") + printable(causes[i]);
  if (causes.size() > named) out += fmt::format(" and {} more", causes.size() - named);
  return out;
}

namespace {

/// The impacts in lines; of each kind the first ones, as the changes themselves follow.
std::string impacts_text(const DiffReport& report) {
  if (report.impacts.empty()) return {};
  constexpr size_t most = 20;
  std::string out = "== what this does\n";
  for (size_t i = 0; i < report.impacts.size();) {
    const ImpactKind kind = report.impacts[i].what.kind;
    size_t end = i;
    while (end < report.impacts.size() && report.impacts[end].what.kind == kind) ++end;
    const size_t shown = end - i > most ? most - 1 : end - i;
    for (size_t k = i; k < i + shown; ++k) out += fmt::format("  {}\n", impact_text(report.impacts[k], report));
    if (i + shown < end) out += fmt::format("  {} {} more\n", impact_verb(kind), end - i - shown);
    i = end;
  }
  return out;
}

} // namespace

std::string report_text(const DiffReport& report) {
  std::string out = impacts_text(report);
  for (const DiffGroup& g : report.groups) out += fmt::format("== {}\n{}", nodes_text(g.nodes, report), diff_text(g.changes));
  for (const auto& node : report.nodes_added) out += fmt::format("== {}\n+ the catalog\n", printable(node));
  for (const auto& node : report.nodes_removed) out += fmt::format("== {}\n- the catalog\n", printable(node));
  for (const NodeFailure& f : report.failures) {
    out += fmt::format("== {}\n", printable(f.node));
    if (f.before == f.after) {
      out += fmt::format("! does not compile before nor after: {}\n", printable(f.after));
      continue;
    }
    if (!f.before.empty()) out += fmt::format("- does not compile: {}\n", printable(f.before));
    if (!f.after.empty()) out += fmt::format("+ does not compile: {}\n", printable(f.after));
  }
  return out;
}

std::string report_json(const DiffReport& report) {
  std::string out;
  JsonWriter json(out);
  auto number = [&](const char* name, size_t n) {
    json.key(name);
    json.integer(static_cast<int64_t>(n));
  };
  auto list = [&](const char* name, const std::vector<std::string>& texts) {
    json.key(name);
    json.begin_array();
    for (const auto& t : texts) json.string(t);
    json.end_array();
  };
  json.begin_object();
  json.key("equal");
  json.boolean(report.equal());
  json.member("before", report.before);
  json.member("after", report.after);
  number("compared", report.compared);
  number("different", report.different);
  if (report.left_out != 0) number("left_out", report.left_out);
  json.key("impacts");
  json.begin_array();
  for (const DiffImpact& i : report.impacts) {
    json.begin_object();
    json.member("impact", std::string(impact_name(i.what.kind)));
    json.member("resource", i.what.reference);
    list("causes", i.what.causes);
    list("nodes", i.nodes);
    json.end_object();
  }
  json.end_array();
  json.key("groups");
  json.begin_array();
  for (const DiffGroup& g : report.groups) {
    json.begin_object();
    list("nodes", g.nodes);
    write_diff_members(json, g.changes);
    json.end_object();
  }
  json.end_array();
  json.key("nodes");
  json.begin_object();
  list("removed", report.nodes_removed);
  list("added", report.nodes_added);
  json.end_object();
  json.key("failures");
  json.begin_array();
  for (const NodeFailure& f : report.failures) {
    json.begin_object();
    json.member("node", f.node);
    if (!f.before.empty()) json.member("before", f.before);
    if (!f.after.empty()) json.member("after", f.after);
    json.end_object();
  }
  json.end_array();
  json.end_object();
  return out;
}

} // namespace pupc::catalog
