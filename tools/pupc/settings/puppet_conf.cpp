#include "tools/pupc/settings/puppet_conf.h"

#include "catalog/base/paths.h"
#include "compiler/load/load_error.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

namespace pupc::cli {
namespace {

namespace fs = std::filesystem;

bool exists(const std::string& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

void read_configuration(CompileOptions& options) {
  PuppetSettings& conf = options.configuration;
  if (conf.given("config")) {
    const std::string file = absolute_path(conf.value("config"));
    if (!options.as_puppet) conf.set_default("confdir", fs::path(file).parent_path().string());
    conf.read_file(file);
  } else if (const std::string file = conf.usual_file(); exists(file)) {
    conf.read_file(file);
  }
}

/// Handles settings that pupc does not implement: throws CompileError for one that would change the result, else logs it at level debug.
void tell_unused(const PuppetSettings& conf, LogSink* log) {
  if (const SettingInfo* s = conf.refused())
    throw_load_error(fmt::format("The setting {} = {} is not supported: {}", s->name, conf.value(s->name),
                                 s->name == "configprint" || s->name == "genconfig" || s->name == "genmanifest"
                                     ? "use `pupc config print`"
                                     : "it would change the result"),
                     conf.given_on_command_line(s->name) ? std::string() : conf.file());
  if (log == nullptr) return;
  for (const SettingInfo* s : conf.given_with(SettingState::NoMeaning))
    log->log({LogLevel::Debug, "", fmt::format("The setting {} has no meaning here", s->name)});
  for (const std::string& name : conf.unknown())
    log->log({LogLevel::Debug, "", fmt::format("{} has {}, which is no setting", conf.file(), name)});
}

void take_environment(CompileOptions& options) {
  const PuppetSettings& conf = options.configuration;
  EnvironmentOptions& environment = options.environment;
  const bool code_given = environment.code || !environment.manifest.empty();
  if (!options.environment_named && conf.given("environment")) environment.name = conf.value("environment");
  if (options.environmentpath.empty() && options.checkout.empty()) {
    const std::string path = conf.value("environmentpath");
    auto has = [&](const std::string& directory) { return is_directory(directory + "/" + environment.name); };
    const auto directories = split_path(path);
    // Use the default environmentpath if it contains the environment, or if there would be nothing to compile without it.
    if (conf.given("environmentpath") || std::any_of(directories.begin(), directories.end(), has) ||
        (!code_given && std::any_of(directories.begin(), directories.end(), exists)) ||
        (options.as_puppet && environment.name != "production"))
      options.environmentpath = path;
  }
  if (options.basemodulepath.empty()) options.basemodulepath = conf.directories("basemodulepath");
  if (options.environmentpath.empty() && options.checkout.empty() && environment.modulepath.empty())
    for (const std::string& directory : options.basemodulepath)
      if (conf.given("basemodulepath") || exists(directory)) environment.modulepath.push_back(directory);
  if (environment.hiera_config.empty()) {
    const std::string file = conf.value("hiera_config");
    if (conf.given("hiera_config") || exists(file)) environment.hiera_config = file;
  }
}

void take_node(CompileOptions& options) {
  const PuppetSettings& conf = options.configuration;
  if (conf.given("node_name_value") && conf.given("node_name_fact"))
    throw_load_error("Cannot specify both the node_name_value and node_name_fact settings", conf.file());
  if (conf.given("node_name_value") || conf.given("certname")) options.certname = conf.value("node_name_value");
  options.node_name_fact = conf.value("node_name_fact");
  const std::string terminus = conf.value("node_terminus");
  if (terminus == "exec" && options.classifier.empty()) {
    options.classifier = conf.value("external_nodes");
    if (options.classifier == "none") options.classifier.clear();
  } else if (conf.given("node_terminus") && terminus != "plain" && terminus != "exec" && terminus != "memory") {
    throw_load_error(fmt::format("The setting node_terminus = {} is not supported: it is plain or exec", terminus),
                     conf.given_on_command_line("node_terminus") ? std::string() : conf.file());
  }
}

/// How much is told of what is doubtful.
void take_messages(CompileOptions& options) {
  const PuppetSettings& conf = options.configuration;
  MessageLimits& limits = options.environment.check.limits;
  limits = {conf.integer_of("max_errors"), conf.integer_of("max_warnings"), conf.integer_of("max_deprecations")};
  for (const std::string& kind : conf.list_of("disable_warnings")) {
    if (kind == "deprecations") {
      limits.deprecations = 0;
      options.settings.tell_deprecations = false;
    }
    if (kind == "undefined_variables") options.settings.tell_undefined_variables = false;
  }
}

} // namespace

void read_puppet_conf(CompileOptions& options, LogSink* log) {
  read_configuration(options);
  PuppetSettings& conf = options.configuration;
  tell_unused(conf, log);
  take_environment(options);
  if (conf.given("default_manifest")) options.default_manifest.path = conf.value("default_manifest");
  options.default_manifest.for_all = conf.truth("disable_per_environment_manifest");
  if (options.default_manifest.for_all && !options.default_manifest.path.starts_with('/'))
    throw_load_error("The 'default_manifest' setting must be set to an absolute path when 'disable_per_environment_manifest' is true",
                     conf.file());
  take_node(options);
  if (!options.strict_given && conf.given("strict")) set_strict(options, conf.value("strict"));
  if (!options.strict_variables_given && conf.given("strict_variables")) options.settings.strict_variables = conf.truth("strict_variables");
  if (!options.log_level_given && conf.given("log_level")) options.log_level = parse_log_level(conf.value("log_level"));
  if (conf.given("include_legacy_facts")) options.legacy_facts = options.legacy_facts || conf.truth("include_legacy_facts");
  take_messages(options);
  options.setting_values = std::make_shared<const SettingValues>(conf);
}

} // namespace pupc::cli
