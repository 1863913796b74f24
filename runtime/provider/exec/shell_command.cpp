#include "runtime/provider/exec/shell_command.h"

#include "catalog/schema/attribute_values.h"
#include "catalog/value/inspect.h"
#include "runtime/provider/property_handler.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace pupc::runtime {
namespace {

/// The id when a user or group is given as a number; nothing for a name, and for a number that no account can have.
std::optional<uint32_t> account_number(std::string_view s) {
  uint32_t number = 0;
  const auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), number);
  if (error != std::errc() || end != s.data() + s.size() || number == std::numeric_limits<uint32_t>::max()) return std::nullopt;
  return number;
}

bool word_char(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; }

} // namespace

std::optional<double> parse_seconds(const std::string& text) {
  char* end = nullptr;
  const double seconds = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0' || std::isnan(seconds) || text.find_first_of("iI") != std::string::npos) return std::nullopt;
  return seconds;
}

std::chrono::milliseconds to_milliseconds(double seconds) {
  constexpr double most = 1e9; // thirty years; a clock in nanoseconds overflows after 292 years
  if (!(seconds > 0) || seconds > most) return std::chrono::milliseconds(0);
  return std::chrono::milliseconds(std::max<int64_t>(1, static_cast<int64_t>(seconds * 1000)));
}

/// Octal digits in a text: a number, of which nobody knows any more how it was written, is refused as in Puppet.
uint32_t umask_of(const Value& value) {
  if (!value.is_string() || !catalog::octal_file_mode(value.str()))
    throw ResourceError(fmt::format("The umask specification is invalid: {}", inspected_text(value)));
  return static_cast<uint32_t>(std::stoul(std::string(value.str()), nullptr, 8));
}

CommandSettings read_command_settings(const ManagedResource& r) {
  CommandSettings s;
  s.cwd = r.text("cwd");
  s.user = r.text("user");
  s.group = r.text("group");
  for (const std::string& entry : r.texts("path")) {
    size_t at = 0;
    while (at <= entry.size()) {
      size_t end = std::min(entry.find(':', at), entry.size());
      if (end > at) s.path.push_back(entry.substr(at, end - at));
      at = end + 1;
    }
  }
  if (r.has("umask")) try {
      s.umask = umask_of(r.get("umask"));
    } catch (const ResourceError& e) { throw ResourceError(fmt::format("Parameter umask failed on {}: {}", r.reference(), e.what())); }
  if (r.has("timeout")) {
    std::string text = r.texts("timeout").empty() ? "" : r.texts("timeout").front();
    const auto seconds = parse_seconds(text);
    if (!seconds)
      throw ResourceError(
          fmt::format("Parameter timeout failed on {}: Munging failed for value \"{}\" in class timeout: The timeout must be a number.",
                      r.reference(), text));
    s.timeout = std::max(0.0, *seconds);
  }
  const bool secret = r.sensitive("environment");
  auto add = [&](std::string_view name, std::string_view value) {
    const auto have = std::find_if(s.environment.begin(), s.environment.end(), [&](const auto& e) { return e.first == name; });
    if ((have != s.environment.end() || (name == "PATH" && r.has("path"))) && !secret)
      s.warnings.push_back({fmt::format("Overriding environment setting '{}' with '{}'", name, value), {}});
    if (value.empty()) s.warnings.push_back({fmt::format("Empty environment setting '{}'", name), std::string(name)});
    if (have != s.environment.end())
      have->second = value;
    else
      s.environment.emplace_back(name, value);
  };
  Value environment = r.get("environment");
  if (environment.is_hash()) {
    for (const HashEntry& e : environment.hash->entries()) add(value_text(e.key), value_text(e.value));
  } else {
    for (const std::string& setting : r.texts("environment")) {
      // Puppet accepts a setting that has a word before an equals sign anywhere, and takes the one with which a line begins.
      bool good = false;
      size_t name = std::string::npos, equals = 0;
      for (size_t at = 0, begin = 0, word = 0; at < setting.size() && name == std::string::npos; ++at) {
        if (setting[at] == '=' && at > word) {
          good = true;
          if (word == begin) name = begin, equals = at;
        }
        if (!word_char(setting[at])) word = at + 1;
        if (setting[at] == '\n') begin = at + 1;
      }
      if (!good)
        throw ResourceError(fmt::format("Parameter environment failed on {}: Invalid environment setting '{}'", r.reference(),
                                        secret ? "[redacted]" : setting));
      if (name == std::string::npos) {
        s.warnings.push_back({fmt::format("Cannot understand environment setting {}", secret ? "[redacted]" : inspected(setting)), {}});
        continue;
      }
      add(std::string_view(setting).substr(name, equals - name), std::string_view(setting).substr(equals + 1));
    }
  }
  return s;
}

