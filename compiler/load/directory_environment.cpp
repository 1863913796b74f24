// Directory environments: environment.conf and its effects.
#include "compiler/load/directory_environment.h"
#include "catalog/base/log.h"
#include "catalog/base/paths.h"
#include "compiler/load/conf_file.h"
#include "compiler/load/setting_text.h"

#include <algorithm>
#include <fmt/format.h>
#include <glob.h>

namespace pupc::compiler {
namespace {

constexpr std::string_view known_settings[] = {
    "modulepath", "manifest", "config_version", "environment_timeout", "environment_data_provider", "static_catalogs", "rich_data"};

/// Reads environment.conf. All sections but main are ignored with a warning.
ConfFile read_environment_conf(const std::string& file, const std::string& text, LogSink* log) {
  ConfFile conf = read_conf(text, file);
  std::vector<std::string> ignored;
  for (const auto& [section, line] : conf.sections)
    if (section != "main") ignored.push_back(section);
  std::erase_if(conf.settings, [](const ConfSetting& s) { return s.section != "main"; });
  if (!ignored.empty() && log)
    log->log({LogLevel::Warning,
              {},
              fmt::format("Invalid sections in environment.conf at '{}'. Environment conf may not have sections. The following sections "
                          "are being ignored: '{}'\n   (file & line not available)",
                          file, fmt::join(ignored, ","))});
  return conf;
}

std::vector<std::string> expand_glob(const std::string& path) {
  if (path.find_first_of("*?[{") == std::string::npos) return {path};
  std::vector<std::string> out;
  glob_t found{};
  if (::glob(path.c_str(), GLOB_BRACE, nullptr, &found) == 0)
    for (size_t i = 0; i < found.gl_pathc; ++i) out.emplace_back(found.gl_pathv[i]);
  ::globfree(&found);
  return out;
}

/// Replaces `$environment` and `$environmentpath` in a setting; other names stay as they are.
std::string interpolate_settings(std::string_view text, std::string_view environmentpath, const EnvironmentOptions& options) {
  return interpolate_setting_text(text, [&](std::string_view name) -> std::optional<std::string> {
    if (name == "environment") return options.name;
    if (name == "environmentpath") return std::string(environmentpath);
    return std::nullopt;
  });
}

EnvironmentOptions read_environment(EnvironmentOptions options, std::string_view environmentpath,
                                    const std::vector<std::string>& basemodulepath, LogSink* log, const DefaultManifest& default_manifest);

} // namespace

bool valid_environment_name(std::string_view name) {
  return !name.empty() &&
         std::all_of(name.begin(), name.end(), [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; });
}

EnvironmentOptions directory_environment(std::string_view environmentpath, std::string_view name,
                                         const std::vector<std::string>& basemodulepath, LogSink* log) {
  return directory_environment(environmentpath, name, basemodulepath, log, DefaultManifest());
}

EnvironmentOptions directory_environment(std::string_view environmentpath, std::string_view name,
                                         const std::vector<std::string>& basemodulepath, LogSink* log,
                                         const DefaultManifest& default_manifest) {
  EnvironmentOptions options;
  options.name = name;
  if (valid_environment_name(name))
    for (const auto& directory : split_path(environmentpath)) {
      std::string candidate = absolute_path(directory) + "/" + options.name;
      if (is_directory(candidate)) {
        options.path = std::move(candidate);
        break;
      }
    }
  if (options.path.empty()) {
    Diagnostic d;
    d.code = ErrorCode::load_error;
    d.style = PositionStyle::None;
    d.message = fmt::format("Could not find a directory environment named '{}' anywhere in the path: {}. Does the directory exist?", name,
                            environmentpath);
    throw CompileError(std::move(d));
  }
  return read_environment(std::move(options), environmentpath, basemodulepath, log, default_manifest);
}

EnvironmentOptions environment_of_directory(const std::string& path, const std::vector<std::string>& basemodulepath, LogSink* log) {
  EnvironmentOptions options;
  options.path = absolute_path(path);
  const size_t slash = options.path.rfind('/');
  options.name = options.path.substr(slash + 1);
  const std::string parent = options.path.substr(0, slash);
  return read_environment(std::move(options), parent, basemodulepath, log, DefaultManifest());
}

namespace {

EnvironmentOptions read_environment(EnvironmentOptions options, std::string_view environmentpath,
                                    const std::vector<std::string>& basemodulepath, LogSink* log, const DefaultManifest& default_manifest) {
  ConfFile conf;
  std::string conf_file = options.path + "/environment.conf";
  if (auto text = read_whole_file(conf_file)) conf = read_environment_conf(conf_file, *text, log);
  auto value_of = [&](std::string_view setting) -> const std::string* {
    const ConfSetting* found = conf.find("main", setting);
    return found == nullptr ? nullptr : &found->value;
  };
  std::vector<std::string> unknown;
  for (const ConfSetting& s : conf.settings)
    if (std::find(std::begin(known_settings), std::end(known_settings), s.name) == std::end(known_settings) &&
        std::find(unknown.begin(), unknown.end(), s.name) == unknown.end())
      unknown.push_back(s.name);
  if (!unknown.empty() && log)
    log->log({LogLevel::Warning,
              {},
              fmt::format("Invalid settings in environment.conf at '{}'. The following unknown setting(s) are being ignored: {}\n   (file "
                          "& line not available)",
                          conf_file, fmt::join(unknown, ", "))});

  auto add_base = [&] {
    for (const auto& directory : basemodulepath) options.modulepath.push_back(absolute_path(directory));
  };
  if (const std::string* modulepath = value_of("modulepath")) {
    for (const auto& part : split_path(*modulepath)) {
      if (part == "$basemodulepath") {
        add_base();
        continue;
      }
      for (auto& directory : expand_glob(absolute_path(interpolate_settings(part, environmentpath, options), options.path)))
        options.modulepath.push_back(std::move(directory));
    }
  } else {
    options.modulepath.push_back(options.path + "/modules");
    add_base();
  }
  const std::string* manifest = value_of("manifest");
  options.manifest = absolute_path(manifest && !default_manifest.for_all ? *manifest : default_manifest.path, options.path);
  if (std::string own = manifest ? absolute_path(*manifest, options.path) : std::string();
      default_manifest.for_all && manifest && own != options.manifest && log)
    log->log({LogLevel::Err,
              {},
              fmt::format("The 'disable_per_environment_manifest' setting is true, but the environment located at {0} has a manifest "
                          "setting in its environment.conf of '{1}' which "
                          "does not match the default_manifest setting '{2}'. If this environment is expecting to find modules in '{1}', "
                          "they will not be available!",
                          options.path, own, default_manifest.path)});
  if (manifest && (manifest->find("$environment") != std::string::npos || manifest->find("${environment}") != std::string::npos) && log)
    log->log(
        {LogLevel::Warning,
         {},
         fmt::format("You cannot interpolate $environment within 'manifest' when using directory environments. Its value will remain {}.",
                     *manifest)});
  if (const std::string* version = value_of("config_version"); version && !version->empty())
    options.config_version = absolute_path(interpolate_settings(*version, environmentpath, options), options.path);
  return options;
}

} // namespace

} // namespace pupc::compiler
