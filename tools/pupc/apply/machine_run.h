#pragma once
// What all runs that change this machine share, wherever their catalog comes from: the log, the report, the kept state, and converging.
#include "compiler/build/compile.h"
#include "compiler/ruby/worker/ruby_pool.h"
#include "runtime/report/report.h"
#include "runtime/ruby/ruby_types.h"
#include "runtime/state/run_state.h"
#include "runtime/state/transaction_store.h"
#include "runtime/transaction/transaction.h"
#include "tools/pupc/apply/apply_options.h"
#include "tools/pupc/apply/log_destinations.h"
#include "tools/pupc/node/local_facts.h"
#include "tools/pupc/node/node_setup.h"
#include "tools/pupc/progress_line.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pupc::cli {

/// Prints notices and below to standard output, warnings and above to standard error. Uses colours only on a terminal.
class RunConsole final : public LogSink {
public:
  RunConsole(LogLevel least, ColorMode color, RunReport& report, System& system);

  /// Logs a line that the report has already.
  void log(LogEntry entry) override;
  bool shows(LogLevel level) const override { return level >= least_; }
  /// Logs a line that belongs to no resource, and adds it to the report.
  void log_and_keep(LogEntry entry);

  void set_places(LogPlaces places) { places_ = std::move(places); }
  /// Whether lines also go to places other than the console.
  bool elsewhere() const { return !places_.others.empty(); }

  ProgressLine progress;

private:
  LogPlaces places_{true, {}};
  LogLevel least_;
  bool out_color_, error_color_;
  RunReport& report_;
  System& system_;
};

/// Keeps what a compile logs in the report, too.
class KeptLog final : public LogSink {
public:
  explicit KeptLog(RunConsole& console) : console_(console) {}
  void log(LogEntry entry) override { console_.log_and_keep(std::move(entry)); }
  bool shows(LogLevel level) const override { return console_.shows(level); }

private:
  RunConsole& console_;
};

/// A fact by its dotted name; undef when it is unknown.
Value find_fact(const Value& facts, std::string_view dotted);

/// Makes the directory of a file of the run: the settings may name one that does not exist yet.
void make_missing_parent(System& system, const std::string& path, std::optional<uint32_t> trusted);

class MachineRun {
public:
  virtual ~MachineRun() = default;
  MachineRun(const MachineRun&) = delete;
  MachineRun& operator=(const MachineRun&) = delete;

protected:
  explicit MachineRun(ApplyOptions& options);

  /// The number of the signal that asked to stop; 0: none. Set by the first of SIGINT, SIGTERM and SIGHUP after catch_signals.
  static int stop_signal();
  static void catch_signals();

  /// Opens the places of --logdest. False after an error was logged.
  bool open_logs(const std::string& program);
  /// Takes the lock of the run, a file in a directory that is made. False when another run has it, or after an error was logged; `holder`
  /// then is the other's process id, or empty.
  bool take_lock(const std::string& path, std::string& holder);
  void make_state_directories();
  /// Applies catalog_, and keeps state and summaries. False when the catalog could not be applied.
  bool converge();
  /// Writes the report and the summary, each where its setting says. False when one that the command line asked for could not be written.
  bool write_reports();
  /// Runs the command of a setting such as prerun_command, even in noop mode. False when it failed.
  bool run_hook(const char* setting, const std::string& command);
  /// What the run of a derived class has otherwise.
  virtual void complete(RunOptions&) {}
  virtual LocalFactsOptions facts_options();
  /// The directories of types, providers and other Ruby code.
  virtual std::vector<std::string> libraries();

  Value machine_facts();
  Value with_client_facts(const Value& facts, std::string_view name);
  std::optional<uint32_t> service_user();
  RubyTypesOptions ruby_types_options();
  RunOptions run_options();
  Value fact(std::string_view name);
  void add_time(std::string_view name, int64_t since);
  void say(LogLevel level, std::string message) { console_.log_and_keep({level, "", std::move(message)}); }
  void error(std::string message) { say(LogLevel::Err, std::move(message)); }
  double seconds_since(int64_t moment) const { return static_cast<double>(system_->monotonic() - moment) / 1e9; }

  ApplyOptions& o_;
  RunReport report_;
  std::unique_ptr<System> system_;
  RunConsole console_;
  KeptLog kept_log_;
  Environments environments_{o_.compile};
  NodeData node_;
  std::shared_ptr<const Environment> environment_;
  std::unique_ptr<Catalog> catalog_;
  std::unique_ptr<RubyWorker> facts_worker_; // has resolved facts in Ruby; serves the types and providers of the run
  int64_t start_ = 0;

private:
  void load_state();
  void save_state(bool with_store);
  void write_summary(const RunCatalog& catalog);

  // Values of the report are in the first three: they live as long as it does.
  Arena run_arena_;
  std::unique_ptr<RubyTypes> foreign_;
  std::unique_ptr<RunCatalog> run_catalog_;
  std::optional<std::vector<std::string>> library_directories_; // listed when a type or provider of modules is looked for
  std::optional<RubyPool> deferred_ruby_;                       // processes for functions that need Ruby
  std::unique_ptr<DeferredCalls> deferred_calls_;
  RunLock lock_;
  RunState state_;
  TransactionStore store_;
  StateForm form_;
  Value legacy_facts_; // structured and legacy facts; made at the first query
};

} // namespace pupc::cli