void tell_warnings(const ManagedResource& r, const CommandSettings& s, std::set<std::string>& told, RunContext& run) {
  for (const CommandSettings::Warning& w : s.warnings)
    if (w.empty.empty()) // said by the provider
      run.log_from(LogLevel::Warning, fmt::format("{}(provider={})", r.reference(), r.text("provider", "posix")), w.text, &r);
    else if (told.insert(w.empty).second)
      run.log(LogLevel::Warning, w.text + "\n  " + (place_suffix(r).empty() ? " (file & line not available)" : place_suffix(r)));
}

std::string_view find_identity(Command& command, const CommandSettings& s, RunContext& run) {
  // A numeric id needs an account as well: the account gives the primary group.
  if (!s.group.empty()) {
    const auto number = account_number(s.group);
    const auto group = number ? run.system.group_by_id(*number) : run.system.group_by_name(s.group);
    if (!group) return "group";
    command.gid = group->gid;
  }
  if (!s.user.empty()) {
    const auto number = account_number(s.user);
    const auto user = number ? run.system.user_by_id(*number) : run.system.user_by_name(s.user);
    if (!user) return "user";
    command.uid = user->uid;
    if (s.group.empty()) command.gid = user->gid;
  }
  return {};
}

void prepare_identity(Command& command, const CommandSettings& s, RunContext& run) {
  if (const std::string_view missing = find_identity(command, s, run); !missing.empty())
    throw ResourceError(fmt::format("Could not find {} {}", missing, missing == "user" ? s.user : s.group));
}

void prepare_surroundings(Command& command, const CommandSettings& s, RunContext& run) {
  if (!s.cwd.empty()) {
    auto status = run.system.stat(s.cwd);
    if (!status || status->type != FileType::Directory) throw ResourceError(fmt::format("Working directory {} does not exist!", s.cwd));
  }
  command.directory = s.cwd;
  if (!s.path.empty()) command.path = s.path;
  command.unset = {"HOME", "USER", "LOGNAME"}; // as in Puppet: a command does not inherit these from the caller
  command.environment = s.environment;
  command.umask = s.umask;
  command.timeout = to_milliseconds(s.timeout);
  command.most_output = most_kept_output;
}

void prepare_command(Command& command, const CommandSettings& s, RunContext& run) {
  prepare_surroundings(command, s, run);
  prepare_identity(command, s, run);
}

std::string choose_function(std::string_view command) {
  for (char quote : {'"', '\''})
    if (command.size() > 2 && command[0] == quote)
      if (size_t end = command.find(quote, 1); end != std::string_view::npos && end > 1) return std::string(command.substr(1, end - 1));
  size_t start = command.find_first_not_of(' ');
  if (start == std::string_view::npos || start > 0) return ""; // Ruby's split gives an empty first word here
  return std::string(command.substr(0, command.find(' ')));
}

void check_program(const std::string& program, const CommandSettings& s, RunContext& run) {
  if (program.starts_with('/')) {
    auto status = run.system.stat(program);
    if (!status) throw ResourceError(fmt::format("Could not find command '{}'", program));
    if (status->type != FileType::File)
      throw ResourceError(
          fmt::format("'{}' is a {}, not a file", program, status->type == FileType::Directory ? "directory" : "special file"));
    if (!run.system.executable(program)) throw ResourceError(fmt::format("'{}' is not executable", program));
    return;
  }
  if (!s.path.empty() && run.system.which(program, &s.path)) return;
  throw ResourceError(fmt::format("Could not find command '{}'", program));
}

} // namespace pupc::runtime
