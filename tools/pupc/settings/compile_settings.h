#pragma once
// Options that all compiling commands share: where code and data are, which node, how strict.
#include "catalog/base/limits.h"
#include "compiler/build/compile.h"
#include "compiler/load/directory_environment.h"
#include "compiler/load/settings.h"
#include "compiler/ruby/worker/ruby_pool.h"
#include "tools/pupc/node/http_classifier.h"
#include "tools/pupc/options.h"

#include <memory>
#include <string>
#include <vector>

namespace pupc::cli {

struct CompileOptions {
  EnvironmentOptions environment;
  std::string environmentpath;
  std::string checkout;    // the directory that is the environment, whatever its name; empty = none
  std::string shown_below; // paths below it are told relative to it; empty: all are told whole
  std::vector<std::string> basemodulepath;
  PuppetSettings configuration{RunMode::Server};       // Puppet's settings from the command line, puppet.conf and defaults
  std::shared_ptr<const SettingValues> setting_values; // the values of `configuration`, for $settings::
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
  std::string classifier;    // program, YAML file, or a server (http_classifier.h)
  std::shared_ptr<HttpClassifier> http_classifier = std::make_shared<HttpClassifier>(); // keeps the server's answers
  std::string store; // file of exported resources; empty: what the settings storeconfigs and storeconfigs_backend say
  LogLevel log_level = LogLevel::Notice;
  bool log_level_given = false;
  bool as_puppet = false; // started as `puppet`: follow Puppet's places and rules even where pupc's differ
  unsigned jobs = 0;      // 0: not given
  RubyOptions ruby;
  ResourceLimits limits{std::chrono::minutes(10), size_t(4) << 30, size_t(1) << 30}; // of one compile, lookup or request
  bool explain_ruby = false;                                                         // print to stderr what needed Ruby
};

/// Option table entries that store their values in `into`. A command adds them to its own table.
std::vector<Option> compile_option_table(CompileOptions& into);

/// The level of that name. Throws UsageError.
LogLevel parse_log_level(std::string_view name);

/// Sets the level of --strict. Throws UsageError for an unknown level.
void set_strict(CompileOptions& options, std::string_view level);

/// Sets the main manifest from a word of the command line that belongs to no option: a file, a directory, or "-" for standard input.
/// Throws UsageError when an option has already set one or when it does not exist.
void take_source(CompileOptions& options, std::string_view source);

/// Uses the checkout of a control repository that the working directory is in, unless an option names other places. Code from the command
/// line then replaces its main manifest. Throws UsageError when there is no code to compile and the checkout belongs to another user, whose
/// code this user would run. Paths are told relative to the working directory where the options or the checkout are.
void take_checkout(CompileOptions& options);

/// Whether the options name something to compile.
bool has_source(const CompileOptions& options);

/// Reads standard input up to its end.
std::string read_standard_input();

/// Opens the environment that the options name; logs go to `log`. Throws CompileError.
std::shared_ptr<const Environment> open_environment(const CompileOptions& options, LogSink* log);

/// Fills `data` as a server without other information about the node would: the facts as given, clientcert, trusted data. `facts` is a Hash
/// or undef and lives in data.arena.
void set_node_data(NodeData& data, const std::string& name, Value facts, const std::string& environment);

/// Writes log lines to stderr in the form of Puppet's console ("Notice: Scope(Class[main]): x"), with colours on request.
class ConsoleLog : public LogSink {
public:
  /// `notices_to_output`: lines below a warning go to standard output, as with Puppet's console.
  ConsoleLog(LogLevel least, bool color, bool notices_to_output = false) : least_(least), color_(color), notices_(notices_to_output) {}
  void show_paths_below(std::string directory) { below_ = std::move(directory); }
  void log(LogEntry entry) override;
  bool shows(LogLevel level) const override { return level >= least_; }

private:
  LogLevel least_;
  bool color_, notices_;
  std::string below_; // CompileOptions::shown_below
};

/// Passes log lines to the console, except errors: the caller prints those in another form.
class WithoutErrors final : public LogSink {
public:
  explicit WithoutErrors(LogSink& to) : to_(to) {}
  void log(LogEntry entry) override {
    if (entry.level != LogLevel::Err) to_.log(std::move(entry));
  }
  bool shows(LogLevel level) const override { return level != LogLevel::Err && to_.shows(level); }

private:
  LogSink& to_;
};

/// "Notice", "Error", …: the word that starts a console line.
std::string_view console_word(LogLevel level);

} // namespace pupc::cli
