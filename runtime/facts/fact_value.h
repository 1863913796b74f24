#pragma once
// Facts while they are being collected: a tree that can be changed, ordered as it was filled. Made into a Value when it is complete.
#include "catalog/value/value.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace pupc {

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
  /// The member of a map, or null.
  const FactValue* find(std::string_view key) const;
  FactValue* find(std::string_view key) { return const_cast<FactValue*>(std::as_const(*this).find(key)); }
  /// The member of a map, made when it is missing; a value that is no map becomes one.
  FactValue& member(std::string_view key);
};

/// The facts of a machine: a tree of the structured ones, and the legacy ones with their flat names.
class Facts {
public:
  /// Sets `os.release.full`-like names. A null value sets nothing, as Puppet leaves unknown facts out.
  void set(std::string_view dotted, FactValue value);
  /// Sets a top-level name as it is, dots and all.
  void set_top(std::string_view name, FactValue value) { root_.member(name) = std::move(value); }
  void set_legacy(std::string name, FactValue value);
  /// The fact by its dotted name, or null. An exact top-level name wins; numbers are indices of lists.
  const FactValue* find(std::string_view dotted) const;
  /// The text of a fact, nothing when it is missing or no text.
  std::optional<std::string> text(std::string_view dotted) const;

  const FactValue& root() const { return root_; }
  const FactMap& legacy() const { return legacy_; }
  FactMap& legacy() { return legacy_; }
  bool erase_top(std::string_view name);

  /// All facts as a Hash in `arena`, keys of all maps sorted as Puppet prints them.
  Value to_value(Arena& arena, bool with_legacy) const;

private:
  FactValue root_{FactMap{}};
  FactMap legacy_;
};

Value fact_to_value(const FactValue& fact, Arena& arena, bool sorted = true);
FactValue fact_from_value(const Value& value);

} // namespace pupc
