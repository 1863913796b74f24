#pragma once
// transactionstore.yaml: the value of each property at the end of the last agent run. If a property has another value now, the machine
// has drifted and a change is corrective (`corrective_change`). If it still has that value, a change follows from the manifest.
#include "runtime/state/state_value.h"

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pupc::runtime {

class TransactionStore {
public:
  /// Reads the values of the last run; a missing or damaged file gives an empty store.
  void load(System& system, const std::string& path, const StateForm& form);
  /// Writes the values of this run. Resources that are not in its catalog are dropped. Throws SystemError.
  void save(System& system, const std::string& path, const StateForm& form) const;

  /// A property's value at the end of the last run, usually a list; null when unknown.
  const Value* old_value(const std::string& reference, std::string_view property) const;
  void set(const std::string& reference, std::string_view property, const Value& value);
  /// Keeps the old values of a skipped resource.
  void copy_skipped(const std::string& reference);

  /// Whether a property whose last known value was `old` still has it; `is` is its present value. Compares like the property itself.
  static bool still_there(std::string_view type, std::string_view property, const Value& old, const Value& is);

private:
  using Values = std::vector<std::pair<std::string, Value>>;
  std::map<std::string, Values> old_;
  std::vector<std::pair<std::string, Values>> new_;
  std::map<std::string, size_t> index_;
  Arena arena_;
};

} // namespace pupc::runtime
