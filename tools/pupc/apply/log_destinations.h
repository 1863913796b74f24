#pragma once
// Destinations of a run's log lines in addition to the console: files (plain, JSON, JSON lines) and the system's log.
#include "runtime/report/report.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace pupc::cli {

class LogDestination {
public:
  virtual ~LogDestination() = default;
  virtual void write(const ReportLog& line) = 0;
};

struct LogPlaces {
  bool console = false;
  std::vector<std::unique_ptr<LogDestination>> others;
};

/// Opens the destinations of `--logdest`: console, syslog or absolute paths, separated by commas. An empty text means the console. Lines
/// are appended to a file. A .json file holds an array, a .jsonl file one object a line. `program` is the name in the system's log. Throws
/// std::runtime_error with Puppet's message.
LogPlaces open_log_places(std::string_view names, const std::string& program, const std::string& facility);

} // namespace pupc::cli
