#pragma once
// Which classes lead to which others.
#include "catalog/base/symbol.h"
#include "compiler/analysis/codebase/sorted.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

namespace pupc::compiler {

/// Which class leads to which.
class ClassGraph {
public:
  using Edge = std::pair<uint32_t, Symbol>; // the second is what is led to
  void add(Symbol from, Symbol to) { edges_.emplace_back(from.id, to); }
  /// Call it once, when all are added.
  void sort() { std::ranges::sort(edges_, {}, &Edge::first); }
  std::span<const Edge> of(Symbol from) const { return elements_with(edges_, from.id, &Edge::first); }
  bool leads(Symbol from, Symbol to) const {
    return std::ranges::any_of(of(from), [&](const Edge& edge) { return edge.second == to; });
  }

private:
  std::vector<Edge> edges_;
};

/// The classes that include others and lead to two of the classes in `marked` or more, by their names; a class leads to itself.
/// `for_each_user(name, f)` calls f with each class that includes one.
template <class Marked, class Users> std::vector<Symbol> classes_that_reach_two(const Marked& marked, Users for_each_user) {
  struct Reached {
    Symbol first, second; // two of the marked classes are enough
  };
  std::unordered_map<Symbol, Reached> reached;
  std::vector<std::pair<Symbol, Symbol>> open; // a class, and a marked one that it leads to
  for (const auto& [name, unused] : marked) open.emplace_back(name, name);
  std::vector<Symbol> out;
  while (!open.empty()) {
    const auto pair = open.back(); // not bound to two names: clang 14 cannot capture these
    const Symbol at = pair.first, to = pair.second;
    open.pop_back();
    Reached& r = reached[at];
    if (r.first == to || r.second) continue;
    if (r.first) out.push_back(at);
    (r.first ? r.second : r.first) = to;
    for_each_user(at, [&](Symbol user) { open.emplace_back(user, to); });
  }
  std::ranges::sort(out, {}, &Symbol::str);
  return out;
}

} // namespace pupc::compiler
