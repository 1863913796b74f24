// pupc agent: asks a Puppet server for this machine's catalog and applies it.
#include "catalog/base/diagnostic.h"
#include "runtime/sys/posix_system.h"
#include "tools/agent/agent_commands.h"
#include "tools/agent/agent_options.h"
#include "tools/agent/agent_run.h"
#include "tools/agent/certificates.h"
#include "tools/agent/daemon.h"
#include "tools/agent/run_files.h"
#include "tools/pupc/command.h"

#include <cstdio>
#include <fmt/format.h>

namespace pupc::cli::agent {
namespace {

constexpr std::string_view usage = "Usage: pupc agent [options]\n\nAsks a Puppet server for this machine's catalog and applies it. Takes "
                                   "Puppet's settings as options, too: "
                                   "--server NAME, --noop, --tags A,B, --environment NAME, --runinterval 30m and so on.";

int one_run(AgentOptions& options) {
  AgentRun run(options);
  if (!run.open_logs()) return exit_failure;
  const std::optional<int> status = run.run();
  if (!status) return exit_failure;
  return options.run.detailed_exitcodes ? *status : exit_success;
}

int permit(AgentOptions& options) {
  AgentRun run(options);
  if (!run.open_logs()) return exit_failure;
  const auto system = make_posix_system();
  if (options.enable) {
    run.say(LogLevel::Notice, "Enabling Puppet.");
    enable_runs(*system, options.settings());
  } else {
    run.say(LogLevel::Notice, "Disabling Puppet.");
    disable_runs(*system, options.settings(), options.disable_message.empty() ? "reason not specified" : options.disable_message);
  }
  return exit_success;
}

int print_fingerprint(AgentOptions& options) {
  const auto system = make_posix_system();
  const auto text = Certificates(options.settings(), *system, [](LogLevel, const std::string&) {}).fingerprint(options.digest);
  if (text) {
    fmt::print("{}\n", *text);
    return exit_success;
  }
  fmt::print(stderr, "Fingerprint asked but neither the certificate, nor the certificate request have been issued\n");
  return exit_failure;
}

int start(std::span<const std::string_view> words) {
  AgentOptions options;
  read_agent_options(options, words, usage);
  if (options.help) return exit_success;
  if (!options.operands.empty()) {
    fmt::print(stderr, "Error: Could not prepare for execution: The puppet agent command does not take parameters\n");
    return exit_failure;
  }
  if (options.fingerprint) return print_fingerprint(options);
  const bool background = options.settings().truth("daemonize");
  // As Puppet's agent: to the system's log, and to the console when --verbose, --debug or --test ask for that.
  if (options.run.logdest.empty()) options.run.logdest = options.run.verbose || options.run.debug ? "console,syslog" : "syslog";
  if (options.enable || options.disable) return permit(options);
  if (background) go_into_background();
  if (options.settings().truth("onetime")) return one_run(options);
  return run_daemon(options, [&] {
    // With the settings as they are now.
    const std::vector<std::string_view> same(options.words.begin(), options.words.end());
    AgentOptions now;
    read_agent_options(now, same, usage);
    if (now.run.logdest.empty()) now.run.logdest = options.run.logdest;
    return one_run(now);
  });
}

} // namespace

int agent_main(std::span<const std::string_view> words) {
  try {
    return start(words);
  } catch (const CompileError& e) { fmt::print(stderr, "Error: {}\n", e.diagnostic.puppet_text()); } catch (const UsageError& e) {
    fmt::print(stderr, "pupc: {}\n", e.message);
  } catch (const std::exception& e) { fmt::print(stderr, "Error: Could not run: {}\n", e.what()); }
  return exit_failure; // 2 would mean changes
}

} // namespace pupc::cli::agent
