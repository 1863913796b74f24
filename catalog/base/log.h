#pragma once
// Log lines of a compile or run, with Puppet's levels, in order of occurrence. A LogSink decides where they go.
#include "catalog/base/source.h"

#include <mutex>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace pupc::catalog {

enum class LogLevel : uint8_t { Debug, Info, Notice, Warning, Err, Alert, Emerg, Crit };
/// "debug", "info", "notice", "warning", "err", "alert", "emerg", "crit".
std::string_view name_of(LogLevel level);

struct LogEntry {
  LogLevel level;
  std::string source;  // "Scope(Class[main])"; empty for lines of the compiler itself
  std::string message; // includes the place where Puppet appends it
};

class LogSink {
public:
  virtual ~LogSink() = default;
  virtual void log(LogEntry entry) = 0;
  /// Whether a line of that level is seen anywhere. Who would have to compose one asks first.
  virtual bool shows(LogLevel) const { return true; }

  /// True on the first call with `what` (an address). For messages about things that many compiles share, such as warnings of a parsed
  /// file: each sink gets them once, whichever compile has read the file. Thread-safe.
  bool first_time(const void* what);

private:
  std::mutex seen_mutex_;
  std::unordered_set<const void*> seen_;
};

/// Keeps all lines, or those of a level and above, for batches and tests.
class LogCollector : public LogSink {
public:
  void log(LogEntry entry) override {
    if (entry.level >= least) entries.push_back(std::move(entry));
  }
  bool shows(LogLevel level) const override { return level >= least; }
  LogLevel least = LogLevel::Debug;
  std::vector<LogEntry> entries;
};

} // namespace pupc::catalog
