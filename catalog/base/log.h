#pragma once
// Log lines of a compile or run: Puppet's levels, in order of occurrence. Observers decide where they go.
#include "catalog/base/source.h"

#include <mutex>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace pupc {

enum class LogLevel : uint8_t { Debug, Info, Notice, Warning, Err, Alert, Emerg, Crit };
/// "debug", "info", "notice", "warning", "err", "alert", "emerg", "crit".
std::string_view name_of(LogLevel level);

struct LogEntry {
  LogLevel level;
  std::string source;  // "Scope(Class[main])", empty for the compiler's own
  std::string message; // with its place appended where Puppet does
};

class LogSink {
public:
  virtual ~LogSink() = default;
  virtual void log(LogEntry entry) = 0;

  /// True the first time it is asked about `what` (an address). For messages of things that many compiles share (a parsed
  /// file's warnings): each sink is told once, whichever compile read the file. Thread-safe.
  bool first_time(const void* what);

private:
  std::mutex seen_mutex_;
  std::unordered_set<const void*> seen_;
};

/// Keeps everything, for batches and tests.
class LogCollector : public LogSink {
public:
  void log(LogEntry entry) override { entries.push_back(std::move(entry)); }
  std::vector<LogEntry> entries;
};

} // namespace pupc
