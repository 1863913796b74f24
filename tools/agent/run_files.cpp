#include "tools/agent/run_files.h"

#include "catalog/base/paths.h"
#include "catalog/formats/data_file.h"
#include "catalog/json/json_reader.h"
#include "catalog/json/json_writer.h"
#include "tools/pupc/private_files.h"

#include <cerrno>
#include <charconv>
#include <csignal>
#include <ctime>
#include <filesystem>
#include <fmt/format.h>
#include <set>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

namespace pupc::cli::agent {

std::string mount_of(std::string_view url) {
  if (url.starts_with("puppet:")) url.remove_prefix(7);
  if (url.starts_with("//")) url.remove_prefix(std::min(url.find('/', 2), url.size()));
  while (url.starts_with('/')) url.remove_prefix(1);
  return std::string(url);
}

std::string plugin_catalog(std::string_view tag, std::string_view to, std::string_view from, std::string_view permissions,
                           std::string_view ignore, System& system) {
  std::string text;
  JsonWriter w(text);
  const auto list = [&](const char* name) {
    w.key(name);
    w.begin_array();
  };
  w.begin_object();
  w.member("name", "PluginSync");
  w.key("version");
  w.integer(0);
  w.member("environment", "");
  list("resources");
  w.begin_object();
  w.member("type", "File");
  w.member("title", to);
  list("tags");
  for (const std::string_view one : {std::string_view("file"), tag}) w.string(one);
  w.end_array();
  w.key("parameters");
  w.begin_object();
  w.member("path", to);
  w.member("source", from);
  w.member("source_permissions", permissions);
  w.member("links", "follow");
  for (const char* name : {"recurse", "purge", "force"}) {
    w.key(name);
    w.boolean(true);
  }
  w.key("backup");
  w.boolean(false);
  w.key("max_files");
  w.integer(-1);
  w.key("owner");
  w.integer(system.effective_uid());
  w.key("group");
  w.integer(system.effective_gid());
  list("ignore");
  for (size_t at = 0; at < ignore.size();) {
    const size_t end = std::min(ignore.find(' ', at), ignore.size());
    if (end > at) w.string(ignore.substr(at, end - at));
    at = end + 1;
  }
  w.end_array();
  w.end_object();
  w.end_object();
  w.end_array();
  list("edges");
  w.end_array();
  list("classes");
  w.end_array();
  w.end_object();
  return text;
}

std::string failure_of(const ResourceStatus& status, const RunReport& report) {
  for (const RunEvent& event : status.events)
    if (event.status == EventStatus::Failure) return event.message;
  for (auto line = report.logs.rbegin(); line != report.logs.rend(); ++line)
    if (line->level >= LogLevel::Err) return line->message;
  return "unknown";
}

bool lock_file(System& system, RunLock& lock, const std::string& path, std::string& holder) {
  make_private_directories(system, std::filesystem::path(path).parent_path().string());
  return lock.acquire(path, holder);
}

void rest_for(int64_t seconds) {
  timespec time{};
  time.tv_sec = seconds;
  ::nanosleep(&time, nullptr);
}

int64_t random_below(int64_t most) {
  uint64_t number = 0;
  if (most <= 0 || ::getrandom(&number, sizeof number, 0) != static_cast<ssize_t>(sizeof number)) return 0;
  return static_cast<int64_t>(number % (static_cast<uint64_t>(most) + 1));
}

bool held_by_puppet(const std::string& lock_file) {
  const auto text = read_whole_file(lock_file);
  if (!text) return false;
  pid_t process = 0;
  const auto [end, ec] = std::from_chars(text->data(), text->data() + text->size(), process);
  if (ec != std::errc() || process <= 1 || process == ::getpid() || (::kill(process, 0) != 0 && errno == ESRCH)) return false;
  const auto name = read_whole_file(fmt::format("/proc/{}/comm", process)),
             words = read_whole_file(fmt::format("/proc/{}/cmdline", process));
  if (!name || !words) return false;
  // As Puppet decides it.
  const std::string_view called(name->data(), name->find('\n'));
  return (called.find("ruby") != std::string_view::npos && words->find("puppet") != std::string::npos) || called == "puppet" ||
         called.starts_with("puppet-");
}

std::optional<std::string> disabled_message(const PuppetSettings& settings) {
  const std::string file = settings.value("agent_disabled_lockfile");
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) return std::nullopt;
  const auto text = read_whole_file(file);
  Arena arena;
  Value document;
  JsonError problem;
  if (!text || !parse_json(*text, arena, document, problem) || !document.is_hash()) return "";
  const Value* message = document.hash->find("disabled_message");
  return message != nullptr && message->is_string() ? std::string(message->str()) : std::string();
}

