// Follows Puppet's configurer: what it asks of the server, in which order, and what it says.
#include "tools/agent/agent_run.h"

#include "catalog/base/paths.h"
#include "catalog/base/version.h"
#include "catalog/formats/data_file.h"
#include "catalog/json/catalog_reader.h"
#include "catalog/json/json_reader.h"
#include "catalog/json/json_writer.h"
#include "catalog/json/plain_json.h"
#include "runtime/provider/system_tools.h"
#include "runtime/sys/process_environment.h"
#include "tools/agent/certificates.h"
#include "tools/agent/run_files.h"
#include "tools/pupc/private_files.h"

#include <cerrno>
#include <fmt/format.h>
#include <netdb.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

namespace pupc::cli::agent {
namespace {

std::string new_uuid() {
  unsigned char bytes[16];
  if (::getrandom(bytes, sizeof bytes, 0) != static_cast<ssize_t>(sizeof bytes)) throw std::runtime_error("no random numbers");
  bytes[6] = static_cast<unsigned char>((bytes[6] & 0x0F) | 0x40);
  bytes[8] = static_cast<unsigned char>((bytes[8] & 0x3F) | 0x80);
  std::string out;
  for (size_t i = 0; i < sizeof bytes; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) out += '-';
    out += fmt::format("{:02x}", bytes[i]);
  }
  return out;
}

const Value* entry_of(const Value& of, std::string_view name) { return of.is_hash() ? of.hash->find(name) : nullptr; }

std::string entry_text(const Value& of, std::string_view name) {
  const Value* found = entry_of(of, name);
  return found != nullptr && found->is_string() ? std::string(found->str()) : std::string();
}

/// A name that may stand in the path of a file.
bool is_file_name(std::string_view name) {
  return !name.empty() && name != "." && name != ".." && name.find('/') == std::string_view::npos &&
         name.find('\0') == std::string_view::npos;
}

/// " (127.0.0.1)" for a host's name, "" where it has no address. As Puppet does, an address of IPv4 goes first.
std::string shown_address(const std::string& host) {
  for (const int family : {AF_INET, AF_INET6}) {
    addrinfo wanted{}, *found = nullptr;
    wanted.ai_family = family;
    wanted.ai_socktype = SOCK_STREAM;
    if (::getaddrinfo(host.c_str(), nullptr, &wanted, &found) != 0) continue;
    char text[NI_MAXHOST];
    const bool named = ::getnameinfo(found->ai_addr, found->ai_addrlen, text, sizeof text, nullptr, 0, NI_NUMERICHOST) == 0;
    ::freeaddrinfo(found);
    if (named) return fmt::format(" ({})", text);
  }
  return {};
}

} // namespace

AgentRun::AgentRun(AgentOptions& options) : MachineRun(options.run), agent_(options) {
  report_.host = agent_.certname();
  report_.run_mode = "agent";
  report_.job_id = agent_.job_id;
  report_.builtin_resources = 0; // until a catalog is applied
  environment_name_ = settings().value("environment");
  report_.environment = report_.initial_environment = environment_name_;
  report_.transaction_uuid = new_uuid();
  may_use_cache_ = settings().truth("usecacheonfailure");
  use_cache_first_ = settings().truth("use_cached_catalog");
}

LocalFactsOptions AgentRun::facts_options() {
  LocalFactsOptions out = MachineRun::facts_options();
  const std::string plugins = settings().value("plugindest");
  out.libraries = libraries();
  if (const std::string facts = plugins + "/facter";
      is_directory(facts) && std::ranges::find(out.custom_directories, facts) == out.custom_directories.end())
    out.custom_directories.push_back(facts);
  return out;
}

std::vector<std::string> AgentRun::libraries() {
  const std::string plugins = settings().value("plugindest");
  return is_directory(plugins) ? std::vector<std::string>{plugins} : std::vector<std::string>{};
}

void AgentRun::complete(RunOptions& options) {
  options.settings.remote_files = files_.get();
  options.settings.module_file = [this](std::string_view reference) { return fetched_module_file(reference); };
  options.begin = [this] { return begin_converging(); };
}

