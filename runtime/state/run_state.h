#pragma once
// What is kept from one run to the next: when resources were looked at and changed (schedules), audited values, and what the run brought about
// (a later difference is a corrective change).
#include "catalog/value/value.h"
#include "runtime/sys/system.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace pupc {

class RunState {
public:
  struct Entry {
    int64_t checked = 0, synced = 0;             // nanoseconds since the epoch; 0 = never
    std::map<std::string, std::string> audited;  // property -> value as text
    std::map<std::string, std::string> achieved; // property -> the value the last run left there, as text
    bool seen = false;                           // in this run
  };

  /// Reads the file; a missing or damaged one is an empty state (`problem` says what is wrong with it).
  void load(System& system, const std::string& path, std::string& problem);
  /// Replaces the file. Entries of resources that are not in the catalog any more are kept, as the reference does. Throws SystemError.
  void save(System& system, const std::string& path) const;

  Entry& of(const std::string& reference) { return entries_[reference]; }
  const Entry* find(const std::string& reference) const;

private:
  std::map<std::string, Entry> entries_;
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
