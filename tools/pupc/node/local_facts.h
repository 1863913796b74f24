#pragma once
// Collects the facts of this machine, for all commands that need them.
#include "runtime/facts/collect.h"
#include "runtime/ruby/ruby_answers.h"
#include "runtime/sys/system.h"
#include "tools/pupc/settings/compile_settings.h"

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace pupc::catalog {
class JsonWriter;
class RubyWorker;
} // namespace pupc::catalog
namespace pupc::cli {

struct LocalFactsOptions {
  bool external = true;
  std::vector<std::string> external_directories; // empty = the usual ones
  std::vector<std::string> more_external;        // those of modules and settings, which come after the others
  std::vector<std::string> custom_directories;   // of facts written in Ruby, in the order in which they are loaded
  std::vector<std::string> libraries;            // lib directories of modules, for `require`
  bool ruby = true;                              // whether to evaluate facts written in Ruby
  std::string ruby_program = "ruby";
  std::chrono::seconds fact_limit{60};           // for one fact written in Ruby that names no timeout
  std::string agent_environment;                 // the fact agent_specified_environment; empty: there is none
  bool puppet_version = false;                   // whether to add the fact puppetversion, as Puppet does
  bool problems = true;                          // whether to tell of external facts and facts in Ruby that fail
  SettingReader setting;                         // Puppet's settings, for facts in Ruby
  std::function<bool()> stopped;                 // whether the user has asked to stop; may be empty
  std::unique_ptr<RubyWorker>* worker = nullptr; // gets the Ruby process that resolved facts, which a run goes on with
};

/// The options for a command that compiles or applies: facts of the environment's modules (lib/facter, plugins/facter, facts.d), of
/// FACTERLIB and of the settings factpath and pluginfactdest. `environment` is the one that the options name: a classifier, which needs the
/// facts, may choose another one.
LocalFactsOptions local_facts_options(const CompileOptions& options, const Environment& environment);

/// This machine's facts for a command that looks up or compiles as Puppet does, in the order of Puppet.
Value local_facts_as_puppet(const CompileOptions& options, const Environment& environment, Arena& into);

/// Reads the settings of a command for Ruby code.
SettingReader setting_reader(const CompileOptions& options);

/// Collects the facts. Logs problems with external facts to standard error in Puppet's form.
Facts collect_local_facts(System& system, const LocalFactsOptions& options, std::vector<FactTiming>* timings = nullptr);

} // namespace pupc::cli
