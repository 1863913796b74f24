// service: manages services through systemd, Debian's init scripts, other init scripts, or (provider base) through the resource's own
// start, stop and status commands or a pattern for the process table.
#include "catalog/base/split_text.h"
#include "catalog/base/text.h"
#include "runtime/provider/handlers.h"
#include "runtime/provider/other_systems.h"
#include "runtime/provider/package/version_range.h"
#include "runtime/provider/property_handler.h"
#include "runtime/provider/system_tools.h"

#include "catalog/value/regex.h"

#include <algorithm>
#include <fmt/format.h>

namespace pupc::runtime {
namespace {

enum class Manager : uint8_t { Systemd, Debian, Redhat, Init, Base };

struct State : HandlerData {
  std::string enabled_word; // the answer of systemctl is-enabled
};

class ServiceHandler final : public TypeHandler {
public:
  void prepare(ManagedResource& r, RunContext& run) override {
    const std::string ensure = r.text("ensure");
    if (ensure == "true") r.set("ensure", string_value(run.arena, "running"));
    if (ensure == "false") r.set("ensure", string_value(run.arena, "stopped"));
    if (r.has("enable")) r.set("enable", string_value(run.arena, r.text("enable")));
    const std::string provider = r.text("provider");
    if (!provider.empty() && provider != "systemd" && provider != "debian" && provider != "redhat" && provider != "init" &&
        provider != "base" && provider != "service" && other_system_problem("service", provider, run).empty())
      throw ResourceError(fmt::format("Parameter provider failed on {}: Invalid service provider '{}'", r.reference(), provider));
    if (r.has("enable")) check_enable(r, run);
  }
  std::string key(const ManagedResource& r) const override { return r.name("name"); }

  std::string unsuitable(ManagedResource& r, RunContext& run) override {
    const std::string provider = r.text("provider");
    const bool systemd = read_if_there(run, "/proc/1/comm").value_or("").find("systemd") != std::string::npos;
    bool works = true;
    if (provider == "systemd") works = systemd && find_tool(run, "systemctl");
    if (provider == "init") // Debian and Red Hat have providers of their own
      works = !run.system.stat("/etc/debian_version") && !run.system.stat("/etc/redhat-release");
    if (provider == "debian") works = !systemd && run.system.stat("/usr/sbin/update-rc.d") && run.system.stat("/usr/sbin/invoke-rc.d");
    if (provider == "redhat") works = run.system.stat("/sbin/chkconfig") && run.system.stat("/sbin/service");
    return works ? other_system_problem("service", provider, run) : fmt::format("Provider {} is not functional on this host", provider);
  }

  Present retrieve(ManagedResource& r, RunContext& run) override {
    Present p;
    auto state = std::make_shared<State>();
    const Manager manager = kind(r, run);
    const bool all = r.has("audit");
    if (r.has("enable") || (all && manager != Manager::Init && manager != Manager::Base))
      p.set("enable", string_value(run.arena, enabled(r, *state, run)));
    if (r.has("ensure") || all) p.set("ensure", string_value(run.arena, status(r, run)));
    p.detail = state;
    return p;
  }

  /// What the manager of services here knows; init scripts that want more than the usual words are left out.
  std::optional<std::vector<ManagedResource>> instances(RunContext& run) override {
    std::vector<std::string> names;
    switch (kind(ManagedResource(), run)) {
    case Manager::Systemd:
      for (const std::string& line :
           text_lines(run_tool(run, {"systemctl", "list-unit-files", "--type", "service", "--full", "--all", "--no-pager"}).output)) {
        static constexpr std::string_view states[] = {"disabled", "enabled", "masked", "indirect", "bad", "static"};
        const auto words = catalog::words_of(line);
        if (words.size() > 1 && words.size() < 4 && std::find(std::begin(states), std::end(states), words[1]) != std::end(states))
          names.push_back(words[0]);
      }
      break;
    case Manager::Base: break;
    default:
      if (!run.system.stat("/etc/init.d")) break;
      for (const std::string& name : run.system.list_directory("/etc/init.d")) {
        static constexpr std::string_view others[] = {"functions.sh",
                                                      "reboot.sh",
                                                      "shutdown.sh",
                                                      "functions",
                                                      "halt",
                                                      "killall",
                                                      "single",
                                                      "linuxconf",
                                                      "reboot",
                                                      "boot",
                                                      "rcS",
                                                      "module-init-tools",
                                                      "wait-for-state",
                                                      "portmap-wait",
                                                      "plymouth-ready",
                                                      "idmapd-mounting",
                                                      "startpar-bridge",
                                                      "cryptdisks-udev",
                                                      "statd-mounting",
                                                      "gssd-mounting"};
        if (name.starts_with('.') || std::find(std::begin(others), std::end(others), name) != std::end(others)) continue;
        if (run.system.executable("/etc/init.d/" + name)) names.push_back(name);
      }
    }
    std::vector<ManagedResource> out;
    for (const std::string& name : names) {
      ManagedResource r;
      r.type = "service";
      r.printed_type = "Service";
      r.title = name;
      out.push_back(std::move(r));
    }
    return out;
  }