std::string skipped_run(const std::string& message) {
  return fmt::format("Skipping run of Puppet configuration client; administratively disabled (Reason: '{}');\n"
                     "Use 'puppet agent --enable' to re-enable.",
                     message);
}

void disable_runs(System& system, const PuppetSettings& settings, const std::string& message) {
  const std::string file = settings.value("agent_disabled_lockfile");
  if (system.lstat(file)) return; // the first reason stays
  std::string text;
  JsonWriter w(text);
  w.begin_object();
  w.member("disabled_message", message);
  w.end_object();
  make_private_directories(system, std::filesystem::path(file).parent_path().string());
  write_private_file(system, file, text);
}

void enable_runs(System& system, const PuppetSettings& settings) {
  const std::string file = settings.value("agent_disabled_lockfile");
  if (system.lstat(file)) system.remove_file(file);
}

ProcessName::ProcessName(const char* name) {
  ::prctl(PR_GET_NAME, old_);
  ::prctl(PR_SET_NAME, name);
}
ProcessName::~ProcessName() { ::prctl(PR_SET_NAME, old_); }

std::string last_report_text(const ApplyOptions& options, const PuppetSettings& settings) {
  if (options.compile.as_puppet) return {};
  PuppetSettings of_puppet = settings;
  of_puppet.set_default("vardir", PuppetSettings(RunMode::Agent).value("vardir"));
  if (of_puppet.value("lastrunreport") == options.lastrunreport) return {};
  return read_whole_file(of_puppet.value("lastrunreport")).value_or(std::string());
}

namespace {

const Value* entry_at(const Value* of, std::string_view name) { return of != nullptr && of->is_hash() ? of->hash->find(name) : nullptr; }

std::string named(const std::set<std::string>& names) {
  constexpr size_t most = 10;
  std::string out;
  size_t shown = 0;
  for (const std::string& name : names) {
    if (shown++ == most) return out + fmt::format(" and {} more", names.size() - most);
    out += (out.empty() ? "" : ", ") + name;
  }
  return out;
}

} // namespace

std::string comparison_with(const std::string& last_report, const RunReport& report) {
  Arena arena;
  Value document;
  if (const auto problem = read_yaml(last_report, arena, document, {.file = "last_run_report.yaml", .dates = true}))
    return fmt::format("The report of Puppet's last run cannot be read: {}", problem->message);
  std::set<std::string> then, now, only_then, only_now;
  if (const Value* statuses = entry_at(&document, "resource_statuses"); statuses != nullptr && statuses->is_hash())
    for (const HashEntry& e : statuses->hash->entries())
      for (const char* sign : {"out_of_sync", "changed", "failed"})
        if (const Value* yes = entry_at(&e.value, sign); yes != nullptr && yes->kind == Kind::Bool && yes->b)
          then.insert(std::string(e.key.str()));
  for (const ResourceStatus& status : report.statuses)
    if (status.out_of_sync_count() > 0 || status.failed) now.insert(status.reference);
  std::ranges::set_difference(then, now, std::inserter(only_then, only_then.end()));
  std::ranges::set_difference(now, then, std::inserter(only_now, only_now.end()));
  std::string out = fmt::format("Puppet's last run changed or wanted to change {} resources, this one would change {}", then.size(),
                                now.size());
  if (!only_now.empty()) out += fmt::format("; only this one: {}", named(only_now));
  if (!only_then.empty()) out += fmt::format("; only Puppet: {}", named(only_then));
  return out;
}

} // namespace pupc::cli::agent
