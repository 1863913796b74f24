#include "tools/pupc/local_facts.h"

#include "catalog/base/version.h"
#include "catalog/formats/data_file.h"
#include "catalog/json/json_writer.h"
#include "compiler/ruby/custom_facts.h"
#include "tools/pupc/progress_line.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <stdexcept>

namespace pupc {
namespace {

Value yaml_value(Arena& arena, std::string_view text) {
  Value out;
  YamlOptions options;
  options.dates = true;
  if (auto error = read_yaml(text, arena, out, options)) throw std::runtime_error(error->message);
  return out;
}

std::string as_json(const Facts& facts) {
  Arena arena;
  std::string out;
  JsonWriter w(out, false);
  write_plain_json(w, facts.to_value(arena, true));
  return out;
}

/// Replaces facts with those of the same names in `by`, and adds the others.
void replace_facts(Facts& facts, const Facts& by) {
  for (const auto& [name, value] : *by.root().map()) {
    std::erase_if(facts.legacy(), [&](const auto& e) { return e.first == name; });
    facts.set_top(name, value);
  }
}

/// Evaluates the facts written in Ruby. They can read the machine's core facts, the external facts and those from environment variables.
/// When several define the same fact, Facter's weights decide.
FactMap custom_facts(const LocalFactsOptions& options, const ExternalOptions& external, const Facts& core, const Facts& given,
                     const Facts& environment, std::vector<FactTiming>* timings) {
  CustomFactsRequest request;
  request.program = options.ruby_program;
  request.directories = options.custom_directories;
  if (const char* more = std::getenv("FACTERLIB"))
    for (std::string& directory : split_directories(more)) request.directories.push_back(std::move(directory));
  for (const std::string& path : options.modulepath) {
    std::error_code error;
    std::vector<std::string> modules;
    for (const auto& entry : std::filesystem::directory_iterator(path, error))
      if (std::filesystem::is_directory(entry.path() / "lib", error)) modules.push_back(entry.path() / "lib");
    std::sort(modules.begin(), modules.end());
    for (const std::string& lib : modules) {
      request.libraries.push_back(lib);
      if (std::filesystem::is_directory(lib + "/facter", error)) request.directories.push_back(lib + "/facter");
    }
  }
  FactMap out;
  if (!has_custom_facts(request.directories)) return out;
  request.facts = as_json(core);
  request.external = as_json(given);
  request.environment = as_json(environment);
  request.limit = options.fact_limit;
  ProgressLine progress;
  request.progress = [&](std::string_view fact, std::chrono::seconds since) {
    progress.show(fmt::format("Waiting for the fact '{}' ({} s)", fact, since.count()));
  };
  Arena arena;
  try {
    CustomFacts found = run_custom_facts(request, arena);
    progress.clear();
    if (timings != nullptr)
      for (const auto& [fact, seconds] : found.seconds)
        timings->push_back(
            {"custom:" + fact, std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::duration<double>(seconds))});
    for (const auto& [level, text] : found.log) external.log({level == "error" ? LogLevel::Err : LogLevel::Warning, "Facter", text});
    if (found.facts.is_hash())
      for (const HashEntry& e : found.facts.hash->entries()) out.emplace_back(e.key.str(), fact_from_value(e.value));
  } catch (const std::runtime_error& error) { external.log({LogLevel::Err, "Facter", error.what()}); }
  return out;
}

} // namespace

std::vector<std::string> split_directories(std::string_view list) {
  std::vector<std::string> out;
  while (!list.empty()) {
    size_t end = std::min(list.find(':'), list.size());
    if (end > 0) out.emplace_back(list.substr(0, end));
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return out;
}

void write_plain_json(JsonWriter& w, const Value& v) {
  switch (v.kind) {
  case Kind::Hash:
    w.begin_object();
    for (const HashEntry& e : v.hash->entries()) {
      w.key(e.key.str());
      write_plain_json(w, e.value);
    }
    w.end_object();
    break;
  case Kind::List:
    w.begin_array();
    for (const Value& item : v.items()) write_plain_json(w, item);
    w.end_array();
    break;
  case Kind::String: w.string(v.str()); break;
  case Kind::Int: w.integer(v.i); break;
  case Kind::Float: w.floating(v.d); break;
  case Kind::Bool: w.boolean(v.b); break;
  default: w.null();
  }
}

Facts collect_local_facts(System& system, const LocalFactsOptions& options, std::vector<FactTiming>* timings) {
  const std::unique_ptr<MachineProbe> probe = make_machine_probe();
  FactSources from(system, *probe);
  ExternalOptions external;
  external.yaml = yaml_value;
  external.log = [tell = options.problems](const FactMessage& m) {
    if (!tell) return;
    const bool error = m.level == LogLevel::Err;
    fmt::print(stderr, "{}: {}: {}\n", error ? "Error" : "Warning", m.source, m.message);
  };
  if (options.external)
    external.directories = options.external_directories.empty() ? default_external_directories(system) : options.external_directories;
  Facts facts = collect_core_facts(from, timings);
  if (options.puppet_version) facts.set_top("puppetversion", FactValue(puppet_version));
  Facts given, environment;
  add_external_facts(from, given, external);
  add_environment_facts(from, environment);
  FactMap custom;
  if (options.ruby) custom = custom_facts(options, external, facts, given, environment, timings);
  replace_facts(facts, given);
  replace_facts(facts, environment);
  for (auto& [name, value] : custom) facts.set_top(name, std::move(value));
  return facts;
}

} // namespace pupc
