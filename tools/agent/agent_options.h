#pragma once
// The options of `pupc agent` and `pupc ssl`: Puppet's settings from puppet.conf and the command line.
#include "tools/pupc/apply/apply_options.h"
#include "tools/pupc/options.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pupc::cli::agent {

struct AgentOptions {
  AgentOptions() { run.compile.configuration.set_mode(RunMode::Agent); }
  AgentOptions(const AgentOptions&) = delete;
  AgentOptions& operator=(const AgentOptions&) = delete;

  ApplyOptions run;
  bool enable = false, disable = false, fingerprint = false;
  std::string disable_message, digest = "SHA256", job_id;
  std::optional<int64_t> waitforcert; // seconds, of the command line
  std::vector<std::string> operands;
  bool help = false, version = false;
  std::vector<std::string> words; // as given, for a daemon that starts anew

  const PuppetSettings& settings() const { return run.compile.configuration; }
  std::string certname() const { return settings().value("certname"); }
};

/// Reads words, puppet.conf and defaults. `usage`: the first lines of --help. Throws UsageError and CompileError.
void read_agent_options(AgentOptions& options, std::span<const std::string_view> words, std::string_view usage);

/// A setting of the type Ttl or Duration in seconds; nothing: unlimited.
std::optional<int64_t> seconds_of(const PuppetSettings& settings, std::string_view name);

} // namespace pupc::cli::agent
