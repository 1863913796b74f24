// pupc diff OLD NEW: what differs between two catalogs, two directories of catalogs, or two revisions of a control repository.
#include "catalog/base/paths.h"
#include "catalog/diff/diff.h"
#include "catalog/diff/groups.h"
#include "catalog/diff/ignore_rules.h"
#include "catalog/json/json_reader.h"
#include "tools/pupc/command.h"
#include "tools/pupc/diff/kept_compiles.h"
#include "tools/pupc/diff/revisions.h"
#include "tools/pupc/options.h"
#include "tools/pupc/render.h"
#include "tools/pupc/settings/puppet_conf.h"
#include "tools/pupc/workers.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <set>
#include <sys/stat.h>

namespace pupc::cli {
namespace {

namespace fs = std::filesystem;

// The same exit codes as diff(1).
constexpr int exit_equal = 0, exit_different = 1, exit_trouble = 2;

enum class Format : uint8_t { Text, Json, Markdown, Html };

/// Options with a value that count only after the compiles.
constexpr std::string_view page_options[] = {"--format", "--color",    "--ignore", "--jobs",
                                             "--node",   "--certname", "--sample", "--time-limit"};

struct Request {
  DiffOptions options;
  IgnoreRules ignore;
  Format format = Format::Text;
  bool color = false;
  bool by_node = false;
  RevisionsRequest revisions;
  unsigned jobs = 0; // threads that compare; 0: as many as processors
  std::string page;  // all that counts in the text that is told, beside the revisions' files
};

bool read_document(const std::string& path, Arena& arena, Value& out) {
  const auto text = read_whole_file(path, FileKinds::Pipes);
  if (!text) {
    fmt::print(stderr, "Error: Could not read {}: {}\n", path, file_problem(errno));
    return false;
  }
  JsonError error;
  if (parse_json(arena.copy(*text), arena, out, error)) return true;
  fmt::print(stderr, "Error: {} is no JSON document: {} (file: {}, line: {}, column: {})\n", path, error.message, path, error.line,
             error.column);
  return false;
}

std::string coloured(const std::string& text) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    size_t end = std::min(text.find('\n', at), text.size());
    const char* colour = text[at] == '-'                      ? "\033[0;31m"
                         : text[at] == '+'                    ? "\033[0;32m"
                         : text[at] == '=' || text[at] == '!' ? "\033[1m"
                                                              : "";
    out += colour + text.substr(at, end - at) + (*colour != '\0' ? "\033[0m\n" : "\n");
    at = end + 1;
  }
  return out;
}

/// Two documents and how they differ.
struct Compared {
  Arena arena; // of the documents, to which the difference points
  std::optional<CatalogDiff> diff;
  std::vector<Impact> impacts;
};

/// Reads and compares two documents. No difference when one cannot be read, which is told.
void compare_files(const std::string& before, const std::string& after, const DiffOptions& options, Compared& out) {
  Value old_document, new_document;
  const bool first = read_document(before, out.arena, old_document), second = read_document(after, out.arena, new_document);
  if (!first || !second) return;
  std::string problem;
  out.diff = diff_catalogs(old_document, new_document, options, problem);
  if (out.diff)
    out.impacts = impacts_of(old_document, new_document, *out.diff);
  else
    fmt::print(stderr, "Error: {} {}: {}\n", before, after, problem);
}

std::string rendered(const DiffReport& report, Format format) {
  switch (format) {
  case Format::Text: return report_text(report);
  case Format::Json: return report_json(report) + '\n';
  case Format::Markdown: return report_markdown(report);
  case Format::Html: return report_html(report);
  }
  return {};
}

std::set<std::string> catalogs_in(const std::string& directory) {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(directory))
    if (entry.path().extension() == ".json") names.insert(entry.path().stem().string());
  return names;
}

