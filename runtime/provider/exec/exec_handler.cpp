// exec: runs a command when its checks (onlyif, unless, creates, refreshonly) ask for it.
#include "runtime/provider/absolute_path.h"
#include "runtime/provider/exec/shell_command.h"
#include "runtime/provider/handlers.h"
#include "runtime/provider/script/script_run.h"

#include <algorithm>
#include <fmt/format.h>

namespace pupc::runtime {
namespace {

struct ExecSpec : HandlerData {
  CommandSettings settings;
  std::vector<std::string> returns;
  int64_t tries = 1;
  double try_sleep = 0;
  std::string logoutput = "on_failure";
  bool shell = false;
  bool sensitive = false;
};

/// A command as the manifest gives it: a text for the shell, or a list of words.
struct CommandLine {
  std::vector<std::string> words; // run without a shell unless empty
  std::string text;
  std::string program() const { return words.empty() ? choose_function(text) : words.front(); }
  std::string shown() const { return words.empty() ? text : display(); }
  std::string display() const { // a list in the form of Ruby's inspect
    std::string out;
    for (const std::string& w : words) out += fmt::format("{}\"{}\"", out.empty() ? "" : ", ", w);
    return "[" + out + "]";
  }
};

CommandLine command_line(const Value& v) {
  CommandLine c;
  if (v.is_list())
    for (const Value& w : v.items()) c.words.push_back(value_text(w));
  else
    c.text = value_text(v);
  return c;
}

/// The commands of onlyif or unless: one command, or a list in which each element is a text or a list of words.
std::vector<CommandLine> checks_of(const ManagedResource& r, std::string_view name) {
  std::vector<CommandLine> out;
  Value v = r.get(name);
  if (v.is_undef()) return out;
  if (!v.is_list())
    out.push_back(command_line(v));
  else
    for (const Value& item : v.items()) out.push_back(command_line(item));
  return out;
}

/// The script type that runs onlyif and unless when guard_interpreter names one. Empty: they are plain commands.
std::string check_interpreter(const ManagedResource& r) {
  std::string name = r.text("guard_interpreter");
  return name == "default" || name == "exec" ? "" : name;
}

class ExecHandler final : public TypeHandler {
public:
  void prepare(ManagedResource& r, RunContext& run) override {
    auto spec = std::make_shared<ExecSpec>();
    auto bad = [&](std::string_view name, const std::string& why) {
      throw ResourceError(fmt::format("Parameter {} failed on {}: {}", name, r.reference(), why));
    };
    auto munging = [&](std::string_view name, std::string_view why) {
      std::string shown = r.get(name).is_string() ? fmt::format("\"{}\"", r.text(name)) : r.text(name);
      return fmt::format("Munging failed for value {} in class {}: {}", shown, name, why);
    };
    Value command = r.get("command");
    if (!command.is_undef() && !command.is_string() && !command.is_list())
      bad("command", fmt::format("Command must be a String or Array<String>, got value of class {}", class_in_ruby(command)));
    spec->settings = read_command_settings(r);
    spec->sensitive = r.sensitive("command") || r.sensitive("unless") || r.sensitive("onlyif");
    spec->shell = r.text("provider") == "shell";
    if (r.has("provider") && !spec->shell && r.text("provider") != "posix")
      throw ResourceError(fmt::format("Parameter provider failed on {}: Invalid exec provider '{}'", r.reference(), r.text("provider")));
    spec->returns = r.texts("returns");
    if (spec->returns.empty()) spec->returns = {"0"};
    if (r.has("tries")) {
      std::string text = r.text("tries");
      char* end = nullptr;
      spec->tries = std::strtoll(text.c_str(), &end, 10);
      if (text.empty() || *end != '\0') bad("tries", munging("tries", "Tries must be an integer"));
      if (spec->tries < 1) bad("tries", munging("tries", "Tries must be an integer >= 1"));
    }
    if (r.has("try_sleep")) {
      std::string text = r.text("try_sleep");
      const auto seconds = parse_seconds(text);
      if (!seconds) bad("try_sleep", munging("try_sleep", "try_sleep must be a number"));
      spec->try_sleep = *seconds;
      if (spec->try_sleep < 0) bad("try_sleep", munging("try_sleep", "try_sleep cannot be a negative number"));
    }
    spec->logoutput = r.text("logoutput", "on_failure");
    if (r.has("cwd") && !is_absolute_path(r.get("cwd"), run)) bad("cwd", "cwd must be a fully qualified path");
    const Value creates = r.get("creates");
    for (const Value& c : creates.is_list() ? creates.items() : std::span(&creates, creates.is_undef() ? 0 : 1))
      if (!is_absolute_path(c, run)) bad("creates", "creates must be a fully qualified path");
    if (r.has("user") && run.system.effective_uid() != 0) {
      auto self = run.system.user_by_id(run.system.effective_uid());
      if (!self || self->name != r.text("user")) bad("user", "Only root can execute commands as other users");
    }
    if (!spec->shell) {
      auto qualified = [&](const CommandLine& c, std::string_view parameter) {
        std::string program = c.program();
        if (program.starts_with('/') || !spec->settings.path.empty()) return;
        std::string why = fmt::format("'{}' is not qualified and no path was specified. Please qualify the command or specify a path.",
                                      spec->sensitive ? "[redacted]" : program);
        if (parameter.empty()) throw ResourceError(fmt::format("Validation of {} failed: {}", r.reference(), why));
        bad(parameter, why);
      };
      if (check_interpreter(r).empty())
        for (std::string_view name : {"unless", "onlyif"})
          for (const CommandLine& c : checks_of(r, name)) qualified(c, name);
      if (r.has("refresh")) qualified(command_line(r.get("refresh")), "refresh");
      qualified(main_command(r), "");
    }
    r.memory = std::move(spec);
  }

