#pragma once
// state.yaml: when resources were looked at and changed (schedules), and audited values. In Puppet's layout, so that each can go on
// where the other stopped.
#include "catalog/value/value.h"
#include "runtime/state/kept_value.h"
#include "runtime/sys/system.h"

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace pupc {

class RunState {
public:
  struct Entry {
    int64_t checked = 0, synced = 0;                    // nanoseconds since the epoch; 0 = never
    std::vector<std::pair<std::string, Value>> audited; // by property
    const Value* find(std::string_view property) const;
  };

  /// Reads the file; a missing or damaged one is an empty state.
  void load(System& system, const std::string& path, const StateForm& form);
  /// Replaces the file. Entries of resources that are not in the catalog any more are kept for 32 days (statettl). Throws SystemError.
  void save(System& system, const std::string& path, const StateForm& form) const;

  /// The entry of "File[/x]", made when it is missing. It stays where it is.
  Entry& of(const std::string& reference);
  const Entry* find(const std::string& reference) const;
  /// Keeps a value of a property for later runs.
  void audit(Entry& entry, std::string_view property, const Value& value);

private:
  std::deque<std::pair<std::string, Entry>> entries_; // in the order in which they came
  std::unordered_map<std::string, size_t> index_;
  Arena arena_;
};

/// Holds the lock of a run: a file with the process's number, locked as long as the object lives.
class RunLock {
public:
  RunLock() = default;
  ~RunLock();
  RunLock(const RunLock&) = delete;
  RunLock& operator=(const RunLock&) = delete;
  /// False when another run holds it; `holder` is its process number then. Throws SystemError.
  bool acquire(const std::string& path, std::string& holder);

private:
  int fd_ = -1;
  std::string path_;
};

} // namespace pupc