/// Compares two sides node by node. Adds the differences to `report` and returns the exit code.
int compare_sides(const CompiledSide& before, const CompiledSide& after, const Request& request, DiffReport& report) {
  const auto olds = catalogs_in(before.directory), news = catalogs_in(after.directory);
  std::set<std::string> all = olds;
  all.insert(news.begin(), news.end());
  for (const auto* side : {&before, &after})
    for (const auto& [node, error] : side->errors) all.insert(node);
  // What one side had no time for is not compared: a node that the other side has is not new or gone.
  for (const std::string& node : after.left_out) all.erase(node);
  DiffGrouper grouper(request.by_node, request.options.places);
  bool trouble = false;
  std::vector<std::string> on_both_sides; // have a catalog on both sides
  for (const auto& node : all) {
    const auto old_error = before.errors.find(node), new_error = after.errors.find(node);
    if (old_error != before.errors.end() || new_error != after.errors.end()) {
      const bool both = old_error != before.errors.end() && new_error != after.errors.end();
      trouble |= both; // neither side has a catalog to compare
      grouper.add_failure(
          {node, old_error != before.errors.end() ? old_error->second : "", new_error != after.errors.end() ? new_error->second : ""});
    } else if (!news.contains(node)) {
      grouper.add_removed(node);
    } else if (!olds.contains(node)) {
      grouper.add_added(node);
    } else {
      on_both_sides.push_back(node);
    }
  }
  // As many at once as fit well into memory; they are added in their order.
  constexpr size_t at_once = 64;
  for (size_t at = 0; at < on_both_sides.size(); at += at_once) {
    const auto nodes = std::span<const std::string>(on_both_sides).subspan(at, std::min(at_once, on_both_sides.size() - at));
    std::vector<Compared> compared(nodes.size());
    for_each_index(nodes.size(), request.jobs == 0 ? default_jobs() : request.jobs, [&](size_t i) {
      const std::string file = "/" + nodes[i] + ".json";
      compare_files(before.directory + file, after.directory + file, request.options, compared[i]);
    });
    for (size_t i = 0; i < nodes.size(); ++i)
      if (compared[i].diff)
        grouper.add(nodes[i], *compared[i].diff, compared[i].impacts);
      else
        trouble = true;
  }
  grouper.add_equal(before.unreached.size());
  report = grouper.finish();
  report.left_out = after.left_out.size();
  trouble |= report.equal() && report.left_out != 0; // nothing found, but not all looked at
  return trouble ? exit_trouble : report.equal() ? exit_equal : exit_different;
}

/// Takes the two sides from the command line.
void take_sides(RevisionsRequest& what, std::span<const std::string_view> words) {
  if (words.empty() || words.size() > 2)
    throw UsageError{"diff with --facts needs one or two revisions, or two environments: OLD, OLD..NEW or OLD NEW"};
  what.before = words[0];
  if (const size_t dots = what.before.find(".."); words.size() == 1 && dots != std::string::npos) {
    what.after = what.before.substr(dots + 2);
    what.before.resize(dots);
    if (what.before.empty() || what.after.empty() || what.after[0] == '.')
      throw UsageError{"diff with --facts needs one or two revisions: OLD, OLD..NEW or OLD NEW"};
  }
  if (words.size() == 2) what.after = words[1];
}

/// Compares two revisions, or tells what an earlier run found of them. `summary` is for the terminal.
int compare_revisions(const CompileOptions& options, Request& request, std::string& out, std::string& summary) {
  RevisionsRequest& what = request.revisions;
  DiffReport report;
  const KeptCompiles kept(what.cache, what.key);
  const std::string before = commit_of(what, what.before), after = commit_of(what, what.after);
  const std::string comparison = before.empty() || after.empty() ? "" : fmt::format("{} {} {}", before, after, request.page);
  if (const auto known = kept.answer(comparison)) {
    out = known->output;
    summary = known->summary;
    return known->code;
  }
  const CompiledRevisions sides(options, what);
  request.jobs = options.jobs;
  request.options.root = sides.root;
  const int code = compare_sides(sides.before, sides.after, request, report);
  if (report.compared == 0 && report.failures.empty() && report.left_out == 0)
    throw UsageError{fmt::format("no node to compare: {} has no facts of one", request.revisions.facts)};
  report.roles = sides.roles;
  report.before = what.before;
  report.after = what.after.empty() ? "checkout" : what.after;
  out = rendered(report, request.format);
  summary = report.summary();
  if (sides.states) kept.keep(comparison, {code, out, summary}, *sides.states);
  if (const size_t unreached = sides.before.unreached.size(); unreached != 0)
    summary += fmt::format("\n{} of {} nodes compiled on both sides: the change reaches no other", report.compared - unreached,
                           report.compared);
  return code;
}

