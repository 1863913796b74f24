#pragma once
// transactionstore.yaml: which value each property had when the last run of an agent was done with it. A change away from another value
// corrects a drift of the machine (`corrective_change`), one from that value follows a change of the manifest.
#include "runtime/state/kept_value.h"

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pupc {

class TransactionStore {
public:
  /// Reads what the last run left; a missing or damaged file is an empty store.
  void load(System& system, const std::string& path, const StateForm& form);
  /// Writes what this run left: resources that are not in its catalog are forgotten. Throws SystemError.
  void save(System& system, const std::string& path, const StateForm& form) const;

  /// What the last run left; null when it knows none. A list mostly.
  const Value* old_value(const std::string& reference, std::string_view property) const;
  void set(const std::string& reference, std::string_view property, const Value& value);
  /// A resource that is skipped keeps its values.
  void copy_skipped(const std::string& reference);

  /// Whether a property that was left with `old` still has that value: `is` is what it has now. As the property itself compares.
  static bool still_there(std::string_view type, std::string_view property, const Value& old, const Value& is);

private:
  using Values = std::vector<std::pair<std::string, Value>>;
  std::map<std::string, Values> old_;
  std::vector<std::pair<std::string, Values>> new_;
  std::map<std::string, size_t> index_;
  Arena arena_;
};

} // namespace pupc
