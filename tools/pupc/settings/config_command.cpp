// pupc config: shows Puppet's settings, and sets and deletes them in puppet.conf.
#include "catalog/base/paths.h"
#include "catalog/base/text.h"
#include "compiler/load/directory_environment.h"
#include "runtime/sys/posix_system.h"
#include "tools/pupc/command.h"
#include "tools/pupc/options.h"
#include "tools/pupc/settings/compile_settings.h"
#include "tools/pupc/validate/source_files.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <set>

namespace pupc::cli {
namespace {

constexpr std::string_view config_usage = R"(Usage: pupc config print [NAME...] [options]
       pupc config set NAME VALUE [options]
       pupc config delete NAME [options]

Shows Puppet's settings, or changes them in puppet.conf. Every setting can be given as --NAME VALUE too.)";

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> out;
  for (size_t begin = 0; begin < text.size();) {
    size_t end = std::min(text.find('\n', begin), text.size());
    out.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return out;
}

/// The lines of puppet.conf. Changing one line leaves all others as they are.
class ConfLines {
public:
  explicit ConfLines(std::vector<std::string> lines) : lines_(std::move(lines)) {}

  void set(const std::string& section, const std::string& name, const std::string& value) {
    if (const size_t at = find(section, name); at < lines_.size()) {
      const std::string& line = lines_[at];
      size_t begin = line.find_first_not_of(" \t", line.find('=') + 1);
      lines_[at] = line.substr(0, std::min(begin, line.size())) + value;
      return;
    }
    const std::string line = name + " = " + value;
    size_t after = lines_.size();
    bool known = section == "main" && std::none_of(lines_.begin(), lines_.end(), [](const auto& l) { return heading(l) == "main"; });
    if (known) { // lines before the first heading also belong to [main]
      lines_.insert(lines_.begin(), {"[main]", line});
      return;
    }
    std::string current = "main";
    for (size_t i = 0; i < lines_.size(); ++i) {
      if (const std::string h = heading(lines_[i]); !h.empty()) current = h;
      if (current == section && (heading(lines_[i]) == section || !name_of_setting(lines_[i]).empty())) after = i + 1;
      if (current == section) known = true;
    }
    if (!known) {
      lines_.push_back("[" + section + "]");
      after = lines_.size();
    }
    lines_.insert(lines_.begin() + static_cast<ptrdiff_t>(after), line);
  }

  /// Removes the line of a setting. Returns that line, or "" when there was none.
  std::string remove(const std::string& section, const std::string& name) {
    const size_t at = find(section, name);
    if (at >= lines_.size()) return {};
    std::string line(trimmed(lines_[at]));
    lines_.erase(lines_.begin() + static_cast<ptrdiff_t>(at));
    return line;
  }

  std::string text() const {
    std::string out;
    for (const std::string& line : lines_) out += line + "\n";
    return out;
  }

private:
  static std::string heading(std::string_view line) {
    const std::string_view s = trimmed(line);
    return s.size() > 2 && s.front() == '[' && s.back() == ']' ? std::string(s.substr(1, s.size() - 2)) : std::string();
  }
  static std::string name_of_setting(std::string_view line) {
    const std::string_view s = trimmed(line);
    const size_t equals = s.find('=');
    return s.empty() || s[0] == '#' || equals == std::string::npos ? std::string() : std::string(trimmed(s.substr(0, equals)));
  }
  size_t find(const std::string& section, const std::string& name) const {
    std::string current = "main";
    for (size_t i = 0; i < lines_.size(); ++i) {
      if (const std::string h = heading(lines_[i]); !h.empty())
        current = h;
      else if (current == section && name_of_setting(lines_[i]) == name)
        return i;
    }
    return lines_.size();
  }
  std::vector<std::string> lines_;
};

/// The text of the configuration. Throws SystemError when it cannot be read: what is not read would be lost by writing it.
std::string text_of(const std::string& path) {
  if (auto text = read_whole_file(path)) return std::move(*text);
  throw SystemError(errno, path);
}

/// Replaces the configuration, or makes it, readable for all like the file that Puppet makes. As in Puppet, an existing file keeps its
/// owner and mode, and the target of a link is replaced. Throws SystemError.
void replace_configuration(const std::string& path, bool there, const std::string& text) {
  const auto system = make_posix_system();
  if (there) return replace_source(*system, path, text);
  std::error_code failed;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), failed);
  system->write_file(path, text, 0644, std::nullopt, std::nullopt);
}

std::string joined_path(const std::vector<std::string>& directories) { return fmt::format("{}", fmt::join(directories, ":")); }