  void autorelations(const ManagedResource& r, RunContext&, std::vector<AutoRelation>& out) override {
    auto file = [&](std::string path) { out.push_back({AutoRelation::Require, "file", std::move(path)}); };
    if (r.has("cwd")) file(r.text("cwd"));
    auto scan = [&](const CommandLine& c, bool quoted) {
      // Find the programs at the beginnings of lines, bare or in double quotes.
      const std::string text = c.words.empty() ? c.text : c.words.front();
      size_t at = 0;
      while (at < text.size()) {
        size_t end = std::min(text.find('\n', at), text.size());
        std::string_view line = std::string_view(text).substr(at, end - at);
        if (line.starts_with('/'))
          file(std::string(line.substr(0, line.find_first_of(" \t\r\f\v"))));
        else if (quoted && line.starts_with('"'))
          if (size_t close = line.find('"', 1); close != std::string_view::npos && close > 1) file(std::string(line.substr(1, close - 1)));
        at = end + 1;
      }
    };
    scan(main_command(r), true);
    for (std::string_view name : {"onlyif", "unless"})
      for (const CommandLine& c : checks_of(r, name)) scan(c, false);
    std::string user = r.text("user");
    if (!user.empty() && user.find_first_not_of("0123456789") != std::string::npos) out.push_back({AutoRelation::Require, "user", user});
  }

  /// None are known besides those of the catalog.
  std::optional<std::vector<ManagedResource>> instances(RunContext&) override { return std::vector<ManagedResource>(); }
  Present retrieve(ManagedResource& r, RunContext& run) override {
    const ExecSpec& spec = spec_of(r);
    Present present;
    if (checks_pass(r, spec, false, run)) {
      present.set("returns", Value::string("notrun"));
    } else {
      ListBuilder done(run.arena);
      for (const std::string& code : spec.returns) done.add(string_value(run.arena, code));
      present.set("returns", done.finish());
    }
    return present;
  }

