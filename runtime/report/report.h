#pragma once
// What a run did: events, resource statuses, log lines and times, collected for the report.
#include "catalog/base/log.h"
#include "catalog/value/value.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace pupc::runtime {

enum class EventStatus : uint8_t { Success, Failure, Noop, Audit };
std::string_view name_of(EventStatus status);

/// One event of a resource. Values of sensitive properties are already replaced by "[redacted]".
struct RunEvent {
  std::string name;     // "file_created", "mode_changed", "restarted"
  std::string property; // empty for an event of the resource itself
  Value previous, desired, historical;
  std::string message;
  EventStatus status = EventStatus::Success;
  int64_t time = 0;
  bool audited = false, redacted = false, corrective = false, invalidates_refresh = false;
};

struct ResourceStatus {
  std::string reference, type, title, file; // the type in its printed form ("File")
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
  std::string source; // "Puppet" for lines without a resource
  std::string message;
  std::vector<std::string> tags;
  std::string file;
  uint32_t line = 0;
  int64_t time = 0;
};

struct RunReport {
  std::string host, environment = "production", configuration_version, transaction_uuid, catalog_uuid;
  std::string run_mode = "user", initial_environment; // of an agent: where the run began; empty: `environment`
  std::string cached_catalog_status = "not_used";
  std::string server_used, code_id, job_id; // empty: left out
  int64_t time = 0;                         // start of the run, nanoseconds since the epoch
  bool noop = false, completed = false, generation_failed = false;
  std::vector<ReportLog> logs;
  std::vector<ResourceStatus> statuses;              // in order of evaluation
  size_t builtin_resources = 0;                      // Puppet's built-in resources: counted in the total, never listed
  size_t builtin_skipped = 0;                        // built-in resources that the tags filter out
  std::vector<std::pair<std::string, double>> times; // "config_retrieval", "load", …; seconds
  double total_time = 0;

  /// The metrics as Puppet computes them, in Puppet's order: "resources" -> [("total", 7), …].
  std::vector<std::pair<std::string, std::vector<std::pair<std::string, double>>>> metrics() const;
  /// "failed", "changed" or "unchanged".
  std::string_view status() const;
  size_t changes() const;
  size_t failures() const; // resources that failed or whose refresh failed
  /// The exit code of --detailed-exitcodes: the sum of 2 for changes and 4 for failures.
  int exit_code() const;
};

/// The report in Puppet's format 12, as YAML (`!ruby/object:Puppet::Transaction::Report`) or JSON. Unchanged resources are left out.
std::string report_yaml(const RunReport& report);
std::string report_json(const RunReport& report);
/// The content of last_run_summary.yaml.
std::string summary_yaml(const RunReport& report, int64_t now);
/// The text of `--summarize`: counts and times by phase and type.
std::string summary_text(const RunReport& report, int64_t now);

/// A time in ISO form: "2026-11-21T09:17:40.660916400+00:00".
std::string iso_time(int64_t nanoseconds);

} // namespace pupc::runtime
