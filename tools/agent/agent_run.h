#pragma once
// One run of the agent: environment, plugins, facts, catalog, converging, report.
#include "tools/agent/agent_options.h"
#include "tools/agent/server_files.h"
#include "tools/agent/server_session.h"
#include "tools/pupc/apply/machine_run.h"

#include <memory>
#include <optional>
#include <string>

namespace pupc::cli::agent {

class AgentRun final : public MachineRun {
public:
  explicit AgentRun(AgentOptions& options);

  /// Makes the run. Returns Puppet's status of it, 2 for changes plus 4 for failures; nothing when there was no catalog, or it could not be
  /// applied.
  std::optional<int> run();
  /// Logs a line that belongs to no run, as other parts of the agent do.
  using MachineRun::say;
  /// Opens the places of --logdest. False after an error was logged.
  bool open_logs() { return MachineRun::open_logs("puppet-agent"); }

private:
  /// Ends the run: the message was logged.
  struct GivenUp {};

  std::optional<int> run_locked();
  std::optional<int> run_internal();
  bool choose_server();
  bool lock();
  bool have_certificate();

  std::string last_environment(bool& known);
  std::string environment_of_node();
  bool has_server_environment();
  void use_environment(const std::string& name);
  void sync_plugins();
  void sync(const char* name, const std::string& to, const std::string& from, const char* permissions);
  Value facts_now();
  void collect_facts();
  std::string facts_document(const Value& facts);
  void resubmit_facts();

  bool get_catalog();
  bool retrieve_new();
  bool retrieve_from_cache();
  bool take_catalog(std::string text);
  std::string cache_file() const;
  bool begin_converging();
  void send_report();

  LocalFactsOptions facts_options() override;
  std::vector<std::string> libraries() override;
  void complete(RunOptions& options) override;
  std::optional<std::string> fetched_module_file(std::string_view reference);

  const PuppetSettings& settings() const { return agent_.settings(); }

  AgentOptions& agent_;
  std::unique_ptr<Session> session_;
  std::unique_ptr<ServerFiles> files_;
  std::string environment_name_, catalog_text_;
  Value facts_;
  StaticFiles static_files_; // of catalog_
  bool running_failure_ = false, may_use_cache_ = false, use_cache_first_ = false, plugin_sync_ = true, from_cache_ = false;
  bool hooks_failed_ = false;
  std::string private_directory_; // for files that come from modules of the server, as the run goes
};

} // namespace pupc::cli::agent
