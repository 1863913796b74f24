// pupc apply: applies manifests or a catalog to this machine. The phases of a run: load, compile, converge, cleanup.
#include "catalog/base/paths.h"
#include "catalog/base/text.h"
#include "catalog/graph/tags.h"
#include "catalog/json/catalog_reader.h"
#include "catalog/json/json_reader.h"
#include "compiler/build/compile.h"
#include "runtime/provider/system_tools.h"
#include "runtime/sys/process_environment.h"
#include "tools/pupc/apply/machine_run.h"
#include "tools/pupc/command.h"
#include "tools/pupc/node/puppetdb_commands.h"
#include "tools/pupc/render.h"
#include "tools/pupc/settings/puppet_conf.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace pupc::cli {
namespace {

/// Opens the manifest in the user's editor, then applies the edited text.
int edit_and_apply(System& system, const std::string& text) {
  std::error_code ignored;
  const std::string directory = system.make_private_directory(std::filesystem::current_path(ignored).string(), std::nullopt);
  const std::string file = directory + "/x2puppet.pp";
  system.write_file(file, text, 0600, std::nullopt, std::nullopt, false);
  const char* editor = std::getenv("EDITOR");
  const std::string command = fmt::format("{} '{}'", editor == nullptr ? "vi" : editor, with_replaced(file, "'", "'\\''"));
  int code = exit_failure;
  if (std::system(command.c_str()) == 0) { // the user's own command on the user's terminal
    const std::string_view words[] = {"-v", file};
    code = apply_command(words);
  }
  remove_tree(system, directory);
  return code;
}

class ApplyRun final : public MachineRun {
public:
  explicit ApplyRun(ApplyOptions& options) : MachineRun(options) {}

  int run();

private:
  bool load();
  bool compile_catalog();
  bool read_catalog();
  bool lock();
  int apply();
  int answer_query();
  void report_to_puppetdb();
  void phase(std::string_view name) {
    const double seconds = seconds_since(phase_start_);
    add_time(name, phase_start_);
    say(LogLevel::Info, fmt::format("Phase {} took {:.2f} seconds", name, seconds));
    phase_start_ = system_->monotonic();
  }

