#pragma once
// Small parts of the agent: its locks, the catalog of plugins, reports of Puppet's own last run.
#include "compiler/load/settings.h"
#include "runtime/report/report.h"
#include "runtime/state/run_state.h"
#include "runtime/sys/system.h"
#include "tools/pupc/apply/apply_options.h"

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace pupc::cli::agent {

/// A plugin could not be fetched.
struct PluginError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// "plugins" of "puppet:///plugins".
std::string mount_of(std::string_view url);
/// A catalog document with one file resource: the directory `to` as a copy of the tree `from` of the server. `ignore`: names with blanks
/// between them.
std::string plugin_catalog(std::string_view tag, std::string_view to, std::string_view from, std::string_view permissions,
                           std::string_view ignore, System& system);
/// Why a resource failed: its first event, else the report's last line about it.
std::string failure_of(const ResourceStatus& status, const RunReport& report);

/// Takes a lock in a directory that is made if it is missing. Throws SystemError.
bool lock_file(System& system, RunLock& lock, const std::string& path, std::string& holder);

/// Waits, or until a signal comes.
void rest_for(int64_t seconds);
/// A number from 0 to `most`.
int64_t random_below(int64_t most);

/// Whether Puppet's own agent holds the lock of a run: the file names a process of it.
bool held_by_puppet(const std::string& lock_file);

/// Why runs are not permitted ("" when nobody said it); nothing when they are.
std::optional<std::string> disabled_message(const PuppetSettings& settings);
/// What an agent says that may not run.
std::string skipped_run(const std::string& message);
/// Permits no runs, or permits them again. Throw SystemError.
void disable_runs(System& system, const PuppetSettings& settings, const std::string& message);
void enable_runs(System& system, const PuppetSettings& settings);

/// Names this process otherwise as long as the object lives.
class ProcessName {
public:
  explicit ProcessName(const char* name);
  ~ProcessName();
  ProcessName(const ProcessName&) = delete;
  ProcessName& operator=(const ProcessName&) = delete;

private:
  char old_[16] = {};
};

/// The text of the report that Puppet's own last run on this machine has left; "" when there is none.
std::string last_report_text(const ApplyOptions& options, const PuppetSettings& settings);
/// How the result of a run without changes compares with that report.
std::string comparison_with(const std::string& last_report, const RunReport& report);

} // namespace pupc::cli::agent