  std::vector<PropertyChange> plan(ManagedResource& r, const Present& p, RunContext&) override {
    if (r.has("ensure") && value_text(p.get("ensure")) != r.text("ensure")) {
      PropertyChange c = property_change("ensure", p.get("ensure"), r.get("ensure"));
      c.event_name = r.text("ensure") == "running" ? "service_started" : "service_stopped";
      c.invalidates_refresh = r.text("ensure") == "running";
      return {c};
    }
    if (!enable_in_sync(r, p)) {
      PropertyChange c = property_change("enable", p.get("enable"), r.get("enable"));
      c.event_name = r.text("enable") == "true"     ? "service_enabled"
                     : r.text("enable") == "manual" ? "service_manual_start"
                                                    : "service_disabled";
      return {c};
    }
    return {};
  }

  void apply(ManagedResource& r, const Present& p, PropertyChange& c, RunContext& run) override {
    if (c.property == "enable") return set_enable(r, run);
    if (r.text("ensure") == "running")
      start(r, run);
    else
      stop(r, run);
    // As in Puppet, set the start at boot without a log line of its own.
    if (!enable_in_sync(r, p)) set_enable(r, run);
  }

  bool refreshable(const ManagedResource&) const override { return true; }
  void refresh(ManagedResource& r, RunContext& run) override {
    if (status(r, run) != "running") {
      run.log(LogLevel::Debug, r, "Skipping restart; service is not running");
      return;
    }
    restart(r, run);
  }

private:
  /// Ignores `enable` when the provider cannot set the start at boot. Throws ResourceError for values that the provider does not know.
  static void check_enable(ManagedResource& r, RunContext& run) {
    static constexpr std::string_view names[] = {"systemd", "debian", "redhat", "init", "base"};
    const Manager manager = kind(r, run);
    if (manager == Manager::Init || manager == Manager::Base) {
      r.erase("enable");
      return;
    }
    const std::string enable = r.text("enable");
    const char* feature = enable == "manual"                                ? "manual_startable"
                          : enable == "delayed"                             ? "delayed_startable"
                          : enable == "mask" && manager != Manager::Systemd ? "maskable"
                                                                            : nullptr;
    if (feature != nullptr)
      throw ResourceError(fmt::format("Parameter enable failed on {}: Provider {} must have features '{}' to set 'enable' to '{}'",
                                      r.reference(), names[static_cast<size_t>(manager)], feature, enable));
  }

  static Manager kind(const ManagedResource& r, RunContext& run) {
    const std::string provider = r.text("provider");
    if (provider == "systemd") return Manager::Systemd;
    if (provider == "debian") return Manager::Debian;
    if (provider == "redhat") return Manager::Redhat;
    if (provider == "init") return Manager::Init;
    if (provider == "base" || provider == "service") return Manager::Base;
    if (const auto comm = read_if_there(run, "/proc/1/comm");
        comm && comm->find("systemd") != std::string::npos && find_tool(run, "systemctl"))
      return Manager::Systemd;
    if (run.system.stat("/usr/sbin/update-rc.d")) return Manager::Debian;
    if (find_tool(run, "chkconfig")) return Manager::Redhat;
    if (run.system.stat("/etc/init.d")) return Manager::Init;
    return Manager::Base;
  }

  static std::string init_script(const ManagedResource& r, RunContext& run) {
    std::vector<std::string> paths;
    for (const std::string& p : r.texts("path"))
      for (const std::string& one : catalog::split_text(p, ':')) paths.push_back(one);
    if (paths.empty()) paths = {"/etc/init.d"};
    const std::string name = r.name("name");
    for (const char* suffix : {"", ".sh"})
      for (const std::string& p : paths)
        if (run.system.stat(p + "/" + name + suffix)) return p + "/" + name + suffix;
    throw ResourceError(fmt::format("Could not find init script for '{}'", name));
  }

  /// The provider's command for start, stop, status or restart; empty when it has none.
  static std::vector<std::string> own_command(const ManagedResource& r, const std::string& action, RunContext& run) {
    const std::string name = r.name("name");
    switch (kind(r, run)) {
    case Manager::Systemd: return {"systemctl", action == "status" ? "is-active" : action, "--", name};
    case Manager::Debian:
      if (action == "status")
        return r.truth("hasstatus", true) ? std::vector<std::string>{"/usr/sbin/service", name, "status"} : std::vector<std::string>{};
      [[fallthrough]];
    case Manager::Redhat:
    case Manager::Init:
      if (action == "status" && !r.truth("hasstatus", true)) return {};
      if (action == "restart" && !r.truth("hasrestart", false)) return {};
      return {init_script(r, run), action};
    case Manager::Base:
      if (action == "start") {
        const std::string binary = r.text("binary");
        if (binary.empty()) throw ResourceError("Services must specify a start command or a binary");
        return {"/bin/sh", "-c", binary};
      }
      return {};
    }
    return {};
  }