  FactsFiles facts_files_;
  int64_t phase_start_ = 0;
  std::unique_ptr<CommandSender> puppetdb_;
};

bool ApplyRun::load() {
  Value facts;
  std::string name = o_.compile.node;
  try {
    if (!o_.compile.facts_file.empty()) {
      facts = given_facts(o_.compile, facts_files_, name);
    } else {
      LocalFactsOptions local = facts_options();
      local.ruby = local.ruby && o_.query == nullptr; // Puppet resolves just the facts that types and providers ask for
      local.worker = &facts_worker_;
      local.stopped = [] { return stop_signal() != 0; };
      facts = collect_local_facts(*system_, local).to_value(*node_.arena, false, Facts::Order::AsGiven);
      if (name.empty()) name = configured_name(o_.compile, facts, {});
      if (name.empty())
        if (Value fqdn = find_fact(facts, "networking.fqdn"); fqdn.is_string()) name = fqdn.str();
    }
    if (name.empty()) name = system_->hostname();
    if (o_.query == nullptr) {
      const std::vector<std::string> reports = split_commas(o_.compile.configuration.value("reports"));
      const bool reported = std::ranges::find(reports, "puppetdb") != reports.end() && o_.keep_report;
      PuppetDbCommands commands = puppetdb_commands(o_.compile, "apply", reported);
      commands.directory = o_.vardir + "/puppetdb_spool";
      commands.producer = name;
      puppetdb_ = std::make_unique<CommandSender>(std::move(commands),
                                                  [this](LogLevel level, const std::string& line) { say(level, line); });
    }
    environment_ = set_up_node(o_.compile, environments_, node_, name, with_client_facts(facts, name), &kept_log_);
    if (o_.compile.server_facts_file.empty()) set_own_server_facts(node_, *environment_);
  } catch (const CompileError& e) {
    error(e.diagnostic.puppet_text());
    return false;
  }
  report_.host = name;
  report_.environment = environment_->options().name;
  return true;
}

bool ApplyRun::compile_catalog() {
  // Puppet sends them before there is a node, and so without the name of a certificate in the trusted data.
  if (!puppetdb_->facts(node_.input.name, node_.input.facts, local_trusted_data(*node_.arena, std::nullopt), report_.environment))
    return false;
  RubyPool ruby(o_.compile.ruby);
  const LimitedWork work(o_.compile.limits);
  CompileResult result = compile(environment_, node_, o_.compile.settings, kept_log_, &ruby);
  if (o_.compile.explain_ruby) fmt::print(stderr, "{}", explain_ruby(ruby));
  if (!result.ok() && console_.elsewhere()) {
    error(result.error_text);
    return false;
  }
  if (!result.ok()) {
    const RenderStyle style = render_style(stderr, o_.color);
    std::string text = render_place(*result.error, style);
    std::fwrite(text.data(), 1, text.size(), stderr);
    return false;
  }
  catalog_ = std::move(result.catalog);
  if (!puppetdb_->catalog(*catalog_, report_.environment, {})) return false;
  say(LogLevel::Notice, fmt::format("Compiled catalog for {} in environment {} in {:.2f} seconds", report_.host, report_.environment,
                                    seconds_since(phase_start_)));
  return true;
}

bool ApplyRun::read_catalog() {
  std::string text;
  if (o_.catalog_file == "-") {
    text = read_standard_input();
  } else if (auto content = read_whole_file(o_.catalog_file, FileKinds::Pipes)) {
    text = std::move(*content);
  } else {
    error(fmt::format("Could not read catalog: {}: {}", o_.catalog_file, file_problem(errno)));
    return false;
  }
  catalog_ = std::make_unique<Catalog>();
  std::string problem;
  if (pupc::catalog::read_catalog(text, *catalog_, problem)) return true;
  error(fmt::format("Could not deserialize catalog from json: {}", problem));
  return false;
}

/// Answers `pupc resource`: changes the resource if the query asks for that, then prints the resulting state.
int ApplyRun::answer_query() {
  const ResourceQuery& query = *o_.query;
  try {
    catalog_ = std::make_unique<Catalog>();
    std::string problem;
    if (!query.settings.empty() && !pupc::catalog::read_catalog(query_catalog(query, report_.environment), *catalog_, problem))
      throw ResourceError(problem);
    Arena arena;
    RunOptions options = run_options();
    RubyTypes foreign(ruby_types_options(), options.settings.library_directories());
    options.settings.foreign_types = &foreign;
    RunCatalog catalog(*catalog_, options.settings);
    Transaction transaction(catalog, *system_, arena, std::move(options), report_, console_);
    if (!query.settings.empty()) {
      if (!transaction.run()) return exit_failure;
      if (query.must_succeed && report_.failures() > 0)
        throw ResourceError(fmt::format("Failed to manage resource {}[{}]", capitalize_segments(query.type), query.title));
    }
    const std::string answer = query_answer(query, transaction);
    if (query.edit) return edit_and_apply(*system_, answer);
    std::fwrite(answer.data(), 1, answer.size(), stdout);
    return std::fflush(stdout) == 0 ? exit_success : exit_failure;
  } catch (const std::exception& e) { error(fmt::format("Could not run: {}", e.what())); }
  return exit_failure;
}

bool ApplyRun::lock() {
  const std::string file = o_.statedir + "/apply.lock";
  const size_t logged = report_.logs.size();
  std::string holder;
  if (take_lock(file, holder)) return true;
  if (report_.logs.size() == logged)
    error(fmt::format("Run of pupc already in progress{}; skipping ({} exists)", holder.empty() ? "" : fmt::format(" (process {})", holder),
                      file));
  return false;
}

void ApplyRun::report_to_puppetdb() {
  Arena arena;
  Value report;
  JsonError problem;
  if (parse_json(arena.copy(report_json(report_)), arena, report, problem)) puppetdb_->report(report); // a failure is told, as in Puppet
}

int ApplyRun::apply() {
  const bool applied = converge();
  phase("converge");
  phase("cleanup"); // ends before the reports are written: they cannot contain the time of their own writing
  const bool written = write_reports();
  report_to_puppetdb();
  if (!applied || !written || stop_signal() != 0) return exit_failure;
  return o_.detailed_exitcodes ? report_.exit_code() : exit_success;
}

int ApplyRun::run() {
  phase_start_ = start_;
  catch_signals();
  set_search_path(o_.compile.configuration.value("path"));
  if (!open_logs(o_.compile.as_puppet ? "puppet-user" : "pupc")) return exit_failure;
  if (!load()) return exit_failure;
  if (o_.query != nullptr) return answer_query();
  phase("load");
  if (!(o_.catalog_file.empty() ? compile_catalog() : read_catalog())) return exit_failure;
  phase("compile");
  add_time("config_retrieval", start_);
  report_.transaction_uuid = report_.catalog_uuid = catalog_->uuid;
  if (o_.keep_state && !lock()) return exit_failure;

  const bool begun = run_hook("prerun_command", o_.prerun_command);
  if (!begun) report_.builtin_resources = 0;
  const int code = begun ? apply() : exit_failure;
  const bool ended = run_hook("postrun_command", o_.postrun_command); // even after a failed run
  return begun && ended ? code : exit_failure;
}

std::string named_path(std::string_view path) {
  if (path == "-") return "-";
  std::error_code ignored;
  return std::filesystem::absolute(path, ignored).lexically_normal().string();
}

/// Whether the manifest comes from standard input: nothing else names one, and a pipe or a file is there.
bool reads_standard_input(const CompileOptions& options) {
  struct stat info {};
  return !has_source(options) && ::fstat(STDIN_FILENO, &info) == 0 && !S_ISCHR(info.st_mode);
}

} // namespace