  std::vector<PropertyChange> plan(ManagedResource& r, const Present& present, RunContext& run) override {
    if (!present.get("returns").is_string()) return {};
    ListBuilder should(run.arena);
    for (const std::string& code : spec_of(r).returns) should.add(string_value(run.arena, code));
    PropertyChange c = property_change("returns", present.get("returns"), should.finish());
    c.message = "executed successfully";
    c.event_name = "executed_command";
    return {c};
  }

  void apply(ManagedResource& r, const Present&, PropertyChange&, RunContext& run) override { execute(r, run); }

  bool refreshable(const ManagedResource&) const override { return true; }

  void refresh(ManagedResource& r, RunContext& run) override {
    const ExecSpec& spec = spec_of(r);
    if (!checks_pass(r, spec, true, run)) return;
    if (r.has("refresh"))
      run_command(r, spec, command_line(r.get("refresh")), false, run);
    else
      execute(r, run);
  }

private:
  static const ExecSpec& spec_of(const ManagedResource& r) { return held<const ExecSpec>(r.memory); }
  static CommandLine main_command(const ManagedResource& r) {
    if (r.has("command")) return command_line(r.get("command"));
    CommandLine c;
    c.text = r.title;
    return c;
  }

  static std::vector<std::string> lines(const std::string& text) {
    std::vector<std::string> out;
    size_t at = 0;
    while (at < text.size()) {
      size_t end = std::min(text.find('\n', at), text.size());
      out.push_back(text.substr(at, end - at));
      at = end + 1;
    }
    while (!out.empty() && out.back().empty()) out.pop_back(); // Ruby's split drops them too
    return out;
  }

  CommandResult run_command(ManagedResource& r, const ExecSpec& spec, const CommandLine& line, bool check, RunContext& run) {
    check_program_of(spec, line, run);
    run.log(LogLevel::Debug, r, fmt::format("Executing{} '{}'", check ? " check" : "", spec.sensitive ? "[redacted]" : line.shown()), "");
    tell_warnings(r, spec.settings, told_, run);
    Command command;
    if (line.words.empty())
      command.shell = line.text;
    else
      command.argv = line.words;
    prepare_surroundings(command, spec.settings, run);
    CommandResult result;
    if (const auto missing = find_identity(command, spec.settings, run); !missing.empty())
      result.not_prepared = fmt::format("Invalid {}: {}", missing, missing == "user" ? spec.settings.user : spec.settings.group);
    else
      result = run.system.run(command);
    if (!result.not_prepared.empty()) {
      // In Puppet the child process prints this message and exits with status 1.
      result.not_started = false;
      result.status = 1;
      result.output = fmt::format("Error: Could not execute posix command: {}\n", result.not_prepared);
    }
    if (result.not_started)
      throw ResourceError(fmt::format("Could not execute {} command: {}", check ? "check" : "posix",
                                      SystemError(result.error, spec.sensitive ? "[redacted]" : line.program()).what()));
    if (!result.timed_out && result.status == 127) throw ResourceError(spec.sensitive ? "[output redacted]" : result.output);
    return result;
  }

  /// Runs a check as a script of the type `interpreter`, with the exec's own cwd, environment, user and so on.
  static CommandResult run_check_script(const ManagedResource& r, const ExecSpec& spec, const CommandLine& line,
                                        const std::string& interpreter, RunContext& run) {
    ManagedResource script;
    script.type = script.printed_type = interpreter;
    script.title = r.title;
    script.path = r.path;
    for (std::string_view name : {"cwd", "environment", "group", "path", "user", "umask", "timeout"})
      if (r.has(name)) script.set(name, r.get(name), r.sensitive(name));
    if (interpreter == "powershell_script") script.set("convert_boolean_return", Value::boolean(true));
    script.set("code", string_value(run.arena, line.text), spec.sensitive);
    CommandResult result = run_script(read_script(script, run), run);
    if (result.not_started)
      throw ResourceError(fmt::format("Could not execute check command: {}",
                                      SystemError(result.error, spec.sensitive ? "[redacted]" : interpreter).what()));
    return result;
  }

