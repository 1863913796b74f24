#pragma once
// Which classes and defined types may stand in one catalog: what node definitions include, directly or by way of others.
//   A unit is a class, a defined type, a function, a node definition, or the code of top scope, which is in every catalog. The walk adds
//   the edges; then finish(). Not thread-safe.
#include "catalog/base/assert.h"
#include "catalog/base/namespaces.h"
#include "catalog/base/symbol.h"

#include <cstdint>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace pupc::compiler {

class Catalogs {
public:
  using Unit = uint32_t;
  static constexpr Unit top = 0;
  enum class Kind : uint8_t { Top, Class, Define, Function, Node };

  Catalogs() { units_.emplace_back(); }

  /// The unit of a definition, by its name in lower case.
  Unit unit(Kind kind, Symbol name);
  /// A node definition: what every catalog of a node begins with. `shown` names it in messages.
  Unit add_node(std::string shown);
  /// The code of a unit has been seen. What has not been seen may declare and include anything.
  void seen(Unit unit) { units_[unit].seen = true; }
  /// `from` includes or uses `to`; `always`: whenever it is in a catalog.
  void add(Unit from, Unit to, bool always);
  /// `from` includes what is not known.
  void open(Unit from) { units_[from].open = true; }

  /// Call it once, when all is added.
  void finish();

  /// The node definitions, or all code of top scope where there is none, whose catalogs may have the unit. Valid after finish().
  std::vector<uint32_t> starts_of(Unit unit) const;
  /// Whether a catalog of the start may have the unit.
  bool has(uint32_t start, Unit unit) const {
    PUPC_ASSERT(start < closures_.size(), "finish() has been called, and the start is one of its");
    return closures_[start].units[unit];
  }
  /// Whether a catalog of the start may have what is not known.
  bool is_open(uint32_t start) const { return closures_[start].open; }
  const std::string& name_of(uint32_t start) const { return closures_[start].shown; }
  size_t starts() const { return closures_.size(); }

  /// Whether some unit brings all of these along whenever it is in a catalog itself, so that a mistake among them fails there.
  bool always_together(const std::vector<Unit>& units) const;
  /// Whether some class or node may bring both.
  bool may_share(Unit a, Unit b) const;
  /// Whether the code of the unit itself includes or declares what is not known.
  bool brings_unknown(Unit unit) const { return units_[unit].open || !units_[unit].seen; }
  /// What may bring the unit, but nothing brings along: classes and nodes that something outside of the code assigns.
  std::vector<Unit> roots_of(Unit unit) const;
  /// Whether `start` may bring the unit.
  bool may_bring(Unit start, Unit unit) const;
  /// Whether what may bring the unit, or anything that comes with it, is not known.
  bool near_open(Unit unit) const;
  Symbol name(Unit unit) const { return units_[unit].name; }
  Kind kind(Unit unit) const { return units_[unit].kind; }

private:
  struct Info {
    Kind kind = Kind::Top;
    Symbol name;
    bool seen = false, open = false;
    std::vector<Unit> may, always; // what it leads to
    std::vector<Unit> users;       // what may lead to it
    std::string shown;
  };
  struct Closure {
    std::string shown;
    std::vector<bool> units;
    bool open = false;
  };
  /// Adds to `reached` what `open` leads to by these edges, directly or by way of others.
  void follow(std::vector<Unit> Info::*edges, std::vector<Unit> open, std::unordered_set<Unit>& reached) const;
  const std::unordered_set<Unit>& users_of(Unit unit) const;

  std::vector<Info> units_;
  std::unordered_map<uint64_t, Unit> numbers_;
  std::vector<Unit> nodes_;
  std::vector<Closure> closures_;
  mutable std::unordered_map<Unit, std::unordered_set<Unit>> users_of_; // as far as it was asked
};

} // namespace pupc::compiler
