// pupc why: shows where a node's resource and its attributes come from, and what the resource waits for.
#include "tools/pupc/why/why.h"

#include "catalog/store/store.h"
#include "tools/pupc/command.h"
#include "tools/pupc/node/node_setup.h"
#include "tools/pupc/render.h"
#include "tools/pupc/settings/puppet_conf.h"

#include <cstdio>
#include <fmt/format.h>

namespace pupc::cli {
namespace {

enum class Form : uint8_t { Text, Json, Dot, Html };

int answer(Why& why, std::span<const std::string_view> references, Form form) {
  std::vector<ResourceId> ids;
  for (std::string_view reference : references) {
    std::string problem;
    ids.push_back(why.find(reference, problem));
    if (ids.back() != no_resource) continue;
    fmt::print(stderr, "Error: {}\n", problem);
    return exit_failure;
  }
  std::string out;
  int code = exit_success;
  if (ids.size() == 1) {
    const WhyAnswer found = why.answer(ids[0]);
    switch (form) {
    case Form::Text: out = why_text(why, found); break;
    case Form::Json: out = why_json(why, found); break;
    case Form::Dot: out = why_dot(why, found); break;
    case Form::Html: out = why_html(why, found); break;
    }
  } else {
    auto chain = why.chain(ids[0], ids[1]);
    const bool reversed = chain.empty();
    if (reversed) chain = why.chain(ids[1], ids[0]);
    if (chain.empty()) code = exit_failure;
    switch (form) {
    case Form::Text: out = chain_text(why, chain, ids[0], ids[1], reversed); break;
    case Form::Json: out = chain_json(why, chain, reversed); break;
    case Form::Dot: out = chain_dot(why, chain); break;
    case Form::Html: out = chain_html(why, chain, ids[0], ids[1], reversed); break;
    }
  }
  const bool good = std::fwrite(out.data(), 1, out.size(), stdout) == out.size() && std::fflush(stdout) == 0;
  return good ? code : exit_failure;
}

int compile_and_answer(CompileOptions& options, std::span<const std::string_view> references, Form form, ColorMode color) {
  const LimitedWork work(options.limits);
  RenderStyle style = render_style(stderr, color);
  ConsoleLog log(std::max(options.log_level, options.log_level_given ? options.log_level : LogLevel::Err), style.color);
  std::shared_ptr<const Environment> environment;
  std::unique_ptr<ExportStore> store;
  Environments environments(options);
  FactsFiles facts_files;
  NodeData node;
  OriginRecorder origins;
  take_checkout(options);
  style.below = options.shown_below;
  log.show_paths_below(style.below);
  try {
    read_puppet_conf(options, &log);
    if (!has_source(options))
      throw UsageError{"nothing to compile: give --manifest, -e or --environmentpath, or stand in a control repository"};
    std::string name = options.node;
    Value trusted;
    Value facts = given_facts(options, facts_files, name, &trusted);
    if (name.empty()) name = local_host_name();
    environment = set_up_node(options, environments, node, name, facts, &log, trusted);
    if (!options.store.empty()) store = open_sqlite_store(options.store);
  } catch (const CompileError& e) {
    log.log({LogLevel::Err, "", e.diagnostic.puppet_text()});
    return exit_failure;
  }
  if (store) node.exports = store.get();
  node.origins = &origins;
  RubyPool ruby(options.ruby);
  CompileResult result = compile(environment, node, options.settings, log, &ruby);
  if (!result.ok()) {
    const std::string place = render_place(*result.error, style);
    std::fwrite(place.data(), 1, place.size(), stderr);
    return exit_failure;
  }
  Why why(*result.catalog, origins);
  return answer(why, references, form);
}

constexpr std::string_view why_usage =
    R"(Usage: pupc why 'TYPE[TITLE]' ['TYPE[TITLE]'] [options]

Compiles a node and explains one of its resources: who declared it, up to the node or the main manifest; who gave each attribute its value
(with the place in Hiera's data); what contains it; what it waits for and what waits for it, autorequire included. For two resources it
prints the shortest chain of relationships between them. Sensitive values are not shown.)";

} // namespace

int why_command(std::span<const std::string_view> words) {
  CompileOptions options;
  Form form = Form::Text;
  ColorMode color = ColorMode::Auto;
  bool help = false;
  std::vector<Option> table = {
      {"--format", "FORMAT", "text (default) or json",
       [&](std::string_view v) {
         if (v != "text" && v != "json") throw UsageError{fmt::format("--format is text or json, not '{}'", v)};
         form = v == "json" ? Form::Json : Form::Text;
       }},
      {"--graph", "FORM", "draw it: dot (for Graphviz) or html (one page)",
       [&](std::string_view v) {
         if (v != "dot" && v != "html") throw UsageError{fmt::format("--graph is dot or html, not '{}'", v)};
         form = v == "dot" ? Form::Dot : Form::Html;
       }},
      {"--store", "FILE", "collect exported resources from there (SQLite)", [&](std::string_view v) { options.store = v; }},
      {"--color", "WHEN", "auto, always or never", [&](std::string_view v) { color = parse_color(v); }},
  };
  for (Option& o : compile_option_table(options)) {
    if (o.names == "--jobs") continue; // the command compiles only one node
    table.push_back(std::move(o));
  }
  const auto references = Options(why_usage, std::move(table), &options.configuration).parse(words, help);
  if (help) return exit_success;
  if (references.empty() || references.size() > 2) throw UsageError{"why needs one resource, or two: 'File[/etc/motd]'"};
  return compile_and_answer(options, references, form, color);
}

} // namespace pupc::cli
