#pragma once
// Facts during collection: a mutable tree that keeps insertion order. to_value converts the complete tree.
#include "catalog/value/value.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace pupc::runtime {

struct FactValue;
using FactList = std::vector<FactValue>;
using FactMap = std::vector<std::pair<std::string, FactValue>>;

struct FactValue {
  std::variant<std::monostate, bool, int64_t, double, std::string, FactList, FactMap> data;

  FactValue() = default;
  FactValue(bool v) : data(v) {}
  FactValue(int v) : data(int64_t{v}) {}
  FactValue(int64_t v) : data(v) {}
  FactValue(uint64_t v) : data(static_cast<int64_t>(v)) {}
  FactValue(uint32_t v) : data(int64_t{v}) {}
  FactValue(double v) : data(v) {}
  FactValue(std::string v) : data(std::move(v)) {}
  FactValue(std::string_view v) : data(std::string(v)) {}
  FactValue(const char* v) : data(std::string(v)) {}
  FactValue(FactList v) : data(std::move(v)) {}
  FactValue(FactMap v) : data(std::move(v)) {}
  FactValue(const std::optional<std::string>& v) {
    if (v) data = *v;
  }

  bool is_null() const { return std::holds_alternative<std::monostate>(data); }
  const FactMap* map() const { return std::get_if<FactMap>(&data); }
  FactMap* map() { return std::get_if<FactMap>(&data); }
  const FactList* list() const { return std::get_if<FactList>(&data); }
  const std::string* text() const { return std::get_if<std::string>(&data); }
  /// The member of a map; null when there is none.
  const FactValue* find(std::string_view key) const;
  FactValue* find(std::string_view key) { return const_cast<FactValue*>(std::as_const(*this).find(key)); }
  /// The member of a map; adds a missing one. A value that is no map becomes an empty map first.
  FactValue& member(std::string_view key);
};

/// The facts of a machine: the tree of structured facts, and the legacy facts with flat names.
class Facts {
public:
  /// Sets a fact by a dotted name such as `os.release.full`. Ignores a null value: Puppet leaves unknown facts out.
  void set(std::string_view dotted, FactValue value);
  /// Sets a top-level fact; dots in its name have no meaning.
  void set_top(std::string_view name, FactValue value) { root_.member(name) = std::move(value); }
  /// The same for a fact of a module or a file, whose members keep their order.
  void set_given(std::string_view name, FactValue value);
  void set_legacy(std::string name, FactValue value);
  /// Finds a fact by its dotted name; null when there is none. An exact top-level name wins; numbers index lists.
  const FactValue* find(std::string_view dotted) const;
  /// The text of a fact; nothing when it is missing or no text.
  std::optional<std::string> text(std::string_view dotted) const;

  const FactValue& root() const { return root_; }
  const FactMap& legacy() const { return legacy_; }
  FactMap& legacy() { return legacy_; }

  /// Which order the members of facts have: sorted, as Puppet prints them; or those of modules and files as they were given, as a catalog
  /// sees them.
  enum class Order : uint8_t { Sorted, AsGiven };
  /// All facts as a Hash in `arena`.
  Value to_value(Arena& arena, bool with_legacy, Order order = Order::Sorted) const;

private:
  FactValue root_{FactMap{}};
  FactMap legacy_;
  std::set<std::string, std::less<>> given_;
};

Value fact_to_value(const FactValue& fact, Arena& arena, bool sorted = true);
FactValue fact_from_value(const Value& value);

} // namespace pupc::runtime
