#include "runtime/facts/external.h"

#include "catalog/base/split_text.h"
#include "catalog/base/text.h"
#include "catalog/json/json_reader.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <set>

namespace pupc::runtime {
namespace {

std::string extension(const std::string& path) {
  const std::string name = path.substr(path.rfind('/') + 1);
  const size_t dot = name.rfind('.');
  return dot == std::string::npos || dot == 0 ? "" : ascii_lower(name.substr(dot + 1));
}

FactMap key_value_lines(std::string_view text) {
  FactMap out;
  for (std::string& line : catalog::split_text(text, '\n')) {
    if (line.ends_with('\r')) line.pop_back();
    const size_t equals = line.find('=', 1); // from 1: a name must not be empty
    if (equals == std::string::npos || equals + 1 >= line.size()) continue;
    const FactValue value(line.substr(equals + 1));
    const std::string name = line.substr(0, equals);
    auto same = std::find_if(out.begin(), out.end(), [&](const auto& e) { return e.first == name; });
    if (same != out.end())
      same->second = value;
    else
      out.emplace_back(name, value);
  }
  return out;
}

class Loader {
public:
  Loader(FactSources& from, Facts& facts, const ExternalOptions& options) : from_(from), facts_(facts), options_(options) {}

  void load(const std::string& path) {
    FactValue data;
    const std::string kind = extension(path);
    try {
      if (kind == "yaml") {
        data = parse_as(path, "Yaml", [&](const std::string& text) { return read_yaml(text); });
      } else if (kind == "txt") {
        data = parse_as(path, "Text", [](const std::string& text) { return FactValue(key_value_lines(text)); });
      } else if (kind == "json") {
        data = parse_as(path, "Json", [](const std::string& text) { return read_json(text); });
      } else if (from_.system.executable(path) && kind != "bat" && kind != "cmd" && kind != "com" && kind != "exe") {
        data = run(path);
      } else {
        return;
      }
    } catch (const std::exception& e) {
      log(LogLevel::Err, "Facter", e.what());
      return;
    }
    if (data.is_null()) return;
    if (!data.map()) {
      log(LogLevel::Warning, "Facter", fmt::format("Could not interpret fact file {}", path));
      return;
    }
    for (const auto& [name, value] : *data.map()) add(name, value);
  }

private:
  void add(const std::string& name, const FactValue& value) {
    const std::string key = ascii_lower(name);
    if (!seen_.insert(key).second) return;
    auto& legacy = facts_.legacy();
    std::erase_if(legacy, [&](const auto& e) { return e.first == key; });
    facts_.set_top(key, value);
  }

  template <class Parse> FactValue parse_as(const std::string& path, const char* parser, Parse parse) {
    try {
      return parse(from_.system.read_file(path));
    } catch (const std::exception& e) {
      throw std::runtime_error(
          fmt::format("Failed to handle {} as LegacyFacter::Util::Parser::{}Parser facts: {}", path, parser, e.what()));
    }
  }

  FactValue read_yaml(const std::string& text) const {
    if (!options_.yaml) throw std::runtime_error("YAML is not supported here");
    Arena arena;
    return fact_from_value(options_.yaml(arena, text));
  }

  static FactValue read_json(const std::string& text) {
    Arena arena;
    Value value;
    JsonError error;
    if (!parse_json(text, arena, value, error)) throw std::runtime_error(error.message);
    return fact_from_value(value);
  }

  FactValue run(const std::string& path) {
    Command command;
    command.argv = {path.find('/') == std::string::npos ? "./" + path : path};
    command.merge_output = false;
    const CommandResult result = from_.system.run(command);
    if (const std::string_view error = trimmed(result.error_output, ruby_blanks); !error.empty())
      log(LogLevel::Warning, path.substr(path.rfind('/') + 1),
          fmt::format("Command {} completed with the following stderr message: {}", path, error));
    FactValue data;
    try {
      data = read_yaml(result.output);
    } catch (const std::exception&) { // no YAML: parse name=value lines
    }
    if (!data.map()) data = key_value_lines(result.output);
    return data;
  }

  void log(LogLevel level, std::string source, std::string message) const {
    if (options_.log) options_.log({level, std::move(source), std::move(message)});
  }

  FactSources& from_;
  Facts& facts_;
  const ExternalOptions& options_;
  std::set<std::string> seen_;
};

} // namespace

std::vector<std::string> default_external_directories(System& system) {
  if (system.effective_uid() == 0)
    return {"/opt/puppetlabs/facter/facts.d", "/etc/facter/facts.d", "/etc/puppetlabs/facter/facts.d", "/var/cache/puppet/facts.d"};
  const auto home = system.environment("HOME");
  if (!home) return {};
  return {*home + "/.puppetlabs/opt/facter/facts.d", *home + "/.facter/facts.d"};
}

void add_external_facts(FactSources& from, Facts& facts, const ExternalOptions& options) {
  Loader loader(from, facts, options);
  for (const std::string& directory : options.directories) {
    std::vector<std::string> paths;
    try {
      for (const std::string& name : from.system.list_directory(directory))
        if (name[0] != '.') paths.push_back(directory.ends_with('/') ? directory + name : directory + "/" + name);
    } catch (const SystemError&) {
      continue; // a missing directory is no error
    }
    std::sort(paths.rbegin(), paths.rend());
    for (const std::string& path : paths) {
      const auto status = from.system.stat(path);
      if (status && status->type == FileType::File) loader.load(path);
    }
  }
}

void add_environment_facts(FactSources& from, Facts& facts) {
  for (const auto& [name, value] : from.probe.environment("")) {
    if (ascii_lower(name.substr(0, 7)) != "facter_" || name.size() == 7) continue;
    const std::string key = ascii_lower(name.substr(7));
    std::erase_if(facts.legacy(), [&](const auto& e) { return e.first == key; });
    facts.set_top(key, value);
  }
}

} // namespace pupc::runtime