  static void check_program_of(const ExecSpec& spec, const CommandLine& line, RunContext& run) {
    if (spec.shell) return;
    try {
      check_program(line.program(), spec.settings, run);
    } catch (const ResourceError&) {
      if (spec.sensitive) throw ResourceError("Could not find command '[redacted]'");
      throw;
    }
  }

  bool checks_pass(ManagedResource& r, const ExecSpec& spec, bool refreshing, RunContext& run) {
    auto failed = [&](std::string_view check) {
      run.log(LogLevel::Debug, r,
              fmt::format("'{}' won't be executed because of failed check '{}'",
                          spec.sensitive ? "[command redacted]" : main_command(r).shown(), check),
              "");
      return false;
    };
    if (!refreshing && r.truth("refreshonly", false)) return failed("refreshonly");
    for (const std::string& path : r.texts("creates")) {
      run.log(LogLevel::Debug, r, fmt::format("Checking that 'creates' path '{}' exists", path), "creates");
      if (exists(run.system, path)) return failed("creates");
    }
    for (std::string_view name : {"unless", "onlyif"}) {
      for (const CommandLine& c : checks_of(r, name)) {
        const std::string interpreter = check_interpreter(r);
        CommandResult result = interpreter.empty() || !c.words.empty() ? run_command(r, spec, c, true, run)
                                                                       : run_check_script(r, spec, c, interpreter, run);
        if (result.timed_out) {
          run.log(LogLevel::Err, r,
                  fmt::format("Check {} exceeded timeout", spec.sensitive    ? "[redacted]"
                                                           : c.words.empty() ? fmt::format("\"{}\"", c.text)
                                                                             : c.display()),
                  name);
          return failed(name);
        }
        if (spec.sensitive)
          run.log(LogLevel::Debug, r, "[output redacted]", name);
        else
          for (const std::string& l : lines(result.output)) run.log(LogLevel::Debug, r, l, name);
        if ((result.status == 0) != (name == "onlyif")) return failed(name);
      }
    }
    return true;
  }

  void execute(ManagedResource& r, RunContext& run) {
    const ExecSpec& spec = spec_of(r);
    const CommandLine line = main_command(r);
    CommandResult result;
    auto good = [&] { return std::find(spec.returns.begin(), spec.returns.end(), std::to_string(result.status)) != spec.returns.end(); };
    for (int64_t attempt = 0; attempt < spec.tries; ++attempt) {
      if (spec.tries > 1) run.log(LogLevel::Debug, r, fmt::format("Exec try {}/{}", attempt + 1, spec.tries), "returns");
      result = run_command(r, spec, line, false, run);
      if (result.timed_out) throw ResourceError("Command exceeded timeout");
      if (good()) break;
      if (spec.try_sleep > 0 && spec.tries > 1) {
        run.log(LogLevel::Debug, r, fmt::format("Sleeping for {} seconds between tries", r.text("try_sleep")), "returns");
        run.system.sleep(spec.try_sleep > 1e9 ? std::chrono::milliseconds(int64_t{1} << 40) : to_milliseconds(spec.try_sleep));
      }
    }
    if (spec.logoutput == "true" || (spec.logoutput == "on_failure" && !good())) {
      if (spec.sensitive)
        run.log(r.loglevel, r, "[output redacted]", "returns");
      else
        for (const std::string& l : lines(result.output)) run.log(r.loglevel, r, l, "returns");
    }
    if (good()) return;
    std::string expected;
    for (const std::string& code : spec.returns) expected += (expected.empty() ? "" : ",") + code;
    if (spec.sensitive) throw ResourceError(fmt::format("[command redacted] returned {} instead of one of [{}]", result.status, expected));
    throw ResourceError(fmt::format("'{}' returned {} instead of one of [{}]", line.shown(), result.status, expected));
  }

  std::set<std::string> told_; // variables of `environment` without a value
};

} // namespace

std::unique_ptr<TypeHandler> make_exec_handler() { return std::make_unique<ExecHandler>(); }

} // namespace pupc::runtime
