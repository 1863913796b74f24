#include "tools/pupc/puppet_conf.h"

#include "catalog/base/paths.h"
#include "compiler/load/load_error.h"
#include "compiler/load/setting_text.h"
#include "tools/pupc/command.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>

namespace pupc {
namespace {

namespace fs = std::filesystem;

std::string_view trim(std::string_view s) {
  size_t begin = s.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return {};
  return s.substr(begin, s.find_last_not_of(" \t\r\n") - begin + 1);
}

bool in_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

using Settings = std::map<std::string, std::string, std::less<>>;

class Conf {
public:
  Conf(const std::string& file, std::span<const std::string_view> sections) {
    auto text = read_whole_file(file);
    if (!text) throw_load_error(fmt::format("Could not read the configuration: {}", std::strerror(errno)), file);
    std::map<std::string, Settings, std::less<>> all;
    std::string section = "main";
    uint32_t number = 0;
    for (size_t begin = 0; begin < text->size();) {
      size_t end = std::min(text->find('\n', begin), text->size());
      std::string_view line = trim(std::string_view(*text).substr(begin, end - begin));
      begin = end + 1;
      ++number;
      if (line.empty() || line[0] == '#') continue;
      if (line[0] == '[' && line.back() == ']') {
        section = trim(line.substr(1, line.size() - 2));
        continue;
      }
      size_t equals = line.find('=');
      std::string_view name = equals == std::string_view::npos ? std::string_view() : trim(line.substr(0, equals));
      if (name.empty() || !std::all_of(name.begin(), name.end(), in_name))
        throw_load_error(fmt::format("Could not match line {}", line), file, number);
      std::string_view value = trim(line.substr(equals + 1));
      // `{owner = x}` after a file's name is for the agent.
      if (value.ends_with('}'))
        if (size_t open = value.rfind('{'); open != std::string_view::npos && (open == 0 || value[open - 1] != '$'))
          value = trim(value.substr(0, open));
      if (value.size() >= 2 && (value[0] == '"' || value[0] == '\'') && value.back() == value[0]) value = value.substr(1, value.size() - 2);
      all[section][std::string(name)] = value;
    }
    written_ = all["main"];
    for (size_t i = sections.size(); i-- > 0;)
      for (const auto& [name, value] : all[std::string(sections[i])]) written_[name] = value;
    std::error_code ignored;
    defaults_ = {{"confdir", fs::absolute(file, ignored).lexically_normal().parent_path().string()},
                 {"codedir", "/etc/puppetlabs/code"},
                 {"vardir", "/opt/puppetlabs/puppet/cache"},
                 {"environment", "production"}};
    file_ = file;
  }

  bool has(std::string_view name) const { return written_.contains(name); }
  const Settings& written() const { return written_; }

  /// The setting with what it refers to; "" when it is not known.
  std::string value(std::string_view setting, int depth = 0) const {
    if (depth > 20) throw_load_error(fmt::format("the setting '{}' refers to itself", setting), file_);
    auto it = written_.find(setting);
    if (it == written_.end()) {
      it = defaults_.find(setting);
      if (it == defaults_.end()) return {};
    }
    const std::string& text = it->second;
    return interpolate_setting_text(text, [&](std::string_view name) -> std::optional<std::string> {
      if (!written_.contains(name) && !defaults_.contains(name)) return std::nullopt;
      return value(name, depth + 1);
    });
  }

private:
  Settings written_, defaults_;
  std::string file_;
};

std::vector<std::string> directories(std::string_view path) {
  std::vector<std::string> out;
  for (const auto& part : split_path(path)) out.push_back(absolute_path(part));
  return out;
}

} // namespace

void read_puppet_conf(CompileOptions& options, std::span<const std::string_view> sections) {
  if (options.config_file.empty()) return;
  Conf conf(options.config_file, sections);
  std::error_code ignored;
  auto exists = [&](const std::string& path) { return fs::exists(path, ignored); };

  const bool code_given = options.environment.code || !options.environment.manifest.empty();
  if (options.environmentpath.empty()) {
    const std::string usual = conf.value("codedir") + "/environments";
    if (conf.has("environmentpath"))
      options.environmentpath = conf.value("environmentpath");
    else if (!conf.has("manifest") && exists(usual))
      options.environmentpath = usual;
  }
  if (!options.environment_named && conf.has("environment")) options.environment.name = conf.value("environment");
  if (options.basemodulepath.empty()) {
    if (conf.has("basemodulepath"))
      options.basemodulepath = directories(conf.value("basemodulepath"));
    else
      options.basemodulepath = {conf.value("codedir") + "/modules", "/opt/puppetlabs/puppet/modules"};
  }
  if (options.environmentpath.empty()) {
    if (!code_given && conf.has("manifest")) options.environment.manifest = absolute_path(conf.value("manifest"));
    if (options.environment.modulepath.empty())
      options.environment.modulepath = conf.has("modulepath") ? directories(conf.value("modulepath")) : options.basemodulepath;
  }
  if (options.environment.hiera_config.empty()) {
    if (conf.has("hiera_config"))
      options.environment.hiera_config = absolute_path(conf.value("hiera_config"));
    else
      for (const char* directory : {"codedir", "confdir"})
        if (std::string path = conf.value(directory) + "/hiera.yaml"; options.environment.hiera_config.empty() && exists(path))
          options.environment.hiera_config = path;
  }
  if (conf.has("default_manifest")) options.default_manifest.path = conf.value("default_manifest");
  options.default_manifest.for_all = conf.value("disable_per_environment_manifest") == "true";
  if (options.default_manifest.for_all && !options.default_manifest.path.starts_with('/'))
    throw_load_error("The 'default_manifest' setting must be set to an absolute path when 'disable_per_environment_manifest' is true",
                     options.config_file);
  if (conf.has("node_name_value") && conf.has("node_name_fact"))
    throw_load_error("Cannot specify both the node_name_value and node_name_fact settings", options.config_file);
  options.certname = conf.has("node_name_value") ? conf.value("node_name_value") : conf.value("certname");
  options.node_name_fact = conf.value("node_name_fact");
  if (!options.strict_given && conf.has("strict")) set_strict(options, conf.value("strict"));
  if (!options.strict_variables_given && conf.has("strict_variables"))
    options.settings.strict_variables = conf.value("strict_variables") == "true";
  if (options.classifier.empty() && conf.value("node_terminus") == "exec") options.classifier = conf.value("external_nodes");
  for (const auto& [name, value] : conf.written()) options.shown_settings.emplace_back(name, conf.value(name));
  if (!conf.has("confdir")) options.shown_settings.emplace_back("confdir", conf.value("confdir"));
}

} // namespace pupc
