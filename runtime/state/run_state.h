#pragma once
// state.yaml: the times at which resources were last evaluated and changed (for schedules), and audited values. The file has Puppet's
// layout, so that Puppet and pupc can continue from each other's state.
#include "catalog/value/value.h"
#include "runtime/state/state_value.h"
#include "runtime/sys/system.h"

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace pupc::runtime {

class RunState {
public:
  struct Entry {
    int64_t checked = 0, synced = 0;                    // nanoseconds since the epoch; 0 = never
    std::vector<std::pair<std::string, Value>> audited; // property and value
    const Value* find(std::string_view property) const;
  };

  /// Reads the file; a missing or damaged one gives an empty state.
  void load(System& system, const std::string& path, const StateForm& form);
  /// Replaces the file. Drops entries of resources that no run has evaluated for 32 days (Puppet's default statettl). Throws SystemError.
  void save(System& system, const std::string& path, const StateForm& form) const;

  /// The entry of a reference such as "File[/x]"; adds a missing one. The returned reference stays valid.
  Entry& of(const std::string& reference);
  const Entry* find(const std::string& reference) const;
  /// Records a property's value for later runs.
  void audit(Entry& entry, std::string_view property, const Value& value);

private:
  std::deque<std::pair<std::string, Entry>> entries_; // in order of creation
  std::unordered_map<std::string, size_t> index_;
  Arena arena_;
};

/// The lock of a run: a file with the process id, locked as long as the object lives.
class RunLock {
public:
  RunLock() = default;
  ~RunLock();
  RunLock(const RunLock&) = delete;
  RunLock& operator=(const RunLock&) = delete;
  /// Takes the lock. False when another run holds it; `holder` then is that run's process id. Throws SystemError.
  bool acquire(const std::string& path, std::string& holder);

private:
  int fd_ = -1;
  std::string path_;
};

} // namespace pupc::runtime
