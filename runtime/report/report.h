#pragma once
// What a run did: events, statuses of resources, log lines, times; printed as it goes and kept for the report.
#include "catalog/base/log.h"
#include "catalog/value/value.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace pupc {

enum class EventStatus : uint8_t { Success, Failure, Noop, Audit };
std::string_view name_of(EventStatus status);

/// One thing that happened to a resource. Values of sensitive properties are "[redacted]" here already.
struct RunEvent {
  std::string name;     // "file_created", "mode_changed", "restarted"
  std::string property; // empty: of the resource itself
  Value previous, desired, historical;
  std::string message;
  EventStatus status = EventStatus::Success;
  int64_t time = 0;
  bool audited = false, redacted = false, corrective = false, invalidates_refresh = false;
};

struct ResourceStatus {
  std::string reference, type, title, file; // type as printed
  std::string provider;
  uint32_t line = 0;
  std::vector<std::string> containment; // ["Stage[main]", "Main", "File[/x]"]
  std::vector<std::string> tags;
  std::vector<RunEvent> events;
  int64_t time = 0;
  double evaluation_time = -1; // seconds; < 0 = not evaluated
  bool failed = false, failed_to_restart = false, skipped = false, scheduled = false, restarted = false;
  std::string skip_reason; // "failed dependencies", "guard: …"; empty when not skipped
  bool changed() const { return change_count() > 0; }
  size_t change_count() const;
  size_t out_of_sync_count() const;
  bool corrective() const;
  /// Adds an event; a failure makes the status failed.
  void add(RunEvent event);
};

struct ReportLog {
  LogLevel level;
  std::string source; // "Puppet" for lines of no resource
  std::string message;
  std::vector<std::string> tags;
  std::string file;
  uint32_t line = 0;
  int64_t time = 0;
};

struct RunReport {
  std::string host, environment = "production", configuration_version, transaction_uuid, catalog_uuid;
  int64_t time = 0; // start, nanoseconds since the epoch
  bool noop = false, completed = false, generation_failed = false;
  std::vector<ReportLog> logs;
  std::vector<ResourceStatus> statuses;              // in order of evaluation
  size_t builtin_resources = 0;                      // counted in the total, never listed
  size_t builtin_skipped = 0;                        // of these, by the filter of tags
  std::vector<std::pair<std::string, double>> times; // "config_retrieval", "load", …; seconds
  double total_time = 0;

  /// Metrics as Puppet computes them, in its order: "resources" -> [("total", 7), …].
  std::vector<std::pair<std::string, std::vector<std::pair<std::string, double>>>> metrics() const;
  /// "failed", "changed" or "unchanged".
  std::string_view status() const;
  size_t changes() const;
  size_t failures() const; // resources that failed or could not be refreshed
  /// Bits 2 (changes) and 4 (failures), as --detailed-exitcodes has them.
  int exit_code() const;
};

/// The report in Puppet's format 12, as YAML (`!ruby/object:Puppet::Transaction::Report`) or JSON; resources that are unchanged are
/// left out.
std::string report_yaml(const RunReport& report);
std::string report_json(const RunReport& report);
/// last_run_summary.yaml
std::string summary_yaml(const RunReport& report, int64_t now);
/// The text of `--summarize`: counts and times by phase and type.
std::string summary_text(const RunReport& report, int64_t now);

/// "2026-11-21T09:17:40.660916400+00:00"
std::string iso_time(int64_t nanoseconds);

} // namespace pupc
