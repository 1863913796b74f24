#pragma once
// Commands of exec, scripts and guards: which user runs them, in which directory and environment.
#include "runtime/provider/provider.h"

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace pupc::runtime {

/// How many bytes of a command's output to keep, from its beginning and its end. A runaway command must not fill the memory.
constexpr size_t most_kept_output = size_t{1} << 20;

/// The settings of a command, from the resource's attributes cwd, environment, user, group, path, umask and timeout.
struct CommandSettings {
  std::string cwd, user, group;
  std::vector<std::string> path;
  std::vector<std::pair<std::string, std::string>> environment;
  std::optional<uint32_t> umask;
  double timeout = 300; // seconds; 0 = none

  struct Warning {
    std::string text;
    std::string empty; // the name of a variable without a value, which is told once in a run
  };
  std::vector<Warning> warnings; // about `environment`, told whenever the command is run
};

/// Reads the attributes that the resource sets. Throws ResourceError with Puppet's message for invalid values.
CommandSettings read_command_settings(const ManagedResource& resource);
/// Tells the warnings about the resource's `environment`. `told` has the variables without a value that were told before.
void tell_warnings(const ManagedResource& resource, const CommandSettings& settings, std::set<std::string>& told, RunContext& run);
/// Parses an octal mask such as "0" or "022". Throws ResourceError.
uint32_t parse_umask(std::string_view text);

/// Copies the settings into a command. Throws ResourceError when the user, group or directory does not exist.
void prepare_command(Command& command, const CommandSettings& settings, RunContext& run);

/// Parses a number of seconds; nothing for a text that is no number. "inf" and "nan" are no numbers here.
std::optional<double> parse_seconds(const std::string& text);
/// Converts seconds for the System. Returns 0, which means no timeout, for 0 and for times longer than any machine runs.
std::chrono::milliseconds to_milliseconds(double seconds);

/// The part of prepare_command that does not set the user and group.
void prepare_surroundings(Command& command, const CommandSettings& settings, RunContext& run);
/// Sets the user and group of the settings. Returns "group" or "user" when there is none of that name or number, which is no error of the
/// resource yet.
std::string_view find_identity(Command& command, const CommandSettings& settings, RunContext& run);
/// The part of prepare_command that sets the user and group. Throws ResourceError when one does not exist.
void prepare_identity(Command& command, const CommandSettings& settings, RunContext& run);

/// The program of a command line: its first word, without quotes.
std::string choose_function(std::string_view command);
/// Throws ResourceError with Puppet's message when the program cannot be run: "Could not find command 'x'", "'/x' is not executable", …
void check_program(const std::string& program, const CommandSettings& settings, RunContext& run);

} // namespace pupc::runtime
