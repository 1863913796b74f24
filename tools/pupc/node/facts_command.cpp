// pupc facts: prints the facts of this machine in Facter's structure.
#include "catalog/base/diagnostic.h"
#include "catalog/base/paths.h"
#include "catalog/json/json_writer.h"
#include "catalog/json/plain_json.h"
#include "runtime/facts/collect.h"
#include "runtime/facts/fact_yaml.h"
#include "runtime/facts/legacy_facts.h"
#include "runtime/sys/posix_system.h"
#include "tools/pupc/command.h"
#include "tools/pupc/node/known_nodes.h"
#include "tools/pupc/node/local_facts.h"
#include "tools/pupc/node/machine_facts.h"
#include "tools/pupc/options.h"
#include "tools/pupc/private_files.h"
#include "tools/pupc/settings/puppet_conf.h"

#include <algorithm>
#include <cstdio>
#include <fmt/format.h>

namespace pupc::cli {
namespace {

/// Adds what `from` found in the environment and the settings; what the command line names comes last, as in Puppet.
void add_places(LocalFactsOptions& local, LocalFactsOptions from) {
  from.custom_directories.insert(from.custom_directories.end(), local.custom_directories.begin(), local.custom_directories.end());
  local.custom_directories = std::move(from.custom_directories);
  local.more_external = std::move(from.more_external);
  local.libraries = std::move(from.libraries);
  local.setting = std::move(from.setting);
}

/// Facts of machines that are not at hand.
struct OtherMachines {
  std::string system, node, from, output;
  std::vector<std::string> assignments;
};

std::string rendered_facts(const Value& facts, bool yaml) {
  std::string out;
  if (yaml) {
    write_fact_yaml(facts, out);
    return out;
  }
  JsonWriter w(out, true);
  write_plain_json(w, facts);
  return out + '\n';
}

void print_value(const Value& facts, bool yaml) {
  const std::string out = rendered_facts(facts, yaml);
  std::fwrite(out.data(), 1, out.size(), stdout);
}

/// The value of a fact by its name, as "os.family"; undef when there is none.
Value fact_at(const Value& facts, std::string_view name) {
  Value at = facts;
  while (!name.empty() && !at.is_undef()) {
    const size_t dot = std::min(name.find('.'), name.size());
    const Value* next = at.is_hash() ? at.hash->find(name.substr(0, dot)) : nullptr;
    at = next == nullptr ? Value::undef() : *next;
    name.remove_prefix(std::min(dot + 1, name.size()));
  }
  return at;
}

Value only_named(const Value& facts, const std::vector<std::string_view>& names, Arena& arena) {
  if (names.empty()) return facts;
  std::vector<std::string_view> sorted = names;
  std::sort(sorted.begin(), sorted.end());
  HashBuilder b(arena);
  for (const std::string_view name : sorted) b.set(name, fact_at(facts, name));
  return b.finish();
}

Value named_facts(const Facts& facts, const std::vector<std::string_view>& names, Arena& arena) {
  std::vector<std::string_view> sorted = names;
  std::sort(sorted.begin(), sorted.end());
  HashBuilder b(arena);
  for (const std::string_view name : sorted) {
    const FactValue* fact = facts.find(name);
    b.set(name, fact ? fact_to_value(*fact, arena) : Value::undef());
  }
  return b.finish();
}

/// `--from DIR --output DIR`: a file for each node, as --facts and --all-nodes take them.
int copy_facts(const OtherMachines& other, const CompileOptions& options, bool legacy) {
  Arena arena;
  std::vector<NodeFacts> nodes;
  if (keeps_nodes(other.from))
    for (KnownNode& node : known_nodes(options, other.from, arena, other.node)) nodes.push_back({std::move(node.name), node.facts});
  else
    nodes = stored_facts(arena, other.from);
  std::erase_if(nodes, [&](const NodeFacts& n) { return !other.node.empty() && n.name != other.node; });
  if (nodes.empty()) throw UsageError{fmt::format("--from: there are no facts of '{}' in '{}'", other.node, other.from)};
  for (NodeFacts& node : nodes) {
    node.facts = with_facts(arena, node.facts, other.assignments);
    if (legacy) node.facts = with_legacy_facts(node.facts, arena);
  }
  if (other.output.empty()) {
    if (nodes.size() > 1)
      throw UsageError{
          fmt::format("--from: '{}' has facts of {} nodes: --node NAME chooses one, --output DIR writes all", other.from, nodes.size())};
    print_value(nodes[0].facts, false);
    return exit_success;
  }
  const auto machine = make_posix_system();
  make_private_directories(*machine, absolute_path(other.output));
  for (const NodeFacts& node : nodes) {
    if (node.name.empty() || node.name[0] == '.' || node.name.find('/') != std::string::npos)
      throw UsageError{fmt::format("--from: the name '{}' cannot be the name of a file", node.name)};
    std::string out = "{\n  \"name\": ";
    JsonWriter(out).string(node.name);
    out += ",\n  \"values\": ";
    JsonWriter w(out);
    write_plain_json(w, node.facts);
    write_private_file(*machine, absolute_path(other.output + "/" + node.name + ".json"), out + "\n}\n");
  }
  fmt::print(stderr, "facts of {} node{} written to {}\n", nodes.size(), nodes.size() == 1 ? "" : "s", other.output);
  return exit_success;
}

int other_facts(const OtherMachines& other, CompileOptions& options, const std::vector<std::string_view>& names, bool yaml, bool legacy) {
  if (!other.from.empty()) {
    if (!other.system.empty()) throw UsageError{"--for and --from are about different machines: give one of them"};
    if (!names.empty() || yaml) throw UsageError{"--from prints or copies all facts as JSON"};
    try {
      read_puppet_conf(options, nullptr);
      return copy_facts(other, options, legacy);
    } catch (const CompileError& e) {
      fmt::print(stderr, "Error: {}\n", e.diagnostic.puppet_text());
      return exit_failure;
    }
  }
  if (!other.output.empty()) throw UsageError{"--output belongs to --from"};
  Arena arena;
  Value facts = usual_facts(arena, other.system, other.node.empty() ? "node.example.com" : other.node);
  facts = with_facts(arena, facts, other.assignments);
  if (legacy) facts = with_legacy_facts(facts, arena);
  print_value(only_named(facts, names, arena), yaml);
  return exit_success;
}

std::vector<Option> other_options(OtherMachines& other) {
  return {{"--for", "SYSTEM", "of a usual machine with this system: debian-12, redhat-9, ubuntu-24.04, …",
           [&](std::string_view v) { other.system = v; }},
          {"--from", "PLACE",
           "of the nodes whose facts are kept there: a directory (a server's yaml/facts), puppetdb:QUERY, its answer in a file, store:FILE",
           [&](std::string_view v) { other.from = v; }},
          {"--node", "NAME", "with --for the machine's name, with --from this node only", [&](std::string_view v) { other.node = v; }},
          {"--set", "NAME=VALUE", "with --for and --from: set or add a fact (role=web, os.release.major=13)",
           [&](std::string_view v) { other.assignments.emplace_back(v); }},
          {"--output", "DIR", "with --from: write a file NODE.json for each node", [&](std::string_view v) { other.output = v; }}};
}

} // namespace

int facts_command(std::span<const std::string_view> words) {
  bool yaml = false, legacy = false, timing = false;
  LocalFactsOptions local;
  OtherMachines other;
  bool help = false;
  CompileOptions environment;
  environment.configuration.set_mode(RunMode::User);
  environment.environment.code = "";
  std::vector<Option> table = compile_option_table(environment);
  std::erase_if(table, [](const Option& o) {
    constexpr std::string_view kept[] = {"--config",      "--as-puppet",  "--run-mode",    "--environmentpath",
                                         "--environment", "--modulepath", "--ruby-program"};
    return std::find(std::begin(kept), std::end(kept), o.names) == std::end(kept);
  });
  std::vector<Option> own = {
      {"--json -j", "", "print JSON (default)", [&](std::string_view) { yaml = false; }},
      {"--yaml -y", "", "print YAML", [&](std::string_view) { yaml = true; }},
      {"--render-as", "FORMAT", "json or yaml",
       [&](std::string_view v) {
         if (v != "json" && v != "yaml") throw UsageError{fmt::format("--render-as: '{}' is neither json nor yaml", v)};
         yaml = v == "yaml";
       }},
      {"--show-legacy", "", "also print the legacy facts ($operatingsystem)", [&](std::string_view) { legacy = true; }},
      {"--external-dir", "DIR", "directory of external facts; may be repeated",
       [&](std::string_view v) { local.external_directories.emplace_back(v); }},
      {"--[no-]external-facts", "", "read external facts (default)", [&](std::string_view v) { local.external = v == "true"; }},
      {"--custom-dir", "DIR", "directory of facts written in Ruby; may be repeated (besides FACTERLIB)",
       [&](std::string_view v) { local.custom_directories.emplace_back(v); }},
      {"--[no-]custom-facts", "", "read facts written in Ruby (default)", [&](std::string_view v) { local.ruby = v == "true"; }},
      {"--fact-timeout", "SECONDS", "for one fact written in Ruby that names no timeout of its own (60)",
       [&](std::string_view v) { local.fact_limit = std::chrono::seconds(positive_number("--fact-timeout", v)); }},
      {"--timing -t", "", "how long each resolver and each fact in Ruby took, on standard error",
       [&](std::string_view) { timing = true; }}};
  for (Option& o : other_options(other)) own.push_back(std::move(o));
  own.insert(own.end(), std::make_move_iterator(table.begin()), std::make_move_iterator(table.end()));
  const Options options(
      "Usage: pupc facts [options] [NAME...]\n       pupc facts --for SYSTEM [--node NAME] [--set NAME=VALUE...]\n"
      "       pupc facts --from PLACE [--output DIR]\n\nPrints the facts of this machine, with those of the environment's modules; "
      "with names (os.family) only these.\nWith --for those of a usual machine with that system, with --from those of nodes that a server "
      "knows: what the option\n--facts of other commands takes. Facts of modules run only on their machine, so --set adds them there.",
      std::move(own), &environment.configuration);
  const std::vector<std::string_view> names = options.parse(words, help);
  if (help) return exit_success;
  if (!other.system.empty() || !other.from.empty()) return other_facts(other, environment, names, yaml, legacy);
  if (!other.node.empty() || !other.output.empty() || !other.assignments.empty())
    throw UsageError{"--node, --set and --output belong to --for and --from"};
  take_checkout(environment);
  try {
    read_puppet_conf(environment, nullptr);
    add_places(local, local_facts_options(environment, *open_environment(environment, nullptr)));
  } catch (const CompileError& e) {
    fmt::print(stderr, "Error: Could not run: {}\n", e.diagnostic.puppet_text());
    return exit_failure;
  }
  local.ruby_program = environment.ruby.program;
  local.puppet_version = true;

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
  print_value(names.empty() ? facts.to_value(arena, legacy) : named_facts(facts, names, arena), yaml);
  return exit_success;
}

} // namespace pupc::cli