  static CommandResult run_action(const ManagedResource& r, const std::string& action, RunContext& run,
                                  std::string* shown_command = nullptr) {
    const std::string given = r.text(action);
    if (!given.empty()) {
      if (shown_command) *shown_command = given;
      Command c;
      set_tool_environment(c, true);
      c.shell = given;
      return run.system.run(c);
    }
    std::vector<std::string> argv = own_command(r, action, run);
    if (auto path = argv[0].find('/') == std::string::npos ? find_tool(run, argv[0]) : std::nullopt) argv[0] = *path;
    if (shown_command) *shown_command = join_text(argv, " ");
    ToolOptions options;
    options.callers_locale = true;
    return run_tool(run, argv, options);
  }

  void act(const ManagedResource& r, const std::string& action, RunContext& run) {
    std::string command;
    const CommandResult result = run_action(r, action, run, &command);
    if (result.status == 0 && !result.not_started) return;
    // What a secret command prints may be a part of it.
    const bool secret = r.sensitive(action) || r.sensitive("binary");
    std::string text = fmt::format("Could not {} {}: Execution of '{}' returned {}: {}", action, r.reference(),
                                   secret ? "[redacted]" : command, result.status, secret ? "[output redacted]" : trimmed(result.output));
    if (kind(r, run) == Manager::Systemd && find_tool(run, "journalctl")) {
      const CommandResult journal = run_tool(run,
                                             {"journalctl", "-n", "50", "--since", "5 minutes ago", "-u", r.name("name"), "--no-pager"});
      text = fmt::format("Systemd {} for {} failed!\njournalctl log for {}:\n{}", action, r.name("name"), r.name("name"), journal.output);
    }
    throw ResourceError(text);
  }

  static std::optional<std::string> process_id(const ManagedResource& r, RunContext& run) {
    const std::string pattern = r.text("pattern", r.text("binary", r.name("name")));
    std::unique_ptr<Regex> regex;
    try {
      regex = std::make_unique<Regex>(pattern);
    } catch (const RegexError& e) { throw ResourceError(e.message); }
    const CommandResult table = run_tool(run, {"ps", "-ef"});
    for (const std::string& line : text_lines(table.output))
      if (regex->matches(line)) {
        const auto words = catalog::words_of(line);
        if (words.size() > 1) return words[1];
      }
    return std::nullopt;
  }

  static std::string status(const ManagedResource& r, RunContext& run) {
    if (r.has("status") || !own_command(r, "status", run).empty()) return run_action(r, "status", run).status == 0 ? "running" : "stopped";
    return process_id(r, run) ? "running" : "stopped";
  }

  static std::string quiet(RunContext& run, std::vector<std::string> argv, int* code = nullptr) {
    const CommandResult result = run_tool(run, std::move(argv));
    if (code) *code = result.status;
    return std::string(trimmed(result.output));
  }

  /// As Puppet does, by the version of sysv-rc: without that package (Debian since 2017) the links are removed, as for its oldest versions.
  static void disable_script(const std::string& name, RunContext& run) {
    int code = 0;
    const std::string version = quiet(run, {"dpkg-query", "-W", "--showformat", "${Version}", "sysv-rc"}, &code);
    if (code == 0 && !version.empty() && compare_debian_versions(version, "2.88") >= 0) {
      run_tool_checked(run, {"/usr/sbin/update-rc.d", name, "disable"});
      return;
    }
    run_tool_checked(run, {"/usr/sbin/update-rc.d", "-f", name, "remove"});
    run_tool_checked(run, {"/usr/sbin/update-rc.d", name, "stop", "00", "1", "2", "3", "4", "5", "6", "."});
  }

  static void reload_daemon(const ManagedResource& r, RunContext& run) {
    if (quiet(run, {"systemctl", "show", "--property=NeedDaemonReload", "--", r.name("name")}).ends_with("=yes"))
      quiet(run, {"systemctl", "daemon-reload"});
  }

  static void change_enable(const ManagedResource& r, const std::string& action, RunContext& run) {
    const CommandResult result = run_tool(run, {"systemctl", action, "--", r.name("name")});
    if (result.status == 0) return;
    run.log(LogLevel::Debug, r, trimmed(result.output)); // which Puppet leaves out of its message
    throw ResourceError(fmt::format("Could not {} {}: ", action, r.name("name")));
  }

