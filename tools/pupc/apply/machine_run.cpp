// The parts of a run: log, facts, locks, state, converging, reports.
#include "tools/pupc/apply/machine_run.h"

#include "catalog/base/interruption.h"
#include "catalog/base/text.h"
#include "catalog/base/version.h"
#include "catalog/formats/data_file.h"
#include "catalog/formats/yaml_writer.h"
#include "catalog/graph/tags.h"
#include "catalog/schema/native_types.h"
#include "catalog/value/unicode_case.h"
#include "compiler/ruby/worker/libraries.h"
#include "runtime/facts/legacy_facts.h"
#include "runtime/provider/system_tools.h"
#include "runtime/sys/posix_system.h"
#include "tools/pupc/private_files.h"
#include "tools/pupc/settings/value_types.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <unistd.h>

namespace pupc::cli {
namespace {

// A signal handler can reach only globals.
std::atomic<int> stopped_by{0};

void on_signal(int number) {
  stopped_by.store(number);
  note_interruption(number);
}

/// Whether Puppet counts a resource as managed when the run begins: it has a value for a property, which may be the property's default.
bool is_managed(const ManagedResource& resource) {
  static constexpr std::string_view no_defaults[] = {"file", "service", "user"}; // of the types of Puppet itself
  const ResourceTypeInfo* type = find_native_type(resource.type);
  if (type == nullptr) return true; // of a module, whose properties are known to Ruby alone
  if (std::ranges::find(no_defaults, resource.type) == std::end(no_defaults))
    return std::ranges::any_of(type->attributes(), [](const auto& a) { return a.kind == AttributeKind::Property; });
  return std::ranges::any_of(type->attributes(),
                             [&](const auto& a) { return a.kind == AttributeKind::Property && resource.has(a.name.str()); });
}

} // namespace

int MachineRun::stop_signal() { return stopped_by.load(); }

void MachineRun::catch_signals() {
  struct sigaction action {};
  action.sa_handler = on_signal;
  sigemptyset(&action.sa_mask);
  for (int s : {SIGINT, SIGTERM, SIGHUP}) ::sigaction(s, &action, nullptr);
  ::signal(SIGPIPE, SIG_IGN);
}

RunConsole::RunConsole(LogLevel least, ColorMode color, RunReport& report, System& system)
    : least_(least), out_color_(render_style(stdout, color).color), error_color_(render_style(stderr, color).color), report_(report),
      system_(system) {}

void RunConsole::log(LogEntry entry) {
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

void RunConsole::log_and_keep(LogEntry entry) {
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

void make_missing_parent(System& system, const std::string& path, std::optional<uint32_t> trusted) {
  const std::string directory = std::filesystem::path(path).parent_path().string();
  if (!directory.empty() && !system.stat(directory)) make_private_directories(system, directory, trusted);
}

MachineRun::MachineRun(ApplyOptions& options)
    : o_(options), system_(make_posix_system()), console_(options.compile.log_level, options.color, report_, *system_),
      kept_log_(console_) {
  start_ = system_->monotonic();
  report_.time = system_->now();
  report_.noop = o_.noop;
  report_.builtin_resources = 7; // schedules and filebucket that Puppet adds to every catalog
}

bool MachineRun::open_logs(const std::string& program) {
  try {
    console_.set_places(open_log_places(o_.logdest, program, o_.syslogfacility));
    return true;
  } catch (const std::runtime_error& e) { error(e.what()); }
  return false;
}

void MachineRun::add_time(std::string_view name, int64_t since) { report_.times.emplace_back(name, seconds_since(since)); }

LocalFactsOptions MachineRun::facts_options() {
  LocalFactsOptions out = local_facts_options(o_.compile, *environments_.open("", &kept_log_));
  out.puppet_version = true;
  out.fact_limit = o_.fact_limit;
  return out;
}

std::vector<std::string> MachineRun::libraries() { return autoload_directories(*environment_); }

/// Adds the facts that an agent adds, unless the facts (of a file) already have them.
Value MachineRun::with_client_facts(const Value& facts, std::string_view name) {
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
Value MachineRun::machine_facts() {
  LocalFactsOptions local = facts_options();
  local.ruby = local.problems = false;
  return collect_local_facts(*system_, local).to_value(*node_.arena, true);
}

/// The user to whom Puppet gives its directories (the setting `user`), where root runs: root works in them.
std::optional<uint32_t> MachineRun::service_user() {
  if (system_->effective_uid() != 0) return std::nullopt;
  const auto user = system_->user_by_name(o_.compile.configuration.value("user"));
  return user ? std::optional(user->uid) : std::nullopt;
}

void MachineRun::make_state_directories() {
  if (o_.statedir.starts_with(o_.vardir + "/")) make_private_directories(*system_, o_.vardir, service_user());
  make_private_directories(*system_, o_.statedir, service_user());
}

bool MachineRun::take_lock(const std::string& path, std::string& holder) {
  holder.clear();
  try {
    make_state_directories();
  } catch (const SystemError& e) {
    error(fmt::format("Could not make {}: {}", o_.statedir, e.error == EPERM ? "It belongs to another user" : system_error_text(e.error)));
    return false;
  }
  try {
    return lock_.acquire(path, holder);
  } catch (const SystemError& e) { error(fmt::format("Could not lock the run: {}", e.what())); }
  return false;
}

void MachineRun::write_summary(const RunCatalog& catalog) {
  std::string classes, resources;
  for (const std::string& c : catalog.classes) classes += c + "\n";
  for (uint32_t i = 0; i < catalog.size(); ++i)
    if (!catalog[i].is_container && is_managed(*catalog[i].resource)) resources += downcase(catalog[i].resource->reference()) + "\n";
  for (std::string* text : {&classes, &resources})
    if (text->empty()) *text = "\n"; // as Ruby writes an empty list
  system_->write_file(o_.classfile, classes, 0640, std::nullopt, std::nullopt, false);
  system_->write_file(o_.resourcefile, resources, 0640, std::nullopt, std::nullopt, false);
}

void MachineRun::load_state() {
  form_.read = [](std::string_view text, Arena& into) {
    Value out;
    if (auto problem = read_yaml(text, into, out, {.file = "<unknown>", .dates = true})) throw std::runtime_error(problem->message);
    return out;
  };
  form_.write = [this](const Value& value) {
    return write_yaml(value, {.line_width = 0, .times = true}, environment_->regexes(),
                      [](const Value& v) { return v.kind == Kind::Timestamp ? state_time(v.i) : ""; });
  };
  form_.say = [this](LogLevel level, std::string message) { console_.log_and_keep({level, "", std::move(message)}); };
  state_.load(*system_, o_.statefile, form_);
  if (o_.agent) store_.load(*system_, o_.transactionstorefile, form_);
}

/// Saves the state of the run. Like Puppet, it does so before it logs the end of the run. Only a run that came to its last resource saves
/// what it has learnt of each (`with_store`).
void MachineRun::save_state(bool with_store) {
  std::string path;
  try {
    if (o_.agent && with_store) store_.save(*system_, path = o_.transactionstorefile, form_);
    path = o_.statefile;
    make_missing_parent(*system_, path, service_user());
    if (!system_->stat(path)) console_.log_and_keep({LogLevel::Info, "", fmt::format("Creating state file {}", path)});
    state_.save(*system_, path, form_);
  } catch (const SystemError& e) { error(fmt::format("Could not write {}: {}", path, e.what())); }
}

RubyTypesOptions MachineRun::ruby_types_options() {
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
  out.settings = {{"environment", text(report_.environment)},
                  {"noop", Value::boolean(o_.noop)},
                  {"certname", text(report_.host)},
                  {"show_diff", Value::boolean(o_.show_diff)},
                  {"trace", Value::boolean(false)},
                  {"debug", Value::boolean(o_.debug)},
                  {"node_name_value", text(report_.host)},
                  {"always_retry_plugins", Value::boolean(true)},
                  {"run_mode", text(o_.agent ? "agent" : "user")}};
  if (o_.query != nullptr) out.settings.emplace_back("values_are_texts", Value::boolean(true));
  return out;
}

/// The value of a fact. Like Facter, it also knows the legacy flat names.
Value MachineRun::fact(std::string_view name) {
  Value found = find_fact(node_.input.facts, name);
  if (!found.is_undef() || !node_.input.facts.is_hash()) return found;
  if (legacy_facts_.is_undef()) legacy_facts_ = with_legacy_facts(node_.input.facts, *node_.arena);
  return find_fact(legacy_facts_, name);
}

/// The options of the run. The caller adds the types from Ruby, because they must live as long as the transaction.
RunOptions MachineRun::run_options() {
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
    if (!library_directories_) library_directories_ = libraries();
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
  options.stop = &stopped_by;
  options.state = o_.keep_state ? &state_ : nullptr;
  options.store = o_.keep_state && o_.agent ? &store_ : nullptr;
  // Create the evaluator of Deferred values on demand: most catalogs have none.
  options.resolve = [this](const DeferredData& deferred) {
    if (!deferred_calls_) {
      deferred_ruby_.emplace(o_.compile.ruby);
      deferred_calls_ = std::make_unique<DeferredCalls>(environment_, node_, o_.compile.settings, kept_log_, &*deferred_ruby_);
    }
    return deferred_calls_->call(deferred);
  };
  options.fact = [this](std::string_view name) { return fact(name); };
  complete(options);
  return options;
}

bool MachineRun::run_hook(const char* setting, const std::string& command) {
  if (command.empty()) return true;
  Command c;
  c.shell = command;
  const CommandResult result = system_->run(c);
  if (!result.not_started && result.status == 0) return true;
  error(fmt::format("Could not run command from {}: Execution of '{}' returned {}: {}", setting, command, result.status,
                    trimmed(result.output, ruby_blanks)));
  return false;
}

bool MachineRun::converge() {
  if (o_.keep_state) load_state();
  if (o_.graph) try {
      make_private_directories(*system_, o_.graphdir, service_user());
    } catch (const SystemError& e) {
      error(fmt::format("Could not make {}: {}", o_.graphdir, e.what()));
      return false;
    }
  RunOptions options = run_options();
  foreign_ = std::make_unique<RubyTypes>(ruby_types_options(), options.settings.library_directories());
  options.settings.foreign_types = foreign_.get();
  run_catalog_ = std::make_unique<RunCatalog>(*catalog_, options.settings);
  RunCatalog& catalog = *run_catalog_;
  report_.configuration_version = catalog.version;
  if (!o_.catalog_file.empty()) {
    report_.environment = catalog.environment;
    if (o_.compile.node.empty() && !catalog.name.empty()) report_.host = catalog.name;
  }
  if (o_.keep_state) options.not_begun = [this] { save_state(false); };
  int64_t begin = system_->monotonic();
  bool applied = false;
  try {
    if (o_.catalog_summary) write_summary(catalog);
    Transaction transaction(catalog, *system_, run_arena_, std::move(options), report_, console_);
    applied = transaction.run();
    if (applied && o_.keep_state) save_state(true);
  } catch (const std::exception& e) {
    if (o_.keep_state) save_state(false);
    error(fmt::format("Failed to apply catalog: {}", e.what()));
  }
  if (int signal = stop_signal(); signal != 0)
    error(fmt::format("Caught {}; the rest of the catalog was not applied", ::strsignal(signal)));
  else if (applied)
    say(LogLevel::Notice, fmt::format("Applied catalog in {:.2f} seconds", seconds_since(begin)));
  return applied;
}

bool MachineRun::write_reports() {
  const int64_t now = system_->now();
  bool written = true;
  report_.total_time = seconds_since(start_);
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
  if (o_.keep_state && !o_.statedir.empty()) {
    if (o_.keep_report) write(o_.lastrunreport, report_yaml(report_));
    write(o_.lastrunfile, summary_yaml(report_, now));
  }
  if (!o_.report_file.empty())
    written = write(o_.report_file, o_.report_file.ends_with(".json") ? report_json(report_) : report_yaml(report_));
  if (o_.summarize) {
    std::string text = summary_text(report_, now);
    std::fwrite(text.data(), 1, text.size(), stdout);
  }
  return written;
}

} // namespace pupc::cli