int compare_paths(const Request& request, std::span<const std::string_view> words, DiffReport& report, std::string& out) {
  constexpr auto usage =
      "diff needs two catalogs or two directories of catalogs: OLD NEW. For revisions of a control repository --facts says "
      "which nodes are compiled";
  if (words.size() != 2) throw UsageError{usage};
  const std::string before(words[0]), after(words[1]);
  if (!fs::exists(before) && !fs::exists(after)) throw UsageError{fmt::format("neither {} nor {} is a file: {}", before, after, usage)};
  const bool directories = fs::is_directory(before);
  if (directories != fs::is_directory(after)) throw UsageError{"diff compares two files or two directories, not one of each"};
  report.before = before;
  report.after = after;
  if (directories) {
    const int code = compare_sides({before, {}, {}, {}}, {after, {}, {}, {}}, request, report);
    report.before = before;
    report.after = after;
    return code;
  }
  int code = exit_trouble;
  Compared compared;
  compare_files(before, after, request.options, compared);
  if (!compared.diff) return code;
  const CatalogDiff& diff = *compared.diff;
  code = diff.empty() ? exit_equal : exit_different;
  // A comparison of two single catalogs needs no headings for nodes.
  if (request.format == Format::Text) out = diff_text(diff);
  if (request.format == Format::Json) out = diff_json(diff) + '\n';
  if (request.format != Format::Markdown && request.format != Format::Html) return code;
  DiffGrouper grouper(true, request.options.places);
  grouper.add(fs::path(after).stem().string(), diff, compared.impacts);
  report = grouper.finish();
  report.before = before;
  report.after = after;
  out = rendered(report, request.format);
  return code;
}

/// What counts in a comparison beside the revisions and files. What later runs may use of the compiles hangs on the options that compile;
/// the page that is told, on all.
void set_key(Request& request, std::span<const std::string_view> words, std::span<const std::string_view> sides) {
  std::string& key = request.revisions.key;
  key = fmt::format("pupc {}\n{}\n", PUPC_VERSION, absolute_path("."));
  struct stat info {};
  if (::stat("/proc/self/exe", &info) == 0)
    key += fmt::format("{} {} {}.{:09}\n", info.st_size, info.st_ino, info.st_mtim.tv_sec, info.st_mtim.tv_nsec);
  request.page = fmt::format("{} {}", request.revisions.before, request.revisions.after);
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string_view word = words[i];
    request.page += fmt::format("\n{}", word);
    if (std::ranges::any_of(sides, [&](std::string_view side) { return side.data() == word.data(); })) continue;
    const bool of_page = std::ranges::any_of(page_options, [&](std::string_view name) {
      return word == name || (word.starts_with(name) && word.substr(name.size()).starts_with('='));
    });
    if (!of_page) key += fmt::format("{}\n", word);
    if (!of_page || word.find('=') != std::string_view::npos || i + 1 == words.size()) continue;
    request.page += fmt::format("\n{}", words[++i]);
  }
}

