// pupc apply: applies manifests or a catalog to this machine. The phases of a run: load, compile, converge, cleanup.
#include "catalog/base/paths.h"
#include "catalog/base/version.h"
#include "catalog/formats/data_file.h"
#include "catalog/formats/yaml_writer.h"
#include "catalog/graph/tags.h"
#include "catalog/json/catalog_reader.h"
#include "catalog/json/catalog_writer.h"
#include "compiler/build/compile.h"
#include "compiler/ruby/worker/libraries.h"
#include "runtime/facts/legacy_facts.h"
#include "runtime/provider/commands.h"
#include "runtime/ruby/ruby_types.h"
#include "runtime/sys/posix_system.h"
#include "runtime/transaction/transaction.h"
#include "tools/pupc/apply_options.h"
#include "tools/pupc/command.h"
#include "tools/pupc/local_facts.h"
#include "tools/pupc/log_destinations.h"
#include "tools/pupc/node_setup.h"
#include "tools/pupc/private_files.h"
#include "tools/pupc/progress_line.h"
#include "tools/pupc/puppet_conf.h"
#include "tools/pupc/render.h"
#include "tools/pupc/value_types.h"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace pupc::cli {
namespace {

// A signal handler can reach only globals.
std::atomic<int> stop_signal{0};

void on_signal(int number) { stop_signal.store(number); }

void catch_signals() {
  struct sigaction action {};
  action.sa_handler = on_signal;
  sigemptyset(&action.sa_mask);
  for (int s : {SIGINT, SIGTERM, SIGHUP}) ::sigaction(s, &action, nullptr);
  ::signal(SIGPIPE, SIG_IGN);
}

/// Prints notices and below to standard output, warnings and above to standard error. Uses colours only on a terminal.
class ApplyConsole final : public LogSink {
public:
  ApplyConsole(LogLevel least, ColorMode color, RunReport& report, System& system)
      : least_(least), out_color_(render_style(stdout, color).color), error_color_(render_style(stderr, color).color), report_(report),
        system_(system) {}

  void log(LogEntry entry) override {
    if (entry.level < least_) return;
    // The caller has already added this line to the report, so pass on the report's entry.
    for (const auto& place : places_.others)
      if (!report_.logs.empty()) place->write(report_.logs.back());
    if (!places_.console) return;
    progress.clear();
    std::FILE* to = entry.level >= LogLevel::Warning ? stderr : stdout;
    std::string line = fmt::format("{}: {}{}{}", console_word(entry.level), entry.source, entry.source.empty() ? "" : ": ", entry.message);
    if (entry.level >= LogLevel::Warning ? error_color_ : out_color_) {
      const char* colour = entry.level >= LogLevel::Err       ? "\033[1;31m"
                           : entry.level == LogLevel::Warning ? "\033[1;33m"
                           : entry.level == LogLevel::Info    ? "\033[0;32m"
                                                              : "\033[0m";
      line = colour + line + "\033[0m";
    }
    if (!line.ends_with('\n')) line += '\n'; // like Ruby's puts
    // Keep the order of lines when both streams go to the same place.
    if (to == stderr) std::fflush(stdout);
    std::fwrite(line.data(), 1, line.size(), to);
    if (to == stdout) std::fflush(stdout);
  }

  /// Logs a line of the phases load, compile or cleanup, and adds it to the report.
  void log_and_keep(LogEntry entry) {
    if (entry.level >= least_) {
      ReportLog kept;
      kept.level = entry.level;
      kept.source = entry.source.empty() ? "Puppet" : entry.source;
      kept.message = entry.message;
      kept.tags.emplace_back(name_of(entry.level));
      kept.time = system_.now();
      report_.logs.push_back(std::move(kept));
    }
    log(std::move(entry));
  }

  void set_places(LogPlaces places) { places_ = std::move(places); }
  /// Whether lines also go to places other than the console.
  bool elsewhere() const { return !places_.others.empty(); }

