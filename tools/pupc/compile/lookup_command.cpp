// pupc lookup: looks up keys in a node's data, like `puppet lookup`.
#include "catalog/json/json_writer.h"
#include "catalog/json/rich_data.h"
#include "compiler/conversion/ruby_text.h"
#include "compiler/eval/evaluator.h"
#include "compiler/eval/ruby_documents.h"
#include "compiler/hiera/lookup.h"
#include "compiler/load/load_error.h"
#include "compiler/types/core_types.h"
#include "tools/pupc/command.h"
#include "tools/pupc/compile/lookup_explanation.h"
#include "tools/pupc/node/facts_terminus.h"
#include "tools/pupc/node/known_nodes.h"
#include "tools/pupc/node/local_facts.h"
#include "tools/pupc/node/node_setup.h"
#include "tools/pupc/render.h"
#include "tools/pupc/settings/puppet_conf.h"

#include <algorithm>
#include <cstdio>
#include <fmt/format.h>

namespace pupc::cli {
namespace {

struct LookupWords {
  std::vector<std::string> keys;
  std::string merge, type, knock_out_prefix, render_as;
  std::optional<std::string> default_value;
  bool sort_merged_arrays = false, merge_hash_arrays = false, explain = false, explain_options = false, compile = false;
};

Value merge_options(Arena& arena, const LookupWords& words) {
  if (words.merge.empty()) return Value::undef();
  HashBuilder out(arena);
  out.set("strategy", Value::string(arena.copy(words.merge)));
  if (words.merge == "deep") {
    out.set("sort_merged_arrays", Value::boolean(words.sort_merged_arrays));
    out.set("merge_hash_arrays", Value::boolean(words.merge_hash_arrays));
    if (!words.knock_out_prefix.empty()) out.set("knockout_prefix", Value::string(arena.copy(words.knock_out_prefix)));
  }
  return out.finish();
}

std::string rendered(Evaluator& evaluator, const Value& value, const std::string& format) {
  if (format == "s") return ruby_to_s(evaluator.types(), value) + '\n';
  if (format == "json") {
    std::string out;
    JsonWriter json(out);
    write_rich_value(json, value, evaluator.arena());
    return out + '\n';
  }
  return yaml_document(evaluator.types(), value);
}

void check_usage(const LookupWords& words) {
  if ((words.sort_merged_arrays || words.merge_hash_arrays || !words.knock_out_prefix.empty()) && words.merge != "deep")
    throw UsageError{"--knock-out-prefix, --sort-merged-arrays and --merge-hash-arrays are only available with --merge deep"};
  if (!words.merge.empty() && words.merge != "first" && words.merge != "unique" && words.merge != "hash" && words.merge != "deep")
    throw UsageError{"--merge is first, unique, hash or deep"};
  if (!words.render_as.empty() && words.render_as != "s" && words.render_as != "json" && words.render_as != "yaml")
    throw UsageError{"--render-as is s, json or yaml"};
  if (words.keys.empty() && !(words.explain_options && !words.explain)) throw UsageError{"no keys were given to lookup"};
}

// Facts that tell of a certificate: who replaces one of them replaces all.
constexpr std::string_view certificate_facts[] = {"hostname", "domain", "fqdn", "clientcert"};

void check_given_facts(const Value& given, const std::string& file) {
  const auto has = [&](std::string_view fact) { return given.hash->find(fact) != nullptr; };
  if (std::ranges::any_of(certificate_facts, has) && !std::ranges::all_of(certificate_facts, has))
    throw_load_error(fmt::format("When overriding any of the {} facts with {} given via the --facts flag, they must all be overridden.",
                                 fmt::join(certificate_facts, ","), file));
}

/// The facts of a lookup by Puppet's rules. Without a node it is for this machine. With one its last facts come from the terminus, which is
/// yaml if the settings name none. Facts of a file replace them one by one.
TerminusFacts facts_by_terminus(const CompileOptions& options, const std::string& terminus, const Value& given, Environments& environments,
                                const std::string& name, Arena& arena, LogSink& log) {
  if (given.is_hash()) check_given_facts(given, options.facts_file);
  TerminusFacts found = find_facts(options, terminus, name, arena,
                                   [&] { return local_facts_as_puppet(options, *environments.open("", &log), arena); });
  HashBuilder both(arena);
  for (const Value& from : {found.facts, given})
    if (from.is_hash())
      for (const HashEntry& e : from.hash->entries()) both.set(e.key, e.value);
  found.facts = both.finish();
  if (found.facts.hash->entries().empty()) throw_load_error(fmt::format("No facts available for target node: {}", name));
  return found;
}

/// Prepares the node of a lookup, whose facts may live in `facts_files`, and returns its environment. Only with --compile does Puppet ask
/// the classifier.
std::shared_ptr<const Environment> set_up_lookup(CompileOptions& options, Environments& environments, FactsFiles& facts_files,
                                                 NodeData& node, bool compiles, LogSink& log) {
  std::string name = options.node;
  if (!compiles) options.environment.code = std::string();
  TerminusFacts known;
  known.facts = given_facts(options, facts_files, name, &known.trusted);
  // pupc's own command looks nowhere that nobody named.
  const std::string terminus = options.as_puppet && options.node.empty()
                                   ? "facter"
                                   : facts_terminus(options, "lookup", options.as_puppet ? "yaml" : "");
  const bool own_facts = terminus == "facter";
  if (options.as_puppet && name.empty()) name = options.configuration.value("certname");
  if (!terminus.empty() && (options.as_puppet || options.facts_file.empty()) && !keeps_nodes(options.facts_file))
    known = facts_by_terminus(options, terminus, known.facts, environments, name, *node.arena, log);
  if (name.empty()) name = local_host_name();
  if (options.as_puppet && !compiles) options.classifier.clear();
  auto environment = set_up_node(options, environments, node, name, known.facts, &log, known.trusted);
  if (options.as_puppet && options.environment_named && environment->options().name != options.environment.name) {
    environment = environments.open("", &log); // the command line goes before a classifier
    set_node_facts(options, node, name, known.facts, *environment);
    set_server_facts(node, {}, *environment);
  }
  if (!compiles) node.input.classes.clear();
  if (options.as_puppet) trust_parameters(options, node, own_facts);
  trust_known(options, node, known.trusted);
  return environment;
}

int look_up(CompileOptions& options, const LookupWords& words, ColorMode color) {
  const LimitedWork work(options.limits);
  RenderStyle style = render_style(stderr, color);
  ConsoleLog log(options.log_level, style.color);
  std::shared_ptr<const Environment> environment;
  Environments environments(options);
  FactsFiles facts_files;
  NodeData node;
  take_checkout(options);
  style.below = options.shown_below;
  log.show_paths_below(style.below);
  try {
    read_puppet_conf(options, &log);
    environment = set_up_lookup(options, environments, facts_files, node, words.compile, log);
  } catch (const CompileError& e) {
    log.log({LogLevel::Err, "", options.as_puppet ? "Could not run: " + e.diagnostic.puppet_text() : e.diagnostic.puppet_text()});
    return exit_failure;
  }

  std::string output;
  int code = exit_success;
  auto search = [&](Evaluator& evaluator, Frame& top) {
    Arena& arena = evaluator.arena();
    const bool explains = words.explain || words.explain_options;
    LookupExplanation explanation(words.explain_options && !words.explain);
    if (explains) evaluator.lookup_service()->explainer = &explanation;
    ListBuilder keys(arena);
    for (const auto& key : words.keys) keys.add(Value::string(arena.copy(key)));
    if (words.keys.empty()) keys.add(Value::string("__global__"));
    std::vector<Value> arguments = {keys.finish(), Value::undef(), merge_options(arena, words)};
    if (!words.type.empty()) arguments[1] = Value::type(parse_type(evaluator.types(), arena.copy(words.type)));
    if (words.default_value) {
      arguments.push_back(Value::string(arena.copy(*words.default_value)));
    } else {
      // Only the form of lookup() with a default accepts undef for type and merge. Leave undef arguments out at the end, else replace them.
      if (arguments[2].is_undef()) arguments.pop_back();
      if (arguments[1].is_undef()) {
        if (arguments.size() == 2)
          arguments.pop_back();
        else
          arguments[1] = Value::type(types::any());
      }
    }
    try {
      Value found = evaluator.call_function("lookup", arguments, nullptr, top, {});
      if (!explains) output = rendered(evaluator, found, words.render_as);
    } catch (const CompileError& error) {
      std::string_view message = error.diagnostic.message;
      const bool missing = message.starts_with("Function lookup() did not find a value");
      if (!explains && !missing) throw;
      // Like Puppet, print nothing for a key without a value, and never fail with an explanation.
      if (explains)
        explanation.text(error.diagnostic.puppet_text());
      else
        code = exit_failure;
    }
    if (explains) output = explanation.to_text(evaluator.types());
    evaluator.lookup_service()->explainer = nullptr;
  };
  RubyPool ruby(options.ruby);
  WithoutErrors quiet(log);
  CompileResult result = compile(environment, node, options.settings, options.as_puppet ? static_cast<LogSink&>(quiet) : log, &ruby,
                                 search);
  if (!result.ok() && options.as_puppet) {
    fmt::print(stderr, "Error: Could not run: {}\n", result.error->puppet_text());
    return exit_failure;
  }
  if (!result.ok()) {
    const std::string place = render_place(*result.error, style);
    std::fwrite(place.data(), 1, place.size(), stderr);
    return exit_failure;
  }
  bool good = std::fwrite(output.data(), 1, output.size(), stdout) == output.size() && std::fflush(stdout) == 0;
  return good ? code : exit_failure;
}

} // namespace

int lookup_command(std::span<const std::string_view> words) {
  CompileOptions options;
  LookupWords given;
  ColorMode color = ColorMode::Auto;
  std::vector<Option> table = compile_option_table(options);
  table.push_back({"--merge", "STRATEGY", "first, unique, hash or deep", [&](std::string_view v) { given.merge = v; }});
  table.push_back({"--knock-out-prefix", "TEXT", "with deep: values that start so remove others",
                   [&](std::string_view v) { given.knock_out_prefix = v; }});
  table.push_back(
      {"--sort-merged-arrays", "", "with deep: sort merged arrays", [&](std::string_view) { given.sort_merged_arrays = true; }});
  table.push_back({"--merge-hash-arrays", "", "with deep: merge hashes in arrays by position",
                   [&](std::string_view) { given.merge_hash_arrays = true; }});
  table.push_back({"--type", "TYPE", "the type that the value must have", [&](std::string_view v) { given.type = v; }});
  table.push_back(
      {"--default", "VALUE", "the value when there is none", [&](std::string_view v) { given.default_value = std::string(v); }});
  table.push_back({"--explain", "", "tell how the value was found", [&](std::string_view) { given.explain = true; }});
  table.push_back({"--explain-options", "", "tell how lookup_options were found", [&](std::string_view) { given.explain_options = true; }});
  table.push_back({"--compile", "", "compile the node's catalog first, for data that depends on its variables",
                   [&](std::string_view) { given.compile = true; }});
  table.push_back({"--render-as", "FORMAT", "yaml (default), json or s", [&](std::string_view v) { given.render_as = v; }});
  table.push_back({"--color", "WHEN", "auto, always or never", [&](std::string_view v) { color = parse_color(v); }});
  bool help = false;
  auto rest = Options(
                  "Usage: pupc lookup [options] KEY...\n\nLooks keys up in a node's data and prints the value of the first that has one.",
                  std::move(table), &options.configuration)
                  .parse(words, help);
  if (help) return exit_success;
  for (std::string_view key : rest) given.keys.emplace_back(key);
  check_usage(given);
  return look_up(options, given, color);
}

} // namespace pupc::cli