std::vector<Option> option_table(Request& request, CompileOptions& options, ColorMode& color) {
  auto add_ignore = [&request](std::string_view rule) {
    std::string problem;
    if (!request.ignore.add(rule, problem)) throw UsageError{"--ignore: " + problem};
  };
  std::vector<Option> table = {
      {"--format", "FORMAT", "text (default), json, markdown, or html: one page with search and filters",
       [&](std::string_view v) {
         constexpr std::string_view names[] = {"text", "json", "markdown", "html"};
         const auto* found = std::find(std::begin(names), std::end(names), v);
         if (found == std::end(names)) throw UsageError{fmt::format("--format is text, json, markdown or html, not '{}'", v)};
         request.format = static_cast<Format>(found - std::begin(names));
       }},
      {"--[no-]tags", "", "compare tags (default)", [&](std::string_view v) { request.options.tags = v == "true"; }},
      {"--[no-]edges", "", "all containment edges, or none; without it those between resources that both have",
       [&](std::string_view v) { request.options.edges = v == "true" ? DiffEdges::All : DiffEdges::None; }},
      {"--places", "", "compare files and lines of resources too", [&](std::string_view) { request.options.places = true; }},
      {"--[no-]group", "", "tell identical changes of many nodes once (default)",
       [&](std::string_view v) { request.by_node = v != "true"; }},
      {"--ignore", "RULE", "leave out what fits: 'File', 'File[/etc/cron*]', 'Package[*] ensure', '* tag'", add_ignore},
      {"--ignore-file", "FILE", "such rules, one a line, # comments",
       [&](std::string_view v) {
         const std::string path(v);
         const auto text = read_whole_file(path, FileKinds::Pipes);
         if (!text) throw UsageError{fmt::format("Could not read {}: {}", path, file_problem(errno))};
         std::string problem;
         if (!request.ignore.add_lines(*text, problem)) throw UsageError{fmt::format("{}, {}", path, problem)};
       }},
      {"--color", "WHEN", "auto, always or never", [&](std::string_view v) { color = parse_color(v); }},
      {"--repository", "DIR", "of revisions: the control repository (.)", [&](std::string_view v) { request.revisions.repository = v; }},
      {"--exports", "", "of revisions: the nodes collect each other's exported resources",
       [&](std::string_view) { request.revisions.exports = true; }},
      {"--role", "FACT", "of revisions: the fact that tells what kind of node one is, for the counts of nodes (role)",
       [&](std::string_view v) { request.revisions.role = v; }},
      {"--sample", "FACT:N", "of revisions: only N nodes for each value of the fact, such as role:5",
       [&](std::string_view v) {
         const auto sample = parse_sample(v);
         if (!sample) throw UsageError{fmt::format("--sample is a fact and a number, such as role:5, not '{}'", v)};
         request.revisions.sample = *sample;
       }},
      {"--every-node", "", "of revisions: compile also the nodes that no changed file can reach",
       [&](std::string_view) { request.revisions.every_node = true; }},
      {"--cache", "DIR", "of revisions: where what later runs may use is kept (default: pupc in the user's cache directory)",
       [&](std::string_view v) {
         if (v.empty()) throw UsageError{"--cache takes a directory"};
         request.revisions.cache = absolute_path(v);
       }},
      {"--no-cache", "", "of revisions: neither use nor keep what other runs found",
       [&](std::string_view) { request.revisions.cache.clear(); }},
      {"--time-limit", "SECONDS", "of revisions: compile no further nodes after so long, and tell how many were left out",
       [&](std::string_view v) { request.revisions.seconds = positive_number("--time-limit", v); }},
  };
  for (Option& o : compile_option_table(options)) {
    if (o.names.starts_with("--facts"))
      o = {"--facts", "PLACE",
           "OLD and NEW are revisions or environments: compile the nodes that have facts there: a directory of files, one file, "
           "puppetdb:QUERY, its answer in a file, or store:FILE",
           [&](std::string_view v) { request.revisions.facts = v; }};
    if (o.names.starts_with("--node"))
      o = {"--node --certname", "NAME", "of revisions: only this node, or those that fit a pattern with *; may be given several times",
           [&](std::string_view v) { request.revisions.nodes.emplace_back(v); }};
    if (o.names.starts_with("--trusted")) continue; // trusted data belong to one node
    table.push_back(std::move(o));
  }
  return table;
}

constexpr std::string_view diff_usage =
    R"(Usage: pupc diff OLD NEW [options]
       pupc diff OLD[..NEW] --facts DIR [options]

Shows what differs between two catalogs, or between the catalogs of two directories. With --facts OLD and NEW are revisions of a control
repository in git, or directories of environments, and the nodes are compiled in both; without NEW, OLD is compared with the checkout as it
is. A change that several nodes have is shown once. Order, version and uuid do not count; sensitive values are not shown. A node that
compiles in one revision only is a difference.)";

} // namespace

int diff_command(std::span<const std::string_view> words) {
  Request request;
  request.revisions.cache = default_cache_directory();
  CompileOptions options;
  ColorMode color = ColorMode::Auto;
  bool help = false;
  auto rest = Options(diff_usage, option_table(request, options, color), &options.configuration).parse(words, help);
  if (help) return exit_equal;
  if (!request.ignore.empty()) request.options.ignore = &request.ignore;
  request.color = request.format == Format::Text && render_style(stdout, color).color;
  DiffReport report;
  std::string out;
  int code = exit_trouble;
  if (request.revisions.facts.empty()) {
    code = compare_paths(request, rest, report, out);
    if (out.empty() && (request.format != Format::Text || !report.equal()))
      out = code == exit_trouble ? "" : rendered(report, request.format);
  } else {
    try {
      ConsoleLog log(options.log_level, render_style(stderr, color).color);
      // Ignore where puppet.conf or the machine's own Puppet have environments and modules: those are not the repository's.
      const std::string environmentpath = options.environmentpath;
      const std::vector<std::string> modulepath = options.environment.modulepath;
      read_puppet_conf(options, &log);
      options.environmentpath = environmentpath;
      options.environment.modulepath = modulepath;
    } catch (const CompileError& e) {
      fmt::print(stderr, "Error: {}\n", e.diagnostic.puppet_text());
      return exit_trouble;
    }
    take_sides(request.revisions, rest);
    set_key(request, words, rest);
    std::string summary;
    code = compare_revisions(options, request, out, summary);
    fmt::print(stderr, "{}\n", summary);
  }
  if (request.color) out = coloured(out);
  if (std::fwrite(out.data(), 1, out.size(), stdout) != out.size() || std::fflush(stdout) != 0) return exit_trouble;
  return code;
}

} // namespace pupc::cli