  ProgressLine progress;

private:
  LogPlaces places_{true, {}};
  LogLevel least_;
  bool out_color_, error_color_;
  RunReport& report_;
  System& system_;
};

class CompileConsole final : public LogSink {
public:
  explicit CompileConsole(ApplyConsole& console) : console_(console) {}
  void log(LogEntry entry) override { console_.log_and_keep(std::move(entry)); }

private:
  ApplyConsole& console_;
};

Value find_fact(const Value& facts, std::string_view dotted) {
  Value at = facts;
  while (!dotted.empty()) {
    if (!at.is_hash()) return Value::undef();
    size_t dot = std::min(dotted.find('.'), dotted.size());
    const Value* found = at.hash->find(dotted.substr(0, dot));
    if (found == nullptr) return Value::undef();
    at = *found;
    dotted.remove_prefix(std::min(dot + 1, dotted.size()));
  }
  return at;
}

/// Makes the directory of a file of the run: the settings may name one that does not exist yet.
void make_missing_parent(System& system, const std::string& path, std::optional<uint32_t> trusted) {
  const std::string directory = std::filesystem::path(path).parent_path().string();
  if (!directory.empty() && !system.stat(directory)) make_private_directories(system, directory, trusted);
}

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

class ApplyRun {
public:
  explicit ApplyRun(ApplyOptions& options)
      : o_(options), system_(make_posix_system()), console_(options.compile.log_level, options.color, report_, *system_),
        compile_log_(console_) {}

  int run();

private:
  /// Runs the command of a setting such as prerun_command, even in noop mode. False when it failed.
  bool run_hook(const char* setting, const std::string& command);
  int converge();

  bool load();
  bool compile_catalog();
  bool read_catalog();
  LocalFactsOptions facts_options();
  Value machine_facts();
  Value with_client_facts(const Value& facts, std::string_view name);
  std::optional<uint32_t> service_user();
  bool lock();
  void cleanup();
  void load_state();
  void save_state();
  void write_summary(const RunCatalog& catalog);
  RubyTypesOptions ruby_types_options();
  RunOptions run_options();
  Value fact(std::string_view name);
  int answer_query();
  void phase(std::string_view name) {
    int64_t now = system_->monotonic();
    double seconds = static_cast<double>(now - phase_start_) / 1e9;
    report_.times.emplace_back(name, seconds);
    console_.log_and_keep({LogLevel::Info, "", fmt::format("Phase {} took {:.2f} seconds", name, seconds)});
    phase_start_ = now;
  }
  void error(std::string message) { console_.log_and_keep({LogLevel::Err, "", std::move(message)}); }

  ApplyOptions& o_;
  RunReport report_;
  std::unique_ptr<System> system_;
  ApplyConsole console_;
  CompileConsole compile_log_;
  Environments environments_{o_.compile};
  FactsFiles facts_files_;
  NodeData node_;
  std::shared_ptr<const Environment> environment_;
  std::optional<std::vector<std::string>> library_directories_; // listed when a type or provider of modules is looked for
  std::unique_ptr<Catalog> catalog_;
  std::unique_ptr<DeferredCalls> deferred_calls_;
  RunLock lock_;
  RunState state_;
  TransactionStore store_;
  StateForm form_;
  std::unique_ptr<RubyWorker> facts_worker_; // has resolved facts in Ruby; serves the types and providers of the run
  Value legacy_facts_;                       // structured and legacy facts; made at the first query
  int64_t start_ = 0, phase_start_ = 0;
  bool report_written_ = true; // the report that --report-file asked for
};

LocalFactsOptions ApplyRun::facts_options() {
  LocalFactsOptions out = local_facts_options(o_.compile, *environments_.open("", &compile_log_));
  out.puppet_version = true;
  out.fact_limit = o_.fact_limit;
  return out;
}

/// Adds the facts that an agent adds, unless the facts (of a file) already have them.
Value ApplyRun::with_client_facts(const Value& facts, std::string_view name) {
  HashBuilder out(*node_.arena);
  if (facts.is_hash())
    for (const HashEntry& e : facts.hash->entries()) out.set(e.key, e.value);
  for (const auto& [fact, value] :
       {std::pair("clientcert", Value::string(node_.arena->copy(name))), std::pair("clientversion", Value::string(puppet_version)),
        std::pair("clientnoop", Value::boolean(o_.noop))})
    if (!facts.is_hash() || facts.hash->find(fact) == nullptr) out.set(fact, value);
  return out.finish();
}

/// The facts of the machine and external ones as they are now, for code that asks for what it had not before.
Value ApplyRun::machine_facts() {
  LocalFactsOptions local = facts_options();
  local.ruby = local.problems = false;
  return collect_local_facts(*system_, local).to_value(*node_.arena, true);
}

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
      local.stopped = [] { return stop_signal.load() != 0; };
      facts = collect_local_facts(*system_, local).to_value(*node_.arena, false, Facts::Order::AsGiven);
      if (name.empty()) name = configured_name(o_.compile, facts, {});
      if (name.empty())
        if (Value fqdn = find_fact(facts, "networking.fqdn"); fqdn.is_string()) name = fqdn.str();
    }
    if (name.empty()) name = system_->hostname();
    environment_ = set_up_node(o_.compile, environments_, node_, name, with_client_facts(facts, name), &compile_log_);
  } catch (const CompileError& e) {
    error(e.diagnostic.puppet_text());
    return false;
  }
  report_.host = name;
  report_.environment = environment_->options().name;
  return true;
}

