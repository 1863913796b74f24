#pragma once
// Puppet's settings: the table of all settings, and their values in one run, from the command line, puppet.conf and defaults.
#include "catalog/value/value.h"

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pupc::catalog {
class Arena;
} // namespace pupc::catalog
namespace pupc::compiler {

enum class SettingType : uint8_t {
  String,
  File, // becomes an absolute path
  Path, // a colon-separated list of directories
  Boolean,
  Integer,
  Port,
  Terminus,
  Duration, // "30m" and so on; the value is in seconds
  Ttl,      // the same, or "unlimited"
  Array,    // separated by commas
  Enum,
  Priority,
  Autosign,   // true, false or a file
  ServerList, // an array of [name, port]
  HeaderList, // an array of [name, value]
  Revocation, // chain, leaf or false
  Alias       // the default names another setting, of which this is an alias
};

enum class SettingState : uint8_t { Obeyed, NoMeaning, Refused };

struct SettingInfo {
  std::string_view name;
  SettingType type;
  const char* fallback; // null: no value
  std::string_view section;
  SettingState state;
};

/// All settings, in Puppet's order.
std::span<const SettingInfo> all_settings();
/// The setting of that name; `-` counts as `_`. Null when there is none.
const SettingInfo* find_setting(std::string_view name);

enum class RunMode : uint8_t { User, Agent, Server };
std::string_view name_of(RunMode mode);
/// "user", "agent", "server" or "master".
std::optional<RunMode> parse_run_mode(std::string_view name);

/// The values of one run. A value comes from the first of these that has one: the command line, the environment's own configuration, the
/// section of the run mode in puppet.conf, its [main], the program's defaults, the table. Texts are kept as given; `$name` and `${name}`
/// are replaced when a value is read.
class PuppetSettings {
public:
  explicit PuppetSettings(RunMode mode = RunMode::Server);

  RunMode mode() const { return mode_; }
  void set_mode(RunMode mode) { mode_ = mode; }
  /// Reads values from this section of puppet.conf, whatever the mode; the section's name becomes $run_mode.
  void set_section(std::string section) { section_ = std::move(section); }

  /// Sets a value from the command line. Throws CompileError for an unknown name or an invalid value.
  void set(std::string_view name, std::string_view value);
  /// Sets a default of the program, which puppet.conf can override.
  void set_default(std::string_view name, std::string value);
  /// Sets a value from the environment's configuration.
  void set_of_environment(std::string_view name, std::string value);
  /// Reads puppet.conf. Throws CompileError with the line of a mistake.
  void read_file(const std::string& file);
  /// The same from a text.
  void read_text(std::string_view text, const std::string& file);

  /// The file to read when none is named: in confdir.
  std::string usual_file() const;
  /// The file that read_file read; "" when none was read.
  const std::string& file() const { return file_; }

  /// Whether the command line or puppet.conf sets it.
  bool given(std::string_view name) const;
  bool given_on_command_line(std::string_view name) const { return command_line_.contains(name); }

  /// The value as text, with other settings in it replaced and paths made absolute; nothing when it has none. Throws CompileError for a
  /// value that refers to itself or to an unknown name, or that is not of the setting's type.
  std::optional<std::string> text(std::string_view name) const;
  /// The same; "" when it has no value.
  std::string value(std::string_view name) const { return text(name).value_or(std::string()); }
  /// The value of a Boolean setting.
  bool truth(std::string_view name) const { return value(name) == "true"; }
  /// The directories of a Path setting.
  /// The parts of a list, as in disable_warnings.
  std::vector<std::string> list_of(std::string_view name) const;
  int64_t integer_of(std::string_view name) const;
  std::vector<std::string> directories(std::string_view name) const;
  /// The value with its type, as the language sees it (`$settings::name`).
  Value typed(std::string_view name, Arena& arena) const;
  /// The value as `puppet config print` shows it.
  std::string printed(std::string_view name) const;

  /// The first setting, in table order, with the state Refused and another value than its default. Null when there is none.
  const SettingInfo* refused() const;
  /// The settings with this state that were given, in table order.
  std::vector<const SettingInfo*> given_with(SettingState state) const;
  /// Names in puppet.conf that are not settings: their only use is as `$name` in that file.
  std::vector<std::string> unknown() const;

private:
  using Texts = std::map<std::string, std::string, std::less<>>;
  const std::string* raw(std::string_view name) const;
  /// `depth` counts the settings that refer to one another on the way here.
  std::optional<std::string> raw_or_fallback(const SettingInfo& setting, int depth) const;
  std::optional<std::string> converted(std::string_view name, int depth) const;
  std::optional<std::string> interpolated(std::string_view name, int depth) const;

  RunMode mode_;
  std::string section_; // "" = the section of the run mode
  Texts command_line_, environment_, defaults_;
  std::map<std::string, Texts, std::less<>> sections_; // the sections of the file
  std::string file_;
};

/// The settings that a compile shows in the namespace `settings`. Made once and shared by all compiles. A value is computed when it is
/// first read.
class SettingValues {
public:
  explicit SettingValues(PuppetSettings settings);
  ~SettingValues();
  /// Null when there is no such setting.
  const Value* find(std::string_view name) const;
  bool given(std::string_view name) const;
  /// All values in table order, parallel to all_settings().
  std::span<const Value> all() const;

private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The values without any configuration.
const SettingValues& default_setting_values();

} // namespace pupc::compiler
