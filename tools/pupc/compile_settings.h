#pragma once
// Options that every command shares which compiles: where code and data are, which node, how strict.
#include "catalog/base/limits.h"
#include "compiler/build/compile.h"
#include "compiler/load/directory_environment.h"
#include "compiler/load/settings.h"
#include "compiler/ruby/ruby_pool.h"
#include "tools/pupc/options.h"

#include <memory>
#include <string>
#include <vector>

namespace pupc {

struct CompileOptions {
  EnvironmentOptions environment;
  std::string environmentpath;
  std::vector<std::string> basemodulepath;
  PuppetSettings configuration{RunMode::Server};       // Puppet's settings: of the command line, puppet.conf and defaults
  std::shared_ptr<const SettingValues> setting_values; // of it, for $settings::
  bool strict_given = false, strict_variables_given = false;
  bool environment_named = false;
  CompileSettings settings;
  std::string node;
  std::string certname;       // the node's name when neither the command line nor the facts have one
  std::string node_name_fact; // the fact whose value is the node's name; empty = none
  DefaultManifest default_manifest;
  std::string facts_file;
  std::string trusted_file;
  std::string server_facts_file;
  bool legacy_facts = false; // derive the flat names from structured facts
  std::string classifier;    // program or YAML file
  std::string store;         // file of exported resources; empty = storeconfigs is off
  LogLevel log_level = LogLevel::Notice;
  bool log_level_given = false;
  bool as_puppet = false; // started as `puppet`: Puppet's own places and rules where pupc has better ones
  unsigned jobs = 0;      // 0: not given
  RubyOptions ruby;
  ResourceLimits limits{std::chrono::minutes(10), size_t(4) << 30}; // of one compile, lookup or request
  bool explain_ruby = false;                                        // print to stderr what needed Ruby
};

/// The options for `into`, to be put into a command's table.
std::vector<Option> compile_option_table(CompileOptions& into);

/// The level of that name. Throws UsageError.
LogLevel parse_log_level(std::string_view name);

/// Sets --strict. Throws UsageError for what is no level.
void set_strict(CompileOptions& options, std::string_view level);

/// Takes the manifest that stands on the command line by itself: a file, a directory, or "-" for standard input.
/// Throws UsageError when an option has named one already or when it does not exist.
void take_source(CompileOptions& options, std::string_view source);

/// What comes on standard input, until its end.
std::string read_standard_input();

/// Opens the environment that the options name; logs go to `log`. Throws CompileError.
std::shared_ptr<const Environment> open_environment(const CompileOptions& options, LogSink* log);

/// Data of a node as a server without further knowledge has it: its facts as given, clientcert, trusted data. `facts` is a Hash or undef
/// and lives in data.arena.
void set_node_data(NodeData& data, const std::string& name, Value facts, const std::string& environment);

/// Writes log lines to stderr as Puppet's console does ("Notice: Scope(Class[main]): x"), colour when asked.
class ConsoleLog : public LogSink {
public:
  /// `notices_to_output`: what is below a warning goes to standard output, as Puppet's console does.
  ConsoleLog(LogLevel least, bool color, bool notices_to_output = false) : least_(least), color_(color), notices_(notices_to_output) {}
  void log(LogEntry entry) override;

private:
  LogLevel least_;
  bool color_, notices_;
};

/// "Notice", "Error", …: the word that starts a console line.
std::string_view console_word(LogLevel level);

} // namespace pupc
