// pupc facts: prints the facts of this machine in Facter's structure.
#include "catalog/json/json_writer.h"
#include "runtime/facts/collect.h"
#include "runtime/facts/fact_yaml.h"
#include "runtime/sys/posix_system.h"
#include "tools/pupc/command.h"
#include "tools/pupc/local_facts.h"
#include "tools/pupc/options.h"

#include <algorithm>
#include <cstdio>
#include <fmt/format.h>

namespace pupc {
int facts_command(std::span<const std::string_view> words) {
  bool yaml = false, legacy = false, timing = false;
  LocalFactsOptions local;
  bool help = false;
  PuppetSettings settings(RunMode::User); // accept Puppet settings, which scripts may pass; none changes the facts
  const Options options(
      "Usage: pupc facts [options] [NAME...]\n\nPrints the facts of this machine; with names (os.family) only these.",
      {{"--json -j", "", "print JSON (default)", [&](std::string_view) { yaml = false; }},
       {"--yaml -y", "", "print YAML", [&](std::string_view) { yaml = true; }},
       {"--render-as", "FORMAT", "json or yaml",
        [&](std::string_view v) {
          if (v != "json" && v != "yaml") throw UsageError{fmt::format("--render-as: '{}' is neither json nor yaml", v)};
          yaml = v == "yaml";
        }},
       {"--show-legacy", "", "with the flat names of old", [&](std::string_view) { legacy = true; }},
       {"--external-dir", "DIR", "directory of external facts; may be repeated",
        [&](std::string_view v) { local.external_directories.emplace_back(v); }},
       {"--[no-]external-facts", "", "read external facts (default)", [&](std::string_view v) { local.external = v == "true"; }},
       {"--custom-dir", "DIR", "directory of facts written in Ruby; may be repeated (besides FACTERLIB)",
        [&](std::string_view v) { local.custom_directories.emplace_back(v); }},
       {"--modulepath", "PATH", "modules whose lib/facter is read, as for apply",
        [&](std::string_view v) { local.modulepath = split_directories(v); }},
       {"--[no-]custom-facts", "", "read facts written in Ruby (default)", [&](std::string_view v) { local.ruby = v == "true"; }},
       {"--ruby-program", "PATH", "the Ruby interpreter (ruby)", [&](std::string_view v) { local.ruby_program = v; }},
       {"--fact-timeout", "SECONDS", "for one fact written in Ruby that names no timeout of its own (60)",
        [&](std::string_view v) { local.fact_limit = std::chrono::seconds(positive_number("--fact-timeout", v)); }},
       {"--timing -t", "", "how long each resolver and each fact in Ruby took, on standard error",
        [&](std::string_view) { timing = true; }}},
      &settings);
  const std::vector<std::string_view> names = options.parse(words, help);
  if (help) return exit_success;

  const std::unique_ptr<System> machine = make_posix_system();
  std::vector<FactTiming> timings;
  const Facts facts = collect_local_facts(*machine, local, timing ? &timings : nullptr);
  if (timing) {
    double total = 0;
    for (const FactTiming& t : timings) {
      const double ms = std::chrono::duration<double, std::milli>(t.time).count();
      total += ms;
      fmt::print(stderr, "fact '{}', took: {:.3f} ms\n", t.resolver, ms);
    }
    fmt::print(stderr, "all facts, took: {:.3f} ms\n", total);
  }

  Arena arena;
  Value shown;
  if (names.empty()) {
    shown = facts.to_value(arena, legacy);
  } else {
    std::vector<std::string_view> sorted = names;
    std::sort(sorted.begin(), sorted.end());
    HashBuilder b(arena);
    for (const std::string_view name : sorted) {
      const FactValue* fact = facts.find(name);
      b.set(name, fact ? fact_to_value(*fact, arena) : Value::undef());
    }
    shown = b.finish();
  }
  std::string out;
  if (yaml) {
    write_fact_yaml(shown, out);
  } else {
    JsonWriter w(out, true);
    write_plain_json(w, shown);
    out += '\n';
  }
  std::fwrite(out.data(), 1, out.size(), stdout);
  return exit_success;
}

} // namespace pupc
