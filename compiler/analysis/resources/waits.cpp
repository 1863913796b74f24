// Circles of resources that wait for each other: no order of them is right, and Puppet fails when it applies the catalog.
#include "compiler/analysis/resources/waits.h"

#include "catalog/graph/tags.h"
#include "compiler/analysis/codebase/tree_queries.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <unordered_map>

namespace pupc::compiler {

/// The resource as it is written in code: File['/x'].
std::string Waits::written_reference(NamedResource r) const {
  const std::string type = capitalize_segments(numbers_.type(r).str());
  const std::string_view title = numbers_.title(r);
  if (title.starts_with(made_title)) return fmt::format("{}[{}]", type, title.substr(title.find(made_title, 1) + 1));
  return fmt::format("{}['{}']", type, title);
}

/// Reports each relationship that closes a circle of those noted before it in the same body: of those that a branch makes, and the
/// branches that it is in.
void Waits::check_bodies(std::span<const uint32_t> outer_branches, Findings& findings) {
  std::ranges::stable_sort(waits_, {}, &Wait::body);
  std::vector<NamedResource> firsts;
  for (auto begin = waits_.begin(), end = begin; begin != waits_.end(); begin = end) {
    end = std::find_if(begin, waits_.end(), [&](const Wait& w) { return w.body != begin->body; });
    // In most bodies nothing that waits is waited for.
    firsts.clear();
    for (auto w = begin; w != end; ++w) firsts.push_back(w->first);
    std::sort(firsts.begin(), firsts.end());
    if (std::none_of(begin, end, [&](const Wait& w) { return std::binary_search(firsts.begin(), firsts.end(), w.then); })) continue;
    std::set<uint32_t> branches;
    for (auto w = begin; w != end; ++w) branches.insert(w->branch);
    for (const uint32_t branch : branches) {
      std::set<uint32_t> around{branch};
      for (uint32_t outer = branch; outer != 0;) around.insert(outer = outer_branches[outer]);
      std::vector<Wait> made;
      std::copy_if(begin, end, std::back_inserter(made), [&](const Wait& w) { return around.contains(w.branch); });
      check_body(made, findings);
    }
  }
}

void Waits::check_body(std::span<const Wait> of_body, Findings& findings) {
  std::map<NamedResource, std::vector<NamedResource>> after; // what waits for a resource
  for (const Wait& w : of_body) {
    // Whether the way from what waits leads to what it waits for.
    std::map<NamedResource, std::optional<NamedResource>> reached_from{{w.then, {}}};
    std::vector<NamedResource> open{w.then};
    for (size_t i = 0; i < open.size() && open.size() < 2000 && !reached_from.contains(w.first); ++i) {
      const NamedResource at = open[i];
      for (NamedResource next : after[at])
        if (reached_from.try_emplace(next, at).second) open.push_back(next);
    }
    if (!reached_from.contains(w.first)) {
      after[w.first].push_back(w.then);
      continue;
    }
    std::string way;
    for (std::optional<NamedResource> at = w.first; at; at = reached_from[*at])
      way = written_reference(*at) + (way.empty() ? "" : " -> ") + way;
    if (w.first != w.then) way = written_reference(w.first) + " -> " + way;
    if (!told_.emplace(w.source, w.offset).second) continue; // with another branch
    findings.add(CheckCode::relationship_cycle, *w.source, w.offset, w.length,
                 w.first == w.then ? fmt::format("{} waits for itself", way) : fmt::format("These wait for each other: {}", way));
  }
}

/// What the relationships and the contents of classes lead to, from each moment.
std::vector<std::vector<Waits::Step>> Waits::steps_of_classes(std::span<const DeclaredResource> declared) {
  const auto count = static_cast<uint32_t>(numbers_.size());
  std::vector<std::vector<Step>> steps(2 * count);
  const auto contains = [&](NamedResource outer, NamedResource inner, Catalogs::Unit unit) {
    steps[begin_of(outer)].push_back({begin_of(inner), contents, unit});
    steps[end_of(inner)].push_back({end_of(outer), contents, unit});
  };
  // Only classes that some relationship names matter, and what they contain.
  std::vector<bool> matters(count);
  for (const Wait& w : waits_) matters[w.first] = matters[w.then] = true;
  for (const Contained& c : contained_) matters[c.outer] = matters[c.inner] = true;
  for (const DeclaredResource& d : declared) {
    if (!d.literal || d.alias || d.conditional || d.type == sym::class_ || d.definition == nullptr ||
        d.definition->kind != NodeKind::ClassDef || !matters[d.number])
      continue;
    const uint32_t owner = numbers_.of(sym::class_, lower_name(d.definition->name));
    if (owner < count) contains(owner, d.number, d.unit);
  }
  for (const Contained& c : contained_) contains(c.outer, c.inner, c.unit);
  for (NamedResource r = 0; r < count; ++r)
    if (matters[r] && is_class(r)) steps[begin_of(r)].push_back({end_of(r), passes, Catalogs::top});
  for (uint32_t i = 0; i < waits_.size(); ++i) {
    const Wait& w = waits_[i];
    steps[end_of(w.first)].push_back({begin_of(w.then), i, w.unit});
  }
  return steps;
}

void Waits::check_classes(std::span<const DeclaredResource> declared, const Catalogs& catalogs, Findings& findings) {
  std::erase_if(waits_, [](const Wait& w) { return !w.always; });
  if (waits_.empty()) return;
  const std::vector<std::vector<Step>> steps = steps_of_classes(declared);
  std::set<std::set<uint32_t>> seen; // circles, by their relationships
  uint32_t budget = 200000;
  for (uint32_t i = 0; i < waits_.size() && budget > 0; ++i) {
    const Wait& w = waits_[i];
    if (told_.contains({w.source, w.offset})) continue;
    // The shortest way back from what waits to what it waits for.
    const uint32_t goal = end_of(w.first);
    std::unordered_map<uint32_t, std::pair<uint32_t, const Step*>> from{{begin_of(w.then), {0, nullptr}}};
    std::vector<uint32_t> open{begin_of(w.then)};
    for (size_t next = 0; next < open.size() && !from.contains(goal) && budget > 0; ++next)
      for (const Step& step : steps[open[next]]) {
        --budget;
        if (from.try_emplace(step.to, open[next], &step).second) open.push_back(step.to);
        if (budget == 0) break;
      }
    if (!from.contains(goal)) continue;
    std::vector<Catalogs::Unit> units{w.unit};
    std::set<uint32_t> waits{i};
    std::string way;
    bool through_contents = false;
    for (uint32_t at = goal;;) {
      const std::string name = written_reference(at / 2);
      if (!way.starts_with(name + " -> ") && way != name) way = name + (way.empty() ? "" : " -> ") + way;
      const auto& [before, step] = from.at(at);
      if (step == nullptr) break;
      if (step->wait != passes) units.push_back(step->unit);
      if (step->wait < passes) waits.insert(step->wait);
      through_contents = through_contents || step->wait == contents;
      at = before;
    }
    // Circles within one body are told already, and what can never be in one catalog is none.
    if ((!through_contents && waits.size() > 0 && std::ranges::all_of(waits, [&](uint32_t n) { return waits_[n].body == w.body; })) ||
        !catalogs.always_together(units) || !seen.insert(waits).second)
      continue;
    const Wait& shown = w.length > 0 ? w : waits_[*std::ranges::find_if(waits, [&](uint32_t n) { return waits_[n].length > 0 || n == i; })];
    if (!told_.emplace(shown.source, shown.offset).second) continue; // of another title
    findings.add(CheckCode::relationship_cycle, *shown.source, shown.offset, shown.length,
                 fmt::format("These wait for each other: {} -> {}", written_reference(w.first), way));
  }
}

} // namespace pupc::compiler