/// What a type reads of a module of the server by itself (the source of an archive, of a fragment) is fetched into a private directory.
std::optional<std::string> AgentRun::fetched_module_file(std::string_view reference) {
  const std::string url = fmt::format("puppet:///modules/{}", reference);
  if (!files_->look(url, {})) return std::nullopt;
  if (private_directory_.empty()) private_directory_ = system_->make_private_directory(temporary_directory(*system_));
  const std::string file = fmt::format("{}/{}", private_directory_, std::hash<std::string>{}(url));
  system_->write_parts(
      file, [&](const System::Take& take) { files_->content(url, take); }, 0600, std::nullopt, std::nullopt, false);
  return file;
}

// ---------------------------------------------------------------------------------------------------------------------
// the environment

/// The environment of the last run, when it was the server who chose it. `known`: whether there was a run.
std::string AgentRun::last_environment(bool& known) {
  known = false;
  const auto text = read_whole_file(o_.lastrunfile);
  if (!text) return {};
  Arena arena;
  Value document;
  if (read_yaml(*text, arena, document, {.file = o_.lastrunfile})) return {};
  const Value* application = entry_of(document, "application");
  if (application == nullptr || entry_text(*application, "run_mode") != "agent") return {};
  known = true;
  const std::string converged = entry_text(*application, "converged_environment");
  return converged == entry_text(*application, "initial_environment") ? std::string() : converged;
}

/// The environment that the server's classifier names; "" after a warning.
std::string AgentRun::environment_of_node() {
  Session::Ask ask;
  ask.path = "/puppet/v3/node/" + encoded(agent_.certname());
  ask.query.add("environment", environment_name_);
  if (settings().given("environment")) ask.query.add("configured_environment", settings().value("environment"));
  ask.query.add("transaction_uuid", report_.transaction_uuid);
  ask.query.add("fail_on_404", "true");
  const int64_t began = system_->monotonic();
  try {
    const http::ClientResponse answer = session_->ask(ask);
    Arena arena;
    Value document;
    JsonError problem;
    if (!parse_json(answer.body, arena, document, problem)) throw RequestError(0, "Could not intern from json: " + problem.message);
    std::string name = entry_text(document, "environment");
    if (name.empty()) throw RequestError(0, "The node has no environment");
    if (!is_file_name(name)) throw RequestError(0, fmt::format("The environment '{}' has no proper name", name));
    if (name != environment_name_)
      say(LogLevel::Notice,
          fmt::format("Local environment: '{}' doesn't match server specified node environment '{}', switching agent to '{}'.",
                      environment_name_, name, name));
    add_time("node_retrieval", began);
    return name;
  } catch (const RequestError& e) {
    say(LogLevel::Warning, "Unable to fetch my node definition, but the agent run will continue:");
    say(LogLevel::Warning, e.what());
  }
  return {};
}

void AgentRun::use_environment(const std::string& name) {
  environment_name_ = report_.environment = o_.compile.environment.name = name;
  environments_.forget();
  files_ = std::make_unique<ServerFiles>(*session_, name, false);
}

/// Whether the server has the environment: only then are plugins asked for.
bool AgentRun::has_server_environment() {
  Session::Ask ask;
  ask.path = "/puppet/v3/file_metadatas/" + encoded(mount_of(settings().value("pluginsource")), true);
  ask.query.add("recurse", "false").add("environment", environment_name_);
  try {
    session_->ask(ask);
    return true;
  } catch (const RequestError& e) {
    if (e.status != 404) {
      error(e.what());
      return false;
    }
    if (settings().truth("strict_environment_mode"))
      throw std::runtime_error(fmt::format("Environment '{}' not found on server, aborting run.", environment_name_));
    say(LogLevel::Notice, fmt::format("Environment '{}' not found on server, skipping initial pluginsync.", environment_name_));
  }
  return false;
}

// ---------------------------------------------------------------------------------------------------------------------
// plugins and facts