/// Takes settings from the environment's own configuration. As in Puppet, a `production` that has no directory is there all the same, with
/// the directories of basemodulepath that exist; any other environment that does not exist sets nothing. Returns what the setting
/// `manifest` shows where nothing sets it.
std::string_view take_environment(PuppetSettings& conf) {
  const std::string name = conf.value("environment");
  std::vector<std::string> base = conf.directories("basemodulepath");
  try {
    const EnvironmentOptions found = directory_environment(conf.value("environmentpath"), name, base, nullptr);
    conf.set_of_environment("modulepath", joined_path(found.modulepath));
    conf.set_of_environment("manifest", found.manifest);
    if (!found.config_version.empty()) conf.set_of_environment("config_version", found.config_version);
    return {};
  } catch (const CompileError&) {
    if (name != "production") return {};
    std::erase_if(base, [](const std::string& directory) { return !is_directory(directory); });
    conf.set_of_environment("modulepath", joined_path(base));
    return "no_manifest";
  }
}

int print(PuppetSettings& conf, std::span<const std::string_view> names) {
  const std::string_view no_manifest = take_environment(conf);
  std::set<std::string> wanted(names.begin(), names.end());
  if (wanted.empty() || (wanted.size() == 1 && *wanted.begin() == "all")) {
    wanted = {"name"};
    for (const SettingInfo& s : all_settings()) wanted.emplace(s.name);
  }
  for (const std::string& name : wanted) {
    std::string value = name == "name" ? "config" : find_setting(name) == nullptr ? std::string() : conf.printed(name);
    if (name == "manifest" && value.empty()) value = no_manifest;
    if (wanted.size() > 1)
      fmt::print("{} = {}\n", name, value);
    else
      fmt::print("{}\n", value);
  }
  return exit_success;
}

} // namespace

int config_command(std::span<const std::string_view> words) {
  PuppetSettings conf(RunMode::User);
  std::string section = "main";
  bool help = false;
  const auto rest =
      Options(config_usage,
              {{"--section", "SECTION", "of puppet.conf: main (default), server, agent or user", [&](std::string_view v) { section = v; }},
               {"--verbose -v", "", "accepted, and changes nothing", [](std::string_view) {}},
               {"--debug -d", "", "accepted, and changes nothing", [](std::string_view) {}},
               {"--render-as", "FORMAT", "accepted, and changes nothing", [](std::string_view) {}}},
              &conf)
          .parse(words, help);
  if (help) return exit_success;
  if (rest.empty()) throw UsageError{"config: say print, set or delete"};
  const std::string_view action = rest[0];
  const auto operands = std::span(rest).subspan(1);
  try {
    const std::string file = conf.usual_file();
    std::error_code ignored;
    const bool there = std::filesystem::exists(file, ignored);
    conf.set_section(section);
    if (there && action == "print") conf.read_file(file);
    if (action == "print") return print(conf, operands);
    if (action == "set") {
      if (operands.size() != 2) throw UsageError{"config set needs a NAME and a VALUE"};
      const std::string name(operands[0]), value(operands[1]);
      if (find_setting(name) != nullptr) { // check the value of a known setting
        PuppetSettings check;
        check.set(name, value);
        static_cast<void>(check.text(name));
      }
      ConfLines lines(lines_of(there ? text_of(file) : std::string()));
      lines.set(section == "master" ? "server" : section, name, value);
      replace_configuration(file, there, lines.text());
      return exit_success;
    }
    if (action == "delete") {
      if (operands.size() != 1) throw UsageError{"config delete needs a NAME"};
      const std::string name(operands[0]);
      if (!there) {
        fmt::print(stderr, "Warning: The puppet.conf file does not exist {}\n", file);
        return exit_success;
      }
      ConfLines lines(lines_of(text_of(file)));
      const std::string line = lines.remove(section, name);
      if (line.empty()) {
        fmt::print(stderr, "Warning: No setting found in configuration file for section '{}' setting name '{}'\n", section, name);
        return exit_success;
      }
      replace_configuration(file, there, lines.text());
      fmt::print("Deleted setting from '{}': '{}'\n", section, line);
      return exit_success;
    }
  } catch (const CompileError& e) {
    fmt::print(stderr, "Error: {}\n", e.diagnostic.puppet_text());
    return exit_failure;
  } catch (const SystemError& e) {
    fmt::print(stderr, "Error: Could not change {}: {}\n", e.path, system_error_text(e.error));
    return exit_failure;
  }
  throw UsageError{fmt::format("config: '{}' is none of print, set, delete", action)};
}

} // namespace pupc::cli