bool ApplyRun::compile_catalog() {
  RubyPool ruby(o_.compile.ruby);
  const LimitedWork work(o_.compile.limits);
  CompileResult result = compile(environment_, node_, o_.compile.settings, compile_log_, &ruby);
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
  console_.log_and_keep({LogLevel::Notice, "",
                         fmt::format("Compiled catalog for {} in environment {} in {:.2f} seconds", report_.host, report_.environment,
                                     static_cast<double>(system_->monotonic() - phase_start_) / 1e9)});
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

/// The user to whom Puppet gives its directories (the setting `user`), where root runs: root works in them.
std::optional<uint32_t> ApplyRun::service_user() {
  if (system_->effective_uid() != 0) return std::nullopt;
  const auto user = system_->user_by_name(o_.compile.configuration.value("user"));
  return user ? std::optional(user->uid) : std::nullopt;
}

bool ApplyRun::lock() {
  try {
    if (o_.statedir.starts_with(o_.vardir + "/")) make_private_directories(*system_, o_.vardir, service_user());
    make_private_directories(*system_, o_.statedir, service_user());
  } catch (const SystemError& e) {
    error(fmt::format("Could not make {}: {}", o_.statedir, e.error == EPERM ? "It belongs to another user" : system_error_text(e.error)));
    return false;
  }
  try {
    std::string holder;
    if (lock_.acquire(o_.statedir + "/apply.lock", holder)) return true;
    error(fmt::format("Run of pupc already in progress{}; skipping ({} exists)", holder.empty() ? "" : fmt::format(" (process {})", holder),
                      o_.statedir + "/apply.lock"));
  } catch (const SystemError& e) { error(fmt::format("Could not lock the run: {}", e.what())); }
  return false;
}

void ApplyRun::write_summary(const RunCatalog& catalog) {
  std::string classes, resources;
  for (const std::string& c : catalog.classes) classes += c + "\n";
  for (uint32_t i = 0; i < catalog.size(); ++i)
    if (!catalog[i].is_container) resources += fmt::format("{}[{}]\n", catalog[i].resource->type, catalog[i].resource->title);
  system_->write_file(o_.classfile, classes, 0640, std::nullopt, std::nullopt, false);
  system_->write_file(o_.resourcefile, resources, 0640, std::nullopt, std::nullopt, false);
}

void ApplyRun::load_state() {
  form_.read = [](std::string_view text, Arena& into) {
    Value out;
    if (auto problem = read_yaml(text, into, out, {.file = "<unknown>", .dates = true})) throw std::runtime_error(problem->message);
    return out;
  };
  form_.write = [this](const Value& value) {
    return write_yaml(value, {.line_width = 0, .times = true}, environment_->regexes(),
                      [](const Value& v) { return v.kind == Kind::Timestamp ? kept_time(v.i) : ""; });
  };
  form_.say = [this](LogLevel level, std::string message) { console_.log_and_keep({level, "", std::move(message)}); };
  state_.load(*system_, o_.statefile, form_);
  if (o_.agent) store_.load(*system_, o_.transactionstorefile, form_);
}

/// Saves the state of the run. Like Puppet, it does so before it logs the end of the run.
void ApplyRun::save_state() {
  std::string path;
  try {
    if (o_.agent) store_.save(*system_, path = o_.transactionstorefile, form_);
    path = o_.statefile;
    make_missing_parent(*system_, path, service_user());
    if (!system_->stat(path)) console_.log_and_keep({LogLevel::Info, "", fmt::format("Creating state file {}", path)});
    state_.save(*system_, path, form_);
  } catch (const SystemError& e) { error(fmt::format("Could not write {}: {}", path, e.what())); }
}

RubyTypesOptions ApplyRun::ruby_types_options() {
  RubyTypesOptions out;
  out.program = o_.compile.ruby.program;
  out.allowed = o_.compile.ruby.mode != RubyMode::Never;
  out.timeout = o_.provider_timeout;
  out.log_level = o_.compile.log_level;
  out.facts = [this] { return node_.input.facts; };
  out.machine_facts = [this] { return machine_facts(); };
  out.setting = setting_reader(o_.compile);
  out.fact_directories = [this] { return facts_options().custom_directories; };
  out.facts_worker = std::move(facts_worker_);
  out.type_problem = [this](std::string_view type) { return data_type_problem(type, environment_->regexes()); };
  out.type_mismatch = [this](std::string_view type, const Value& value, std::string_view subject) {
    return data_type_mismatch(type, value, subject, environment_->regexes());
  };
  auto text = [this](std::string_view value) { return Value::string(node_.arena->copy(value)); };
  out.settings = {{"environment", text(report_.environment)}, {"noop", Value::boolean(o_.noop)},
                  {"certname", text(report_.host)},           {"show_diff", Value::boolean(o_.show_diff)},
                  {"trace", Value::boolean(false)},           {"debug", Value::boolean(o_.debug)},
                  {"node_name_value", text(report_.host)},    {"always_retry_plugins", Value::boolean(true)}};
  if (o_.query != nullptr) out.settings.emplace_back("values_are_texts", Value::boolean(true));
  return out;
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

void ApplyRun::cleanup() {
  const int64_t now = system_->now();
  report_.total_time = static_cast<double>(system_->monotonic() - start_) / 1e9;
  auto write = [&](const std::string& path, const std::string& text) {
    try {
      make_missing_parent(*system_, path, service_user());
      write_private_file(*system_, path, text);
    } catch (const SystemError& e) {
      error(fmt::format("Could not write {}: {}", path, e.what()));
      return false;
    }
    return true;
  };
  phase("cleanup"); // ends before the reports are written: they cannot contain the time of their own writing
  if (o_.keep_state && !o_.statedir.empty()) {
    if (o_.keep_report) write(o_.lastrunreport, report_yaml(report_));
    write(o_.lastrunfile, summary_yaml(report_, now));
  }
  if (!o_.report_file.empty())
    report_written_ = write(o_.report_file, o_.report_file.ends_with(".json") ? report_json(report_) : report_yaml(report_));
  if (o_.summarize) {
    std::string text = summary_text(report_, now);
    std::fwrite(text.data(), 1, text.size(), stdout);
  }
}

int ApplyRun::run() {
  start_ = phase_start_ = system_->monotonic();
  report_.time = system_->now();
  report_.noop = o_.noop;
  report_.builtin_resources = 7; // schedules and filebucket that Puppet adds to every catalog
  catch_signals();
  try {
    console_.set_places(open_log_places(o_.logdest, o_.compile.as_puppet ? "puppet-user" : "pupc", o_.syslogfacility));
  } catch (const std::runtime_error& e) {
    error(e.what());
    return exit_failure;
  }
  if (!load()) return exit_failure;
  if (o_.query != nullptr) return answer_query();
  phase("load");
  if (!(o_.catalog_file.empty() ? compile_catalog() : read_catalog())) return exit_failure;
  phase("compile");
  report_.times.emplace_back("config_retrieval", static_cast<double>(system_->monotonic() - start_) / 1e9);
  report_.transaction_uuid = report_.catalog_uuid = catalog_->uuid;
  if (o_.keep_state && !lock()) return exit_failure;

  const bool begun = run_hook("prerun_command", o_.prerun_command);
  const int code = begun ? converge() : exit_failure;
  const bool ended = run_hook("postrun_command", o_.postrun_command); // even after a failed run
  return begun && ended ? code : exit_failure;
}

bool ApplyRun::run_hook(const char* setting, const std::string& command) {
  if (command.empty()) return true;
  Command c;
  c.shell = command;
  const CommandResult result = system_->run(c);
  if (!result.not_started && result.status == 0) return true;
  error(fmt::format("Could not run command from {}: Execution of '{}' returned {}: {}", setting, command, result.status, result.output));
  return false;
}

/// The value of a fact. Like Facter, it also knows the legacy flat names.
Value ApplyRun::fact(std::string_view name) {
  Value found = find_fact(node_.input.facts, name);
  if (!found.is_undef() || !node_.input.facts.is_hash()) return found;
  if (legacy_facts_.is_undef()) legacy_facts_ = with_legacy_facts(node_.input.facts, *node_.arena);
  return find_fact(legacy_facts_, name);
}

/// The options of the run. The caller adds the types from Ruby, because they must live as long as the transaction.
RunOptions ApplyRun::run_options() {
  RunOptions options;
  if (console_.progress.shown())
    options.progress = [this](size_t done, size_t of, const ManagedResource& resource) {
      console_.progress.show(done, of, resource.reference());
    };
  options.trace = o_.trace;
  options.graph_directory = o_.graph ? o_.graphdir : "";
  options.settings.noop = o_.noop;
  options.settings.show_diff = o_.show_diff;
  options.settings.ignore_schedules = o_.ignore_schedules;
  options.settings.state_directory = o_.statedir;
  options.settings.bucket_directory = o_.clientbucketdir;
  options.settings.module_file = [this](std::string_view reference) -> std::optional<std::string> {
    // find_module_file finds only files, but a source may also be a directory: build its path from the module's.
    if (auto file = environment_->find_module_file(ModuleFileKind::Files, reference)) return file;
    size_t slash = std::min(reference.find('/'), reference.size());
    const Module* module = environment_->find_module(reference.substr(0, slash));
    if (module == nullptr) return std::nullopt;
    return module->path + "/files" + std::string(reference.substr(slash));
  };
  options.settings.library_directories = [this] {
    if (!library_directories_) library_directories_ = autoload_directories(*environment_);
    return *library_directories_;
  };
  options.settings.read_yaml = [](std::string_view text, Arena& into) {
    Value out;
    if (auto problem = read_yaml(text, into, out, {.file = "<unknown>"})) throw ResourceError(problem->message);
    return out;
  };
  options.settings.write_yaml = [this](const Value& value) {
    return write_yaml(value, {}, environment_->regexes(), [](const Value& v) { return value_text(v); });
  };
  options.tags = o_.tags;
  options.skip_tags = o_.skip_tags;
  options.log_level = o_.compile.log_level;
  options.stop = &stop_signal;
  options.state = o_.keep_state ? &state_ : nullptr;
  options.store = o_.keep_state && o_.agent ? &store_ : nullptr;
  // Create the evaluator of Deferred values on demand: most catalogs have none.
  options.resolve = [this](const DeferredData& deferred) {
    if (!deferred_calls_) deferred_calls_ = std::make_unique<DeferredCalls>(environment_, node_, o_.compile.settings, compile_log_);
    return deferred_calls_->call(deferred);
  };
  options.fact = [this](std::string_view name) { return fact(name); };
  return options;
}

int ApplyRun::converge() {
  if (o_.keep_state) load_state();
  if (o_.graph) try {
      make_private_directories(*system_, o_.graphdir, service_user());
    } catch (const SystemError& e) {
      error(fmt::format("Could not make {}: {}", o_.graphdir, e.what()));
      return exit_failure;
    }
  RunOptions options = run_options();
  RubyTypes foreign(ruby_types_options(), options.settings.library_directories());
  options.settings.foreign_types = &foreign;
  Arena arena;
  RunCatalog catalog(*catalog_, options.settings);
  report_.configuration_version = catalog.version;
  if (!o_.catalog_file.empty()) {
    report_.environment = catalog.environment;
    if (o_.compile.node.empty() && !catalog.name.empty()) report_.host = catalog.name;
  }
  int64_t begin = system_->monotonic();
  bool applied = false;
  try {
    if (o_.catalog_summary) write_summary(catalog);
    Transaction transaction(catalog, *system_, arena, std::move(options), report_, console_);
    applied = transaction.run();
    if (applied && o_.keep_state) save_state();
  } catch (const std::exception& e) { error(fmt::format("Failed to apply catalog: {}", e.what())); }
  if (int signal = stop_signal.load(); signal != 0)
    error(fmt::format("Caught {}; the rest of the catalog was not applied", ::strsignal(signal)));
  else if (applied)
    console_.log_and_keep(
        {LogLevel::Notice, "", fmt::format("Applied catalog in {:.2f} seconds", static_cast<double>(system_->monotonic() - begin) / 1e9)});
  phase("converge");
  cleanup();
  if (!applied || !report_written_ || stop_signal.load() != 0) return exit_failure;
  return o_.detailed_exitcodes ? report_.exit_code() : exit_success;
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
  table.push_back({"--parseonly", "", "Puppet has it no more", [](std::string_view) {
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