/// Makes a directory equal to a tree of the server, as Puppet does: by a catalog of one file resource.
void AgentRun::sync(const char* name, const std::string& to, const std::string& from, const char* permissions) {
  say(LogLevel::Info, fmt::format("Retrieving {}", name));
  std::string text = plugin_catalog(name, to, from, permissions, settings().value("pluginsignore"), *system_);
  Catalog catalog;
  std::string problem;
  if (!pupc::catalog::read_catalog(text, catalog, problem)) throw std::runtime_error(problem);
  ServerFiles files(*session_, environment_name_, true);
  RunReport apart; // its resources are not those of the run
  RunOptions options = MachineRun::run_options();
  options.settings.remote_files = &files;
  options.settings.noop = false;
  options.begin = nullptr;
  options.announce = false;
  options.tags.clear();
  options.skip_tags.clear();
  options.graph_directory.clear();
  options.state = nullptr;
  options.store = nullptr;
  options.progress = nullptr;
  Arena arena;
  RunCatalog resources(catalog, options.settings);
  Transaction transaction(resources, *system_, arena, std::move(options), apart, kept_log_);
  if (!transaction.run()) throw std::runtime_error(fmt::format("Failed to retrieve {}", name));
  if (settings().truth("ignore_plugin_errors")) return;
  for (const ResourceStatus& status : apart.statuses)
    if (status.failed) throw PluginError(fmt::format("Failed to retrieve {}: {}", name, failure_of(status, apart)));
}

void AgentRun::sync_plugins() {
  const int64_t began = system_->monotonic();
  try {
    sync("pluginfacts", settings().value("pluginfactdest"), settings().value("pluginfactsource"), "use");
    sync("plugin", settings().value("plugindest"), settings().value("pluginsource"), "ignore");
  } catch (const PluginError&) {
    if (settings().truth("ignore_plugin_errors") || !may_use_cache_) throw;
    running_failure_ = true;
  }
  environments_.forget(); // it has other files now
  add_time("plugin_sync", began);
}

Value AgentRun::facts_now() {
  LocalFactsOptions local = facts_options();
  local.worker = &facts_worker_;
  local.stopped = [] { return stop_signal() != 0; };
  local.agent_environment = settings().given("environment") ? settings().value("environment") : std::string();
  for (const std::string& directory : settings().directories("factpath"))
    if (is_directory(directory)) say(LogLevel::Info, "Loading facts");
  const Value facts =
      collect_local_facts(*system_, local).to_value(*node_.arena, settings().truth("include_legacy_facts"), Facts::Order::AsGiven);
  return with_client_facts(facts, agent_.certname());
}

void AgentRun::collect_facts() {
  const int64_t began = system_->monotonic();
  facts_ = facts_now();
  set_node_data(node_, agent_.certname(), facts_, environment_name_);
  environment_ = environments_.open("", &kept_log_);
  add_time("fact_generation", began);
}