  void start(const ManagedResource& r, RunContext& run) {
    if (kind(r, run) == Manager::Systemd) {
      reload_daemon(r, run);
      if (!r.has("start")) change_enable(r, "unmask", run);
    }
    act(r, "start", run);
  }

  void stop(const ManagedResource& r, RunContext& run) {
    if (r.has("stop") || !own_command(r, "stop", run).empty()) return act(r, "stop", run);
    const auto id = process_id(r, run);
    if (!id) {
      run.log(LogLevel::Info, r, fmt::format("{} is not running", r.name("name")));
      return;
    }
    const CommandResult killed = run_tool(run, {"kill", *id});
    if (killed.status != 0) throw ResourceError(fmt::format("Could not kill {}, PID {}: {}", r.name("name"), *id, killed.output));
  }

  void restart(const ManagedResource& r, RunContext& run) {
    if (kind(r, run) == Manager::Systemd) reload_daemon(r, run);
    if (r.has("restart") || !own_command(r, "restart", run).empty()) return act(r, "restart", run);
    stop(r, run);
    start(r, run);
  }

  static std::string debian_enabled(const ManagedResource& r, RunContext& run) {
    int code = 0;
    quiet(run, {"/usr/sbin/invoke-rc.d", "--quiet", "--query", r.name("name"), "start"}, &code);
    if (code == 104 || code == 106) return "true";
    if (code != 101 && code != 105) return "false";
    // The service is enabled when at least four run levels have a start link.
    std::string name = r.name("name");
    if (name.ends_with(".service")) name.resize(name.size() - 8);
    int links = 0;
    for (const char* level : {"0", "1", "2", "3", "4", "5", "6", "S"}) {
      const std::string directory = fmt::format("/etc/rc{}.d", level);
      if (!run.system.stat(directory)) continue;
      for (const std::string& entry : run.system.list_directory(directory))
        if (entry.size() == name.size() + 3 && entry[0] == 'S' && entry.ends_with(name)) ++links;
    }
    return links >= 4 ? "true" : "false";
  }

  static std::string enabled(const ManagedResource& r, State& state, RunContext& run) {
    switch (kind(r, run)) {
    case Manager::Systemd: {
      int code = 0;
      state.enabled_word = quiet(run, {"systemctl", "is-enabled", "--", r.name("name")}, &code);
      const std::string& word = state.enabled_word;
      if (r.text("enable") == "mask" && word == "masked") return "mask";
      if (word == "indirect") return "false";
      if (code == 0) return "true";
      if (word.empty() && run.system.stat("/usr/sbin/invoke-rc.d")) return debian_enabled(r, run);
      return "false";
    }
    case Manager::Debian: return debian_enabled(r, run);
    case Manager::Redhat: {
      int code = 0;
      quiet(run, {"chkconfig", r.name("name")}, &code);
      return code == 0 ? "true" : "false";
    }
    default: return "false";
    }
  }

  static bool enable_in_sync(const ManagedResource& r, const Present& p) {
    if (!r.has("enable")) return true;
    const std::string& word = held<const State>(p.detail).enabled_word;
    if (word == "indirect") return true;
    if (word == "static" && r.text("enable") != "mask") return true;
    return value_text(p.get("enable")) == r.text("enable");
  }

  void set_enable(const ManagedResource& r, RunContext& run) {
    const std::string wanted = r.text("enable"), name = r.name("name");
    switch (kind(r, run)) {
    case Manager::Systemd:
      if (wanted == "true") {
        change_enable(r, "unmask", run);
        change_enable(r, "enable", run);
      } else if (wanted == "mask") {
        int code = 0;
        quiet(run, {"systemctl", "cat", "--", name}, &code);
        if (code == 0) change_enable(r, "disable", run);
        change_enable(r, "mask", run);
      } else if (wanted == "false") {
        change_enable(r, "disable", run);
      } else {
        throw ResourceError(fmt::format("Provider systemd must have features 'manual_startable' to set 'enable' to '{}'", wanted));
      }
      return;
    case Manager::Debian:
      if (wanted == "true") {
        run_tool_checked(run, {"/usr/sbin/update-rc.d", "-f", name, "remove"});
        run_tool_checked(run, {"/usr/sbin/update-rc.d", name, "defaults"});
      } else {
        disable_script(name, run);
      }
      return;
    case Manager::Redhat: run_tool_checked(run, {"chkconfig", name, wanted == "true" ? "on" : "off"}); return;
    default: throw ResourceError("Provider init must have features 'enableable' to set 'enable'");
    }
  }
};

} // namespace

std::unique_ptr<TypeHandler> make_service_handler() { return std::make_unique<ServiceHandler>(); }

} // namespace pupc::runtime