int run_apply(ApplyOptions& options) { return ApplyRun(options).run(); }

int run_apply(std::span<const std::string_view> words) {
  ApplyOptions options;
  options.compile.configuration.set_mode(RunMode::User);
  std::vector<Option> table = compile_option_table(options.compile);
  auto flag = [](bool& target) { return [&target](std::string_view v) { target = v == "true"; }; };
  auto list = [](std::vector<std::string>& target) {
    return [&target](std::string_view v) {
      for (std::string& t : split_commas(v)) target.push_back(std::move(t));
    };
  };
  table.push_back({"--[no-]noop", "", "say what would change and change nothing", flag(options.noop)});
  table.push_back(
      {"--detailed-exitcodes --detailed_exitcodes", "", "2 = changes, 4 = failures, 6 = both", flag(options.detailed_exitcodes)});
  table.push_back({"--tags", "A,B", "only resources that have one of these tags", list(options.tags)});
  table.push_back({"--skip_tags --skip-tags", "A,B", "not the resources that have one of these tags", list(options.skip_tags)});
  table.push_back({"--[no-]show-diff", "", "show how contents of files differ", flag(options.show_diff)});
  table.push_back({"--[no-]show_diff", "", "the same", flag(options.show_diff)});
  table.push_back({"--catalog", "FILE", "apply this catalog document instead of compiling; - reads standard input",
                   [&](std::string_view v) { options.catalog_file = named_path(v); }});
  table.push_back({"--test -t", "", "verbose, show differences, detailed exit codes",
                   [&](std::string_view) { options.verbose = options.show_diff = options.detailed_exitcodes = true; }});
  table.push_back({"--verbose -v", "", "log at level info", flag(options.verbose)});
  table.push_back({"--debug -d", "", "log at level debug", flag(options.debug)});
  table.push_back({"--write-catalog-summary --write_catalog_summary", "", "write classes.txt and resources.txt into the state directory",
                   flag(options.catalog_summary)});
  table.push_back({"--[no-]graph", "", "write the graphs of the run, for GraphViz, into GRAPHDIR (STATEDIR/graphs)", flag(options.graph)});
  table.push_back({"--[no-]evaltrace", "", "log the turn of each resource", flag(options.trace)});
  table.push_back({"--logdest -l", "PLACES", "console, syslog, absolute paths (.json, .jsonl), with commas between them",
                   [&](std::string_view v) { options.logdest = v; }});
  table.push_back({"--parseonly", "", "an error: Puppet removed it; use pupc validate", [](std::string_view) {
                     fmt::print("--parseonly has been removed. Please use 'puppet parser validate <manifest>'\n");
                     std::fflush(stdout);
                     std::exit(exit_failure);
                   }});
  table.push_back({"--summarize", "", "print counts and times at the end", flag(options.summarize)});
  table.push_back({"--report", "FILE", "write the report there: JSON when it ends with .json, else YAML",
                   [&](std::string_view v) { options.report_file = named_path(v); }});
  table.push_back({"--vardir", "DIR", "what is kept between runs (/var/lib/pupc)", [&](std::string_view v) {
                     options.vardir = named_path(v);
                     options.compile.configuration.set("vardir", options.vardir);
                   }});
  table.push_back(
      {"--statedir", "DIR", "state, reports and lock (VARDIR/state)", [&](std::string_view v) { options.statedir = named_path(v); }});
  table.push_back({"--[no-]state", "", "keep a state, reports and a lock (default)", flag(options.keep_state)});
  table.push_back(
      {"--ignoreschedules --ignore-schedules", "", "evaluate resources whatever their schedules say", flag(options.ignore_schedules)});
  table.push_back(
      {"--color", "WHEN", "auto, always or never", [&](std::string_view v) { options.color = parse_color(v == "false" ? "never" : v); }});
  table.push_back({"--fact-timeout", "SECONDS", "for one fact written in Ruby that names no timeout of its own (60)",
                   [&](std::string_view v) { options.fact_limit = std::chrono::seconds(positive_number("--fact-timeout", v)); }});
  table.push_back({"--provider-timeout", "SECONDS", "for one step of one resource whose provider is written in Ruby (3600)",
                   [&](std::string_view v) { options.provider_timeout = std::chrono::seconds(positive_number("--provider-timeout", v)); }});
  bool help = false;
  auto rest =
      Options("Usage: pupc apply [options] [MANIFEST|-|--catalog FILE]\n\nBrings this machine into the state that the manifest describes.",
              std::move(table), &options.compile.configuration)
          .parse(words, help);
  if (help) return exit_success;
  if (rest.size() > 1) throw UsageError{fmt::format("one manifest at most, not also '{}'", rest[1])};
  if (rest.size() == 1) {
    take_source(options.compile, rest[0]);
    if (!options.compile.environment.code) options.compile.environment.manifest = named_path(rest[0]);
  }
  if (options.catalog_file.empty() && !reads_standard_input(options.compile)) take_checkout(options.compile);
  try {
    read_puppet_conf(options.compile, nullptr);
  } catch (const CompileError& e) {
    fmt::print(stderr, "Error: {}\n", e.diagnostic.puppet_text());
    return exit_failure;
  }
  try {
    take_apply_settings(options);
  } catch (const CompileError& e) {
    fmt::print(stderr, "Error: {}\n", e.diagnostic.puppet_text());
    return exit_failure;
  }
  options.agent = options.compile.configuration.mode() == RunMode::Agent; // such a run keeps the files that an agent keeps
  if (options.verbose) options.compile.log_level = LogLevel::Info;
  if (options.debug) options.compile.log_level = LogLevel::Debug;
  if (options.catalog_file.empty() && !has_source(options.compile)) {
    if (isatty(STDIN_FILENO) != 0)
      throw UsageError{"nothing to apply: give a manifest, -e, --environmentpath or --catalog, or stand in a control repository"};
    options.compile.environment.code = read_standard_input(); // like Puppet
  }
  return run_apply(options);
}

int apply_command(std::span<const std::string_view> words) {
  try {
    return run_apply(words);
  } catch (const UsageError& e) {
    fmt::print(stderr, "{}: {}\n", e.message.starts_with("Could not find file") ? "Error: Could not run" : "pupc", e.message);
    return exit_failure; // 2 would mean changes
  }
}

} // namespace pupc::cli
