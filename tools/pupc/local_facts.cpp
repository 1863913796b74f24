#include "tools/pupc/local_facts.h"

#include "compiler/load/data_file.h"

#include <cstdio>
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

} // namespace

Facts collect_local_facts(System& system, const LocalFactsOptions& options, std::vector<FactTiming>* timings) {
  const std::unique_ptr<MachineProbe> probe = make_machine_probe();
  FactSources from(system, *probe);
  ExternalOptions external;
  external.yaml = yaml_value;
  external.log = [](const FactMessage& m) {
    const bool error = m.level == LogLevel::Err;
    fmt::print(stderr, "{}: {}: {}\n", error ? "Error" : "Warning", m.source, m.message);
  };
  if (options.external) external.directories = options.external_directories.empty() ? default_external_directories(system) : options.external_directories;
  return collect_facts(from, external, timings);
}

} // namespace pupc
