#pragma once
// Where log lines of a run go besides the console: files (plain, JSON, JSON lines) and the system's log.
#include "runtime/report/report.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace pupc {

class LogDestination {
public:
  virtual ~LogDestination() = default;
  virtual void write(const ReportLog& line) = 0;
};

struct LogPlaces {
  bool console = false;
  std::vector<std::unique_ptr<LogDestination>> others;
};

/// Opens what `--logdest` names: console, syslog, absolute paths, with commas between them; nothing named is the console. A file is written
/// behind what it has; one that ends with .json holds an array, with .jsonl an object a line. `program` is the name in the system's log.
/// Throws std::runtime_error in Puppet's words.
LogPlaces open_log_places(std::string_view names, const std::string& program, const std::string& facility);

} // namespace pupc
