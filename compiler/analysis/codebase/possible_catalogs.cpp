#include "compiler/analysis/codebase/possible_catalogs.h"

#include <algorithm>

namespace pupc::compiler {

Catalogs::Unit Catalogs::unit(Kind kind, Symbol name) {
  const auto [at, fresh] = numbers_.try_emplace((static_cast<uint64_t>(kind) << 32) | name.id, static_cast<Unit>(units_.size()));
  if (fresh) {
    Info info;
    info.kind = kind;
    info.name = name;
    units_.push_back(std::move(info));
  }
  return at->second;
}

Catalogs::Unit Catalogs::add_node(std::string shown) {
  Info info;
  info.kind = Kind::Node;
  info.seen = true;
  info.shown = std::move(shown);
  units_.push_back(std::move(info));
  nodes_.push_back(static_cast<Unit>(units_.size() - 1));
  return nodes_.back();
}

void Catalogs::add(Unit from, Unit to, bool always) {
  std::vector<Unit>& may = units_[from].may;
  if (std::find(may.begin(), may.end(), to) == may.end()) {
    may.push_back(to);
    units_[to].users.push_back(from);
    users_of_.clear();
  }
  if (std::vector<Unit>& sure = units_[from].always; always && std::find(sure.begin(), sure.end(), to) == sure.end()) sure.push_back(to);
}

void Catalogs::finish() {
  units_[top].seen = true;
  std::vector<Unit> starts = nodes_;
  if (starts.empty() && !units_[top].may.empty()) starts.push_back(top);
  for (const Unit start : starts) {
    Closure closure;
    closure.shown = units_[start].shown;
    closure.units.resize(units_.size());
    std::vector<Unit> open{top};
    closure.units[top] = true;
    if (start != top) {
      closure.units[start] = true;
      open.push_back(start);
    }
    while (!open.empty()) {
      const Info& info = units_[open.back()];
      open.pop_back();
      closure.open = closure.open || info.open || !info.seen;
      for (const Unit next : info.may)
        if (!closure.units[next]) {
          closure.units[next] = true;
          open.push_back(next);
        }
    }
    closures_.push_back(std::move(closure));
  }
}

std::vector<uint32_t> Catalogs::starts_of(Unit unit) const {
  std::vector<uint32_t> out;
  for (uint32_t start = 0; start < closures_.size(); ++start)
    if (has(start, unit)) out.push_back(start);
  return out;
}

void Catalogs::follow(std::vector<Unit> Info::*edges, std::vector<Unit> open, std::unordered_set<Unit>& reached) const {
  while (!open.empty()) {
    const Unit at = open.back();
    open.pop_back();
    for (const Unit next : units_[at].*edges)
      if (reached.insert(next).second) open.push_back(next);
  }
}

const std::unordered_set<Catalogs::Unit>& Catalogs::users_of(Unit unit) const {
  const auto [at, fresh] = users_of_.try_emplace(unit);
  if (fresh) {
    at->second.insert(unit);
    follow(&Info::users, {unit}, at->second);
  }
  return at->second;
}

bool Catalogs::may_share(Unit a, Unit b) const {
  if (a == top || b == top) return true;
  const std::unordered_set<Unit>&of_a = users_of(a), &of_b = users_of(b);
  return std::ranges::any_of(of_a, [&](Unit unit) { return of_b.contains(unit); });
}

std::vector<Catalogs::Unit> Catalogs::roots_of(Unit unit) const {
  std::vector<Unit> out;
  for (const Unit user : users_of(unit))
    if (units_[user].users.empty()) out.push_back(user);
  std::ranges::sort(out);
  return out;
}

bool Catalogs::may_bring(Unit start, Unit unit) const {
  std::unordered_set<Unit> reached{start, top};
  follow(&Info::may, {start, top}, reached);
  return reached.contains(unit);
}

bool Catalogs::near_open(Unit unit) const {
  std::unordered_set<Unit> near = users_of(unit);
  std::vector<Unit> open(near.begin(), near.end());
  while (!open.empty()) { // ends early, as most of a repository is open somewhere
    const Info& info = units_[open.back()];
    open.pop_back();
    if (info.open || !info.seen) return true;
    for (const Unit next : info.may)
      if (near.insert(next).second) open.push_back(next);
  }
  return false;
}

bool Catalogs::always_together(const std::vector<Unit>& units) const {
  if (units.empty()) return false;
  for (const Unit candidate : users_of(units.front())) {
    std::unordered_set<Unit> closure{candidate, top};
    follow(&Info::always, {candidate}, closure);
    if (std::ranges::all_of(units, [&](Unit unit) { return closure.contains(unit); })) return true;
  }
  return false;
}

} // namespace pupc::compiler
