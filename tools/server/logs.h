#pragma once
// The server's log and its access log: a line each, written at once, to files that logrotate may take away.
#include "catalog/base/log.h"
#include "tools/server/visible_names.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

namespace pupc::server {

class LogFile {
public:
  /// `path`: "" for standard error, "none" for nowhere. Throws std::runtime_error when it cannot be opened.
  explicit LogFile(std::string path);
  ~LogFile();
  LogFile(const LogFile&) = delete;
  LogFile& operator=(const LogFile&) = delete;
  /// Writes a line; control characters in it become `?`.
  void line(std::string_view text);
  /// Opens the file anew. Keeps the old one when that fails.
  void reopen();

private:
  int open() const;
  std::string path_;
  std::mutex mutex_;
  int fd_ = -1;
};

class ServerLog {
public:
  ServerLog(const std::string& path, LogLevel least) : file_(path), least_(least) {}
  /// "2026-11-23T19:00:00.123Z NOTICE web1: text"; `about` may be empty.
  void log(LogLevel level, std::string_view about, std::string_view text);
  bool shows(LogLevel level) const { return level >= least_; }
  /// How many lines of a level were logged.
  uint64_t lines(LogLevel level) const { return lines_[static_cast<size_t>(level)]; }
  void notice(std::string_view text) { log(LogLevel::Notice, "", text); }
  void error(std::string_view text) { log(LogLevel::Err, "", text); }
  void reopen() { file_.reopen(); }

private:
  LogFile file_;
  LogLevel least_;
  std::array<std::atomic<uint64_t>, static_cast<size_t>(LogLevel::Crit) + 1> lines_{};
};

/// Gives the lines of one compile to the server's log.
class CompileLog : public LogSink {
public:
  CompileLog(ServerLog& to, std::string node) : to_(to), node_(std::move(node)) {}
  void log(LogEntry entry) override {
    to_.log(entry.level, node_, entry.source.empty() ? entry.message : entry.source + ": " + entry.message);
  }
  bool shows(LogLevel level) const override { return to_.shows(level); }

private:
  ServerLog& to_;
  std::string node_;
};

/// The time in the form of ISO 8601, with milliseconds.
std::string log_time();

} // namespace pupc::server
