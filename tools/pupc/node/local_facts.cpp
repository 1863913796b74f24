#include "tools/pupc/node/local_facts.h"

#include "catalog/base/paths.h"
#include "catalog/base/version.h"
#include "catalog/formats/data_file.h"
#include "catalog/json/json_writer.h"
#include "compiler/load/load_error.h"
#include "compiler/ruby/worker/libraries.h"
#include "runtime/ruby/ruby_facts.h"
#include "runtime/sys/posix_system.h"
#include "tools/pupc/progress_line.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <stdexcept>

namespace pupc::cli {
namespace {

Value yaml_value(Arena& arena, std::string_view text) {
  Value out;
  YamlOptions options;
  options.dates = true;
  if (auto error = read_yaml(text, arena, out, options)) throw std::runtime_error(error->message);
  return out;
}

/// Whether any of the directories has a Ruby file. Otherwise no Ruby process is needed.
bool has_custom_facts(const std::vector<std::string>& directories) {
  for (const std::string& directory : directories) {
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(directory, error))
      if (entry.path().extension() == ".rb") return true;
  }
  return false;
}

std::vector<std::string> sorted_directories(const std::string& path) {
  std::vector<std::string> out;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(path, error), end; !error && entry != end; entry.increment(error))
    if (std::string name = entry->path().filename(); !name.starts_with('.')) out.push_back(std::move(name));
  std::sort(out.begin(), out.end());
  return out;
}

/// Replaces facts with those of the same names in `by`, and adds the others.
void replace_facts(Facts& facts, const Facts& by) {
  for (const auto& [name, value] : *by.root().map()) {
    std::erase_if(facts.legacy(), [&name = name](const auto& e) { return e.first == name; });
    facts.set_given(name, value);
  }
}

/// Evaluates the facts written in Ruby. They can read the machine's core facts, the external facts and those from environment variables.
/// When several define the same fact, Facter's weights decide.
FactMap custom_facts(const LocalFactsOptions& options, const ExternalOptions& external, const Facts& core, const Facts& given,
                     const Facts& environment, std::vector<FactTiming>* timings) {
  FactMap out;
  if (!has_custom_facts(options.custom_directories)) return out;
  Arena arena;
  RubyFactsRequest request;
  request.program = options.ruby_program;
  request.directories = options.custom_directories;
  request.libraries = options.libraries;
  request.facts = core.to_value(arena, true);
  request.external = given.to_value(arena, true);
  request.environment = environment.to_value(arena, true);
  request.limit = options.fact_limit;
  request.setting = options.setting;
  request.stopped = options.stopped;
  request.log = [&](LogLevel level, std::string source, std::string text) {
    if (std::string_view(source) == "Puppet") source.clear(); // Puppet's own lines are told without a source
    external.log({level, std::move(source), std::move(text)});
  };
  ProgressLine progress;
  request.progress = [&](std::string_view fact, std::chrono::seconds since) {
    progress.show(fmt::format("Waiting for the fact '{}' ({} s)", fact, since.count()));
  };
  RubyFacts found = resolve_ruby_facts(request, arena);
  progress.clear();
  if (timings != nullptr)
    for (const auto& [fact, seconds] : found.seconds)
      timings->push_back({"custom:" + fact, std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::duration<double>(seconds))});
  for (const HashEntry& e : found.facts.hash->entries()) out.emplace_back(e.key.str(), fact_from_value(e.value));
  if (options.worker != nullptr) *options.worker = std::move(found.worker);
  return out;
}

} // namespace

LocalFactsOptions local_facts_options(const CompileOptions& options, const Environment& environment) {
  LocalFactsOptions out;
  out.ruby = options.ruby.mode != RubyMode::Never;
  out.ruby_program = options.ruby.program;
  out.setting = setting_reader(options);
  out.libraries = ruby_libraries(environment).directories;
  // Puppet's order: the directories from which Ruby loads, FACTERLIB, then what Puppet names: modules, also those that another one of the
  // same name hides, and the setting.
  std::vector<std::string>& facts = out.custom_directories;
  auto add = [&](std::string directory) {
    if (is_directory(directory) && std::find(facts.begin(), facts.end(), directory) == facts.end()) facts.push_back(std::move(directory));
  };
  for (const std::string& library : out.libraries) add(library + "/facter");
  if (const char* more = std::getenv("FACTERLIB"))
    for (std::string& directory : split_path(more)) add(std::move(directory));
  for (const std::string& path : environment.options().modulepath)
    for (const std::string& name : sorted_directories(path)) add(fmt::format("{}/{}/plugins/facter", path, name));
  for (const std::string& directory : options.configuration.directories("factpath")) add(directory);
  for (const Module& module : environment.modules())
    if (std::string directory = module.path + "/facts.d"; is_directory(directory)) out.more_external.push_back(std::move(directory));
  if (std::string directory = options.configuration.value("pluginfactdest"); is_directory(directory))
    out.more_external.push_back(std::move(directory));
  return out;
}

SettingReader setting_reader(const CompileOptions& options) {
  return [&conf = options.configuration](std::string_view name, std::string_view section, Arena& arena) {
    SettingAnswer out;
    const SettingInfo* info = find_setting(name);
    if (info == nullptr) return out;
    out.known = true;
    try {
      if (section.empty()) {
        out.value = conf.typed(info->name, arena);
      } else {
        PuppetSettings of_section = conf;
        of_section.set_section(std::string(section));
        out.value = of_section.typed(info->name, arena);
      }
    } catch (const CompileError&) {} // refers to a name that is no setting
    out.given = conf.given(info->name);
    out.given_on_command_line = conf.given_on_command_line(info->name);
    if (info->fallback != nullptr) out.fallback = Value::string(arena.copy(info->fallback));
    return out;
  };
}

Facts collect_local_facts(System& system, const LocalFactsOptions& options, std::vector<FactTiming>* timings) {
  const std::unique_ptr<MachineProbe> probe = make_machine_probe();
  FactSources from(system, *probe);
  ExternalOptions external;
  external.yaml = yaml_value;
  external.log = [tell = options.problems](const FactMessage& m) {
    if (!tell) return;
    const bool error = m.level == LogLevel::Err;
    fmt::print(stderr, "{}: {}{}{}\n", error ? "Error" : "Warning", m.source, m.source.empty() ? "" : ": ", m.message);
  };
  if (options.external) {
    external.directories = options.external_directories.empty() ? default_external_directories(system) : options.external_directories;
    for (const std::string& directory : options.more_external)
      if (std::find(external.directories.begin(), external.directories.end(), directory) == external.directories.end())
        external.directories.push_back(directory);
  }
  Facts facts = collect_core_facts(from, timings);
  if (options.puppet_version) facts.set_top("puppetversion", FactValue(puppet_version));
  if (!options.agent_environment.empty()) facts.set_top("agent_specified_environment", FactValue(options.agent_environment));
  Facts given, environment;
  add_external_facts(from, given, external);
  add_environment_facts(from, environment);
  FactMap custom;
  if (options.ruby) custom = custom_facts(options, external, facts, given, environment, timings);
  replace_facts(facts, given);
  replace_facts(facts, environment);
  for (auto& [name, value] : custom) facts.set_given(name, std::move(value));
  return facts;
}

Value local_facts_as_puppet(const CompileOptions& options, const Environment& environment, Arena& into) {
  LocalFactsOptions local = local_facts_options(options, environment);
  local.puppet_version = true;
  const auto system = make_posix_system();
  return collect_local_facts(*system, local).to_value(into, false, Facts::Order::AsGiven);
}

} // namespace pupc::cli
