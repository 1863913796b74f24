#pragma once
// Puppet's settings: the table of all of them, and their values in one run from the command line, puppet.conf and defaults.
#include "catalog/value/value.h"

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pupc {

class Arena;

enum class SettingType : uint8_t {
  String,
  File, // an absolute path is made of it
  Path, // a colon-separated list of such
  Boolean,
  Integer,
  Port,
  Terminus,
  Duration, // "30m", in seconds
  Ttl,      // the same, or "unlimited"
  Array,    // separated by commas
  Enum,
  Priority,
  Autosign,   // true, false or a file
  ServerList, // an array of [name, port]
  HeaderList, // an array of [name, value]
  Revocation, // chain, leaf or false
  Alias       // another name of the setting in its default
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
/// The setting of that name, `-` counting as `_`; null when there is none.
const SettingInfo* find_setting(std::string_view name);
/// The setting whose name is most like `name`; "" when none is.
std::string_view nearest_setting(std::string_view name);

enum class RunMode : uint8_t { User, Agent, Server };
std::string_view name_of(RunMode mode);
/// "user", "agent", "server" or "master".
std::optional<RunMode> parse_run_mode(std::string_view name);

/// The values of one run. A value comes from the first of these that has one: the command line, the environment's own configuration,
/// the section of the run mode in puppet.conf, its [main], the program's defaults, the table. Texts are kept as they were given; `$name`
/// and
/// `${name}` are put in when a value is asked for.
class PuppetSettings {
public:
  explicit PuppetSettings(RunMode mode = RunMode::Server);

  RunMode mode() const { return mode_; }
  void set_mode(RunMode mode) { mode_ = mode; }
  /// Takes values from this section of puppet.conf, whatever the mode; $run_mode is its name.
  void set_section(std::string section) { section_ = std::move(section); }

  /// Gives a setting on the command line. Throws CompileError for a name or value that cannot be.
  void set(std::string_view name, std::string_view value);
  /// What the program decides below puppet.conf.
  void set_default(std::string_view name, std::string value);
  /// What the environment's configuration says.
  void set_of_environment(std::string_view name, std::string value);
  /// Reads puppet.conf. Throws CompileError with the line.
  void read_file(const std::string& file);
  /// The same from a text.
  void read_text(std::string_view text, const std::string& file);

  /// The file that is read without being named: in confdir.
  std::string usual_file() const;
  /// The file that was read; "" when none was.
  const std::string& file() const { return file_; }

  /// Whether the command line or puppet.conf gives it.
  bool given(std::string_view name) const;
  bool given_on_command_line(std::string_view name) const { return command_line_.contains(name); }

  /// The value as text, others put in, paths absolute; nothing when it has none. Throws CompileError for a value that refers to itself or
  /// to what is not known, or is not of the setting's type.
  std::optional<std::string> text(std::string_view name) const;
  /// As text; "" when it has none.
  std::string value(std::string_view name) const { return text(name).value_or(std::string()); }
  /// Of a Boolean setting.
  bool truth(std::string_view name) const { return value(name) == "true"; }
  /// Directories of a Path setting.
  std::vector<std::string> directories(std::string_view name) const;
  /// As the language sees it (`$settings::name`): with its type.
  Value typed(std::string_view name, Arena& arena) const;
  /// As `puppet config print` shows it.
  std::string printed(std::string_view name) const;

  /// The first given setting in table order that is refused: another value than its default is given. Null when there is none.
  const SettingInfo* refused() const;
  /// Given settings in table order whose state is `state`.
  std::vector<const SettingInfo*> given_with(SettingState state) const;
  /// Names given in puppet.conf that are no settings: they can be used as `$name` there and nothing else.
  std::vector<std::string> unknown() const;

private:
  using Texts = std::map<std::string, std::string, std::less<>>;
  const std::string* raw(std::string_view name) const;
  std::optional<std::string> raw_or_fallback(const SettingInfo& setting) const;
  std::optional<std::string> interpolated(std::string_view name, int depth) const;

  RunMode mode_;
  std::string section_; // "": the mode's
  Texts command_line_, environment_, defaults_;
  std::map<std::string, Texts, std::less<>> sections_; // of the file
  std::string file_;
};

/// The settings as a compile shows them in the namespace `settings`. Made once and shared by all compiles; values are found when first
/// asked for.
class SettingValues {
public:
  explicit SettingValues(PuppetSettings settings);
  ~SettingValues();
  /// Null when there is no such setting.
  const Value* find(std::string_view name) const;
  bool given(std::string_view name) const;
  /// In table order, parallel to all_settings().
  std::span<const Value> all() const;

private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Values without any configuration.
const SettingValues& default_setting_values();

} // namespace pupc