std::string AgentRun::facts_document(const Value& facts) {
  std::string text;
  JsonWriter w(text);
  w.begin_object();
  w.member("name", agent_.certname());
  w.key("values");
  write_plain_json(w, facts);
  w.member("timestamp", iso_time(system_->now()));
  w.member("expiration", iso_time(system_->now() + settings().integer_of("runinterval") * 1'000'000'000));
  w.end_object();
  return text;
}

/// Tells the server the facts as they are after the run.
void AgentRun::resubmit_facts() {
  const int64_t began = system_->monotonic();
  try {
    Session::Ask ask;
    ask.method = "PUT";
    ask.path = "/puppet/v3/facts/" + encoded(agent_.certname());
    ask.query.add("environment", environment_name_);
    ask.content_type = "application/json";
    ask.body = facts_document(facts_now());
    say(LogLevel::Info, fmt::format("Uploading facts for {} to {}", agent_.certname(), session_->server().host));
    session_->ask(ask);
  } catch (const std::exception& e) { error(fmt::format("Failed to submit facts: {}", e.what())); }
  add_time("resubmit_facts", began);
}

// ---------------------------------------------------------------------------------------------------------------------
// the catalog

std::string AgentRun::cache_file() const {
  if (!is_file_name(agent_.certname())) throw std::runtime_error(fmt::format("invalid key '{}'", agent_.certname()));
  return fmt::format("{}/catalog/{}.json", settings().value("client_datadir"), agent_.certname());
}

bool AgentRun::take_catalog(std::string text) {
  auto catalog = std::make_unique<Catalog>();
  static_files_ = {};
  std::string problem;
  if (!pupc::catalog::read_catalog(text, *catalog, problem, &static_files_)) {
    error(fmt::format("Could not retrieve catalog from remote server: Could not intern from rich_data_json: {}", problem));
    return false;
  }
  catalog_ = std::move(catalog);
  catalog_text_ = std::move(text);
  return true;
}

bool AgentRun::retrieve_from_cache() {
  const auto text = read_whole_file(cache_file());
  if (!text) return false;
  auto catalog = std::make_unique<Catalog>();
  static_files_ = {};
  std::string problem;
  if (!pupc::catalog::read_catalog(*text, *catalog, problem, &static_files_)) {
    error(fmt::format("Could not retrieve catalog from cache: {}", problem));
    return false;
  }
  catalog_ = std::move(catalog);
  from_cache_ = true;
  return true;
}

bool AgentRun::retrieve_new() {
  Query form;
  // The document is percent-encoded by itself; the form encodes it once more, as Puppet's agent does.
  form.add("facts_format", "application/json").add("facts", encoded(facts_document(facts_))).add("environment", environment_name_);
  if (settings().given("environment")) form.add("configured_environment", settings().value("environment"));
  form.add("check_environment", "true").add("transaction_uuid", report_.transaction_uuid);
  if (!agent_.job_id.empty()) form.add("job_uuid", agent_.job_id);
  form.add("static_catalog", "true").add("checksum_type", "sha256.sha384.sha512.sha224.md5");
  Session::Ask ask;
  ask.method = "POST";
  ask.path = "/puppet/v3/catalog/" + encoded(agent_.certname());
  ask.query.add("environment", environment_name_);
  ask.accept = "application/vnd.puppet.rich+json, application/json";
  ask.content_type = "application/x-www-form-urlencoded";
  ask.body = form.text();
  if (!settings().truth("skip_logging_catalog_request_destination")) {
    const http::ServerAddress& server = session_->server();
    say(LogLevel::Notice, fmt::format("Requesting catalog from {}:{}{}", server.host, server.port, shown_address(server.host)));
  }
  const int64_t began = system_->monotonic();
  try {
    http::ClientResponse answer = session_->ask(ask);
    add_time("config_retrieval", began);
    from_cache_ = false;
    return take_catalog(std::move(answer.body));
  } catch (const RequestError& e) { error(fmt::format("Could not retrieve catalog from remote server: {}", e.what())); }
  return false;
}

/// Asks for the catalog, or takes the last one where the settings say so. False after an error was logged.
bool AgentRun::get_catalog() {
  const auto told = [this] { say(LogLevel::Info, fmt::format("Using cached catalog from environment '{}'", catalog_->environment)); };
  if (running_failure_ && retrieve_from_cache()) {
    report_.cached_catalog_status = "on_failure";
    told();
    return true;
  }
  if (retrieve_new()) return true;
  if (!may_use_cache_) {
    say(LogLevel::Warning, "Not using cache on failed catalog");
  } else if (retrieve_from_cache()) {
    if (catalog_->environment == environment_name_) {
      report_.cached_catalog_status = "on_failure";
      told();
      return true;
    }
    error(
        fmt::format("Not using cached catalog because its environment '{}' does not match '{}'", catalog_->environment, environment_name_));
    catalog_.reset();
  }
  error("Could not retrieve catalog; skipping run");
  return false;
}

/// When the catalog turned out to be applicable: keeps it for a time without server. Puppet writes a kept one once more; here it stays.
bool AgentRun::begin_converging() {
  if (!o_.noop) say(LogLevel::Info, fmt::format("Caching catalog for {}", agent_.certname()));
  if (!from_cache_ && !o_.noop) {
    try {
      const std::string file = cache_file();
      make_missing_parent(*system_, file, service_user());
      write_private_file(*system_, file, catalog_text_);
    } catch (const SystemError& e) { error(fmt::format("Could not cache the catalog: {}", e.what())); }
  }
  catalog_text_ = {};
  if (run_hook("prerun_command", o_.prerun_command)) return true;
  hooks_failed_ = true;
  return false;
}

// ---------------------------------------------------------------------------------------------------------------------
// the run

std::optional<int> AgentRun::run_internal() {
  bool from_start = false;
  if (use_cache_first_) {
    if (retrieve_from_cache()) {
      from_start = true;
      plugin_sync_ = false;
      say(LogLevel::Info, fmt::format("Using cached catalog from environment '{}'", catalog_->environment));
      report_.cached_catalog_status = "explicitly_requested";
      if (environment_name_ != catalog_->environment && !settings().truth("strict_environment_mode")) {
        say(LogLevel::Notice,
            fmt::format("Local environment: '{}' doesn't match the environment of the cached catalog '{}', switching agent to '{}'.",
                        environment_name_, catalog_->environment, catalog_->environment));
        use_environment(catalog_->environment);
      }
    } else {
      may_use_cache_ = false;
    }
  }
  if (!from_start && !settings().given_on_command_line("environment") && !settings().truth("strict_environment_mode")) {
    bool known = false;
    std::string name = last_environment(known);
    if (!known || !settings().truth("use_last_environment")) name = environment_of_node();
    if (!name.empty()) use_environment(name);
  }
  say(LogLevel::Info, fmt::format("Using environment '{}'", environment_name_));
  if (plugin_sync_ && has_server_environment()) sync_plugins();
  collect_facts();
  if (!from_start && !get_catalog()) return std::nullopt;
  if (settings().truth("strict_environment_mode") && catalog_->environment != environment_name_) {
    error(fmt::format("Not using catalog because its environment '{}' does not match agent specified environment '{}' and "
                      "strict_environment_mode is set",
                      catalog_->environment, environment_name_));
    return std::nullopt;
  }
  for (int tries = 0; !catalog_->environment.empty() && catalog_->environment != environment_name_; ++tries) {
    if (tries > 3) throw std::runtime_error(fmt::format("Catalog environment didn't stabilize after {} fetches, aborting run", tries));
    if (!is_file_name(catalog_->environment)) throw std::runtime_error("The catalog's environment has no proper name");
    say(LogLevel::Notice,
        fmt::format("Local environment: '{}' doesn't match server specified environment '{}', restarting agent run with environment '{}'",
                    environment_name_, catalog_->environment, catalog_->environment));
    use_environment(catalog_->environment);
    if (plugin_sync_) sync_plugins();
    collect_facts();
    if (!get_catalog()) return std::nullopt;
  }
  report_.code_id = catalog_->code_id.value_or(std::string());
  report_.catalog_uuid = catalog_->uuid;
  files_->use(static_files_, catalog_->code_id.value_or(std::string()));
  const int64_t began = system_->monotonic();
  report_.builtin_resources = 7; // schedules and filebucket that Puppet adds to every catalog
  const bool applied = converge();
  add_time("catalog_application", began);
  if (!applied || stop_signal() != 0) return std::nullopt;
  return report_.exit_code();
}

void AgentRun::send_report() {
  if (!o_.keep_report) return;
  if (o_.noop && !o_.compile.as_puppet && !settings().given_on_command_line("report")) return;
  Session::Ask ask;
  ask.method = "PUT";
  ask.path = "/puppet/v3/report/" + encoded(agent_.certname());
  ask.query.add("environment", environment_name_);
  ask.content_type = "application/json";
  ask.body = report_json(report_);
  http::ServerAddress server = session_->server();
  if (settings().given("report_server")) server.host = settings().value("report_server");
  if (settings().given("report_port")) server.port = static_cast<uint16_t>(settings().integer_of("report_port"));
  try {
    session_->ask(server, ask);
  } catch (const RequestError& e) {
    if (e.status != 404) error(fmt::format("Could not send report: {}", e.what())); // as Puppet: a server may lack the environment
  }
}

std::optional<int> AgentRun::run_locked() {
  std::optional<int> status;
  const std::string last = o_.noop && !o_.compile.as_puppet ? last_report_text(o_, settings()) : std::string();
  try {
    if (!choose_server()) return std::nullopt;
    files_ = std::make_unique<ServerFiles>(*session_, environment_name_, false);
    status = run_internal();
  } catch (const CompileError& e) {
    error(fmt::format("Failed to apply catalog: {}", e.diagnostic.puppet_text()));
  } catch (const std::exception& e) { error(fmt::format("Failed to apply catalog: {}", e.what())); }
  if (!run_hook("postrun_command", o_.postrun_command)) status = std::nullopt;
  if (session_ && settings().truth("resubmit_facts")) resubmit_facts();
  if (!last.empty() && status) say(LogLevel::Notice, comparison_with(last, report_));
  if (!private_directory_.empty()) remove_tree(*system_, private_directory_);
  write_reports();
  if (session_) {
    send_report();
    session_->close();
  }
  return status;
}

/// Takes the first server of server_list that runs. False after an error was logged.
bool AgentRun::choose_server() {
  session_ = std::make_unique<Session>(settings(), tls_files(settings()), [this](const std::string& m) { say(LogLevel::Warning, m); });
  const auto debug = [this](const std::string& m) { say(LogLevel::Debug, m); };
  if (session_->choose_of_dns(debug) || settings().value("server_list").empty()) return true;
  if (session_->choose_server(debug)) {
    report_.server_used = fmt::format("{}:{}", session_->server().host, session_->server().port);
    return true;
  }
  const std::string problem = fmt::format("Could not select a functional puppet server from server_list: '{}'",
                                          settings().value("server_list"));
  if (!may_use_cache_) throw std::runtime_error(problem);
  error(problem);
  running_failure_ = true;
  plugin_sync_ = false;
  return true;
}

/// Takes the lock of the run, which Puppet's agent respects, as this one respects Puppet's. Waits as `waitforlock` says. False after a
/// message.
bool AgentRun::lock() {
  const std::string file = settings().value("agent_catalog_run_lockfile");
  const int64_t wait = settings().integer_of("waitforlock");
  const std::optional<int64_t> most = seconds_of(settings(), "maxwaitforlock");
  const int64_t began = system_->monotonic();
  for (;;) {
    const size_t logged = report_.logs.size();
    std::string holder;
    if (!held_by_puppet(file) && take_lock(file, holder)) return true;
    if (report_.logs.size() != logged) return false;
    if (wait < 1) {
      say(LogLevel::Notice, fmt::format("Run of Puppet configuration client already in progress; skipping  ({} exists)", file));
      return false;
    }
    if (most && seconds_since(began) >= static_cast<double>(*most)) {
      say(LogLevel::Notice, "Exiting now because the maxwaitforlock timeout has been exceeded.");
      return false;
    }
    say(LogLevel::Info, "Another puppet instance is already running; --waitforlock flag used, waiting for running instance to finish.");
    say(LogLevel::Info, fmt::format("Will try again in {} seconds.", wait));
    rest_for(wait);
    if (stop_signal() != 0) return false;
  }
}

/// Prepares key and certificate; waits for the CA as the settings say.
bool AgentRun::have_certificate() {
  Certificates certificates(settings(), *system_, [this](LogLevel level, const std::string& text) { say(level, text); });
  try {
    return certificates.ensure(agent_.waitforcert.value_or(settings().truth("onetime") ? 0 : settings().integer_of("waitforcert")),
                               [] { return stop_signal() != 0; });
  } catch (const std::exception& e) { error(e.what()); }
  return false;
}

std::optional<int> AgentRun::run() {
  catch_signals();
  set_search_path(o_.compile.configuration.value("path"));
  if (const auto message = disabled_message(settings())) {
    say(LogLevel::Notice, skipped_run(*message));
    return std::nullopt;
  }
  if (settings().truth("splay") && settings().truth("onetime")) {
    const int64_t seconds = random_below(settings().integer_of("splaylimit"));
    say(LogLevel::Info, fmt::format("Sleeping for {} seconds (splay is enabled)", seconds));
    rest_for(seconds);
    if (stop_signal() != 0) return std::nullopt;
  }
  if (!have_certificate() || stop_signal() != 0 || !lock()) return std::nullopt;
  const ProcessName name("puppet-agent"); // by which Puppet knows that the lock is held
  return run_locked();
}

} // namespace pupc::cli::agent
