#pragma once
// Commands as exec, scripts and guards give them: who runs them, where, with what around them.
#include "runtime/provider/provider.h"

#include <optional>
#include <string>
#include <vector>

namespace pupc {

/// How much of a command's output is kept, of its beginning and its end: who runs away must not take the machine's memory.
constexpr size_t most_kept_output = size_t{1} << 20;

/// What surrounds a command; from the attributes cwd, environment, user, group, path, umask, timeout of a resource.
struct CommandSettings {
  std::string cwd, user, group;
  std::vector<std::string> path;
  std::vector<std::pair<std::string, std::string>> environment;
  std::optional<uint32_t> umask;
  double timeout = 300; // seconds; 0 = none
};

/// Reads the attributes that are there. Throws ResourceError in Puppet's words for unusable ones; warns about odd environment
/// settings.
CommandSettings read_command_settings(const ManagedResource& resource, RunContext& run);
/// "0", "022" -> mask. Throws ResourceError.
uint32_t parse_umask(std::string_view text);

/// Fills in user, group, directory, PATH, environment and timeout. Throws ResourceError naming a user, group or directory that is missing.
void prepare_command(Command& command, const CommandSettings& settings, RunContext& run);

/// A time in seconds as a text; nothing for a text that is no number. "inf" and "nan" are none.
std::optional<double> parse_seconds(const std::string& text);
/// The same as the System takes it; 0 for 0 and for longer than any machine runs.
std::chrono::milliseconds to_milliseconds(double seconds);

/// The part of it that says who runs the command.
void prepare_identity(Command& command, const CommandSettings& settings, RunContext& run);

/// The program of a command line: its first word, quotes taken off.
std::string program_of(std::string_view command);
/// Throws ResourceError in Puppet's words when the program cannot be run: "Could not find command 'x'", "'/x' is not executable", …
void check_program(const std::string& program, const CommandSettings& settings, RunContext& run);

} // namespace pupc
