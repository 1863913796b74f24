// pupc compile: compiles manifests to a JSON catalog.
#include "catalog/json/catalog_writer.h"
#include "catalog/store/store.h"
#include "tools/pupc/command.h"
#include "tools/pupc/compile/all_nodes.h"
#include "tools/pupc/compile/batch.h"
#include "tools/pupc/node/node_setup.h"
#include "tools/pupc/render.h"
#include "tools/pupc/settings/puppet_conf.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>

namespace pupc::cli {
namespace {

/// On a terminal, prints the source line and a suggestion below the log line of an error.
void show_place(const Diagnostic& d, const RenderStyle& style) {
  const std::string text = render_place(d, style);
  std::fwrite(text.data(), 1, text.size(), stderr);
}

/// How to print errors: Plain as log lines, Human with excerpts of the sources, Terminal with excerpts only on a terminal.
enum class ErrorFormat { Terminal, Human, Plain };

struct FactName {
  std::string_view flat, structured;
};
constexpr FactName fact_names[] = {
#include "catalog/schema/legacy_facts.inc"
};

/// Whether missing facts may cause the error: it names a variable with a fact's name, or its line reads `$facts`.
bool misses_fact(const Diagnostic& d) {
  if (d.code == ErrorCode::unknown_variable)
    return std::any_of(std::begin(fact_names), std::end(fact_names), [&](const FactName& f) {
      return d.message.find(fmt::format("'{}'", f.flat)) != std::string::npos ||
             d.message.find(fmt::format("'{}'", f.structured.substr(0, f.structured.find('.')))) != std::string::npos;
    });
  if (!d.loc || d.position().line == 0) return false;
  const std::string_view line = d.loc.file->line_text(d.position().line);
  return line.find("$facts") != std::string_view::npos || line.find("${facts") != std::string_view::npos;
}

int compile_one(const CompileOptions& options, const AllNodesOptions& how, ErrorFormat format) {
  const LimitedWork work(options.limits);
  RenderStyle style = render_style(stderr, how.color);
  if (format != ErrorFormat::Terminal) style.excerpt = format == ErrorFormat::Human;
  style.below = options.shown_below;
  ConsoleLog log(options.log_level, style.color);
  log.show_paths_below(style.below);
  std::shared_ptr<const Environment> environment;
  std::unique_ptr<ExportStore> store;
  Environments environments(options);
  FactsFiles facts_files;
  NodeData node;
  try {
    std::string node_name = options.node;
    Value trusted;
    Value facts = given_facts(options, facts_files, node_name, &trusted);
    if (node_name.empty()) node_name = local_host_name();
    environment = set_up_node(options, environments, node, node_name, facts, &log, trusted);
    if (!options.store.empty()) store = open_sqlite_store(options.store);
  } catch (const CompileError& e) {
    log.log({LogLevel::Err, "", e.diagnostic.puppet_text()});
    show_place(e.diagnostic, style);
    return exit_failure;
  }
  if (store) node.exports = store.get();
  RubyPool ruby(options.ruby);
  CompileResult result = compile(environment, node, options.settings, log, &ruby);
  if (options.explain_ruby) fmt::print(stderr, "{}", explain_ruby(ruby));
  if (!result.ok()) {
    const bool no_facts = !node.input.facts.is_hash() || node.input.facts.hash->size == 0;
    const std::string why = no_facts && misses_fact(*result.error)
                                ? "no facts were given (--facts FILE; `pupc facts --for debian-12` prints some)"
                                : "";
    if (style.excerpt && result.error->suggestion.empty()) result.error->suggestion = why;
    show_place(*result.error, style);
    if (!style.excerpt && !why.empty()) fmt::print(stderr, "  {}\n", why);
    return exit_failure;
  }
  if (store) {
    try {
      store->replace(stored_node(*result.catalog, node.input.facts, how.store_catalogs));
    } catch (const CompileError& e) {
      log.log({LogLevel::Err, "", e.diagnostic.puppet_text()});
      return exit_failure;
    }
  }
  std::string text;
  CatalogWriteOptions write;
  write.pretty = how.pretty;
  write_catalog(*result.catalog, text, write);
  text += '\n';
  if (!how.output.empty()) {
    const std::string failure = write_failure(how.output, text);
    if (failure.empty()) return exit_success;
    log.log({LogLevel::Err, "", fmt::format("Could not write {}: {}", how.output, failure)});
    return exit_failure;
  }
  bool good = std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
  return good ? exit_success : exit_failure;
}

} // namespace

int compile_command(std::span<const std::string_view> words) {
  CompileOptions options;
  std::string batch, all_nodes;
  ErrorFormat format = ErrorFormat::Terminal;
  AllNodesOptions how;
  std::vector<Option> table = compile_option_table(options);
  table.push_back({"--batch", "FILE.jsonl", "answer one request per line; - reads standard input", [&](std::string_view v) { batch = v; }});
  table.push_back(
      {"--all-nodes", "PLACE",
       "compile every node that has facts there, to --output: a directory of files, puppetdb:QUERY, its answer in a file, or store:FILE",
       [&](std::string_view v) { all_nodes = v; }});
  table.push_back({"--[no-]group", "", "of --all-nodes: tell a warning or error of many nodes once (default)",
                   [&](std::string_view v) { how.by_node = v != "true"; }});
  table.push_back(
      {"--output", "FILE|DIR", "write the catalog there instead of standard output", [&](std::string_view v) { how.output = v; }});
  table.push_back(
      {"--store", "FILE", "keep and collect exported resources there (SQLite)", [&](std::string_view v) { options.store = v; }});
  table.push_back({"--store-catalogs", "", "keep whole catalogs there, too: puppetdb_query() for resources needs them",
                   [&](std::string_view) { how.store_catalogs = true; }});
  table.push_back({"--pretty", "", "indent the JSON document", [&](std::string_view) { how.pretty = true; }});
  table.push_back({"--format", "FORMAT", "of errors: human with excerpts of the sources (default on a terminal), plain without",
                   [&](std::string_view v) {
                     if (v != "human" && v != "plain") throw UsageError{fmt::format("--format is human or plain, not '{}'", v)};
                     format = v == "human" ? ErrorFormat::Human : ErrorFormat::Plain;
                   }});
  table.push_back({"--color", "WHEN", "auto, always or never", [&](std::string_view v) { how.color = parse_color(v); }});
  bool help = false;
  auto rest = Options("Usage: pupc compile [SOURCE|-] [options]\n\nCompiles the catalog of one node and prints it as JSON. In a checkout "
                      "of a control repository its environment is "
                      "compiled,\nunless options name other places.",
                      std::move(table), &options.configuration)
                  .parse(words, help);
  if (help) return exit_success;
  if (rest.size() > 1) throw UsageError{fmt::format("one source at most, not also '{}'", rest[1])};
  if (rest.size() == 1) take_source(options, rest[0]);
  if (batch.empty()) take_checkout(options);
  try {
    ConsoleLog log(options.log_level, render_style(stderr, how.color).color);
    read_puppet_conf(options, &log);
  } catch (const CompileError& e) {
    ConsoleLog(options.log_level, render_style(stderr, how.color).color).log({LogLevel::Err, "", e.diagnostic.puppet_text()});
    return exit_failure;
  }
  if (!batch.empty()) {
    if (!options.store.empty()) throw UsageError{"--batch has no --store"};
    if (!options.classifier.empty()) throw UsageError{"--batch has no --enc"};
    return run_batch(batch, options);
  }
  if (!has_source(options))
    throw UsageError{"nothing to compile: give a source, --manifest, -e or --environmentpath, or stand in a control repository"};
  if (!all_nodes.empty()) {
    if (how.output.empty()) throw UsageError{"--all-nodes needs --output DIR"};
    if (!options.node.empty() || !options.facts_file.empty() || !options.trusted_file.empty())
      throw UsageError{"--all-nodes takes names and facts from its directory; leave out --node, --facts and --trusted"};
    how.facts_directory = all_nodes;
    return compile_all_nodes(options, how);
  }
  return compile_one(options, how, format);
}

} // namespace pupc::cli
