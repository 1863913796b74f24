#include "runtime/guard/guard_check.h"

#include "runtime/provider/script/script_run.h"

#include <algorithm>
#include <fmt/format.h>

namespace pupc::runtime {
namespace {

constexpr double default_timeout = 3600;

std::string_view interpreter_of(const ManagedResource& r) {
  const ManagedAttribute* a = r.find("guard_interpreter");
  return a != nullptr && is_guard(*a) && a->value.is_string() ? a->value.str() : "default";
}

bool script_type(std::string_view type) {
  for (std::string_view t : {"script", "bash", "batch", "csh", "ksh", "perl", "powershell_script", "python", "ruby", "zsh"})
    if (t == type) return true;
  return false;
}

/// Whether a guard's interpreter inherits an attribute from the guarded resource: it does when the attribute means the same in both. For
/// example, `path` and `group` of a file do not describe a command.
bool inherits(const ManagedResource& from, std::string_view name, std::string_view interpreter) {
  const bool runs_commands = from.type == "exec" || script_type(from.type);
  if (name == "architecture") return (interpreter == "powershell_script" || interpreter == "batch") && from.has(name);
  if (name == "path" || name == "group") return runs_commands;
  return name == "cwd" || name == "environment" || name == "user" || name == "umask";
}

/// Makes a resource of the interpreter's type for a guard. It is not part of the catalog.
ManagedResource guard_resource(const ManagedResource& guarded, const Guard& guard, std::string_view interpreter, bool inherit,
                               RunContext& run) {
  ManagedResource r;
  r.type = interpreter == "default" ? "exec" : std::string(interpreter);
  r.printed_type = r.type;
  r.title = guarded.title;
  r.path = guarded.path;
  r.file = guarded.file;
  r.line = guarded.line;
  r.set("timeout", Value::floating(default_timeout));
  if (inherit && interpreter != "default")
    for (std::string_view name : {"cwd", "environment", "group", "path", "user", "umask", "architecture"})
      if (guarded.has(name) && inherits(guarded, name, interpreter)) r.set(name, guarded.get(name), guarded.sensitive(name));
  if (interpreter == "powershell_script") r.set("convert_boolean_return", Value::boolean(true));
  if (guard.parameters != nullptr)
    for (const HashEntry& e : guard.parameters->entries()) {
      if (!e.key.is_string() || e.key.str() == "command") continue;
      Value v = e.value;
      while (v.is(Kind::Sensitive)) v = v.unwrap();
      r.set(e.key.str(), v, guard.sensitive);
    }
  r.set("code", string_value(run.arena, guard.command), guard.sensitive);
  return r;
}

/// A guard's answer: true or false, or in `broken` why there is none.
struct Answer {
  bool truth = false;
  std::string broken;
};

Answer ask(const ManagedResource& guarded, const Guard& guard, std::string_view interpreter, bool inherit, RunContext& run) {
  Answer answer;
  auto secret = [&](std::string text) { return guard.sensitive ? std::string("it cannot be run (details redacted)") : text; };
  try {
    ManagedResource r = guard_resource(guarded, guard, interpreter, inherit, run);
    CommandResult result;
    if (interpreter == "default" || interpreter == "exec") {
      CommandSettings settings = read_command_settings(r);
      Command command;
      command.shell = guard.command;
      prepare_command(command, settings, run);
      if (interpreter == "default") command.unset.clear(); // use this process's environment unchanged
      if (interpreter == "exec" && r.text("provider") != "shell") check_program(choose_function(guard.command), settings, run);
      result = run.system.run(command);
    } else {
      result = run_script(read_script(r, run), run);
    }
    if (result.timed_out) {
      answer.broken = fmt::format("it ran into its timeout of {:g} seconds", read_command_settings(r).timeout);
      return answer;
    }
    if (result.not_started) {
      answer.broken = secret(fmt::format("it could not be started: {}", SystemError(result.error, guard.command).what()));
      return answer;
    }
    auto codes = r.texts("returns");
    if (codes.empty()) codes = {"0"};
    answer.truth = std::find(codes.begin(), codes.end(), std::to_string(result.status)) != codes.end();
  } catch (const std::exception& e) { answer.broken = secret(e.what()); }
  return answer;
}

} // namespace

GuardResult evaluate_guards(ManagedResource& resource, bool inherit, const std::function<Value(const Value&)>& resolve, RunContext& run) {
  const std::string_view interpreter = interpreter_of(resource);
  for (std::string_view name : {"only_if", "not_if"}) {
    const ManagedAttribute* attribute = resource.find(name);
    if (attribute == nullptr || attribute->own) continue;
    std::vector<Guard> guards;
    std::string problem;
    if (!parse_guards(attribute->value, interpreter, guards, problem)) return {GuardResult::Broken, fmt::format("{}: {}", name, problem)};
    for (Guard& guard : guards) {
      guard.sensitive = guard.sensitive || attribute->sensitive;
      std::string shown = guard.sensitive         ? "[redacted]"
                          : guard.command.empty() ? fmt::format("Deferred {}", guard.deferred.deferred->name)
                                                  : fmt::format("'{}'", guard.command);
      Answer answer;
      if (guard.command.empty()) {
        try {
          Value v = resolve(guard.deferred);
          while (v.is(Kind::Sensitive)) v = v.unwrap();
          answer.truth = v.truthy();
          if (v.is_string() && !v.str().empty())
            run.log(LogLevel::Warning, resource,
                    fmt::format("The {} guard {} yields a String, which is always true; did you mean a command?", name, shown), "");
        } catch (const std::exception& e) { answer.broken = guard.sensitive ? "it cannot be resolved" : e.what(); }
      } else {
        answer = ask(resource, guard, interpreter, inherit, run);
      }
      if (!answer.broken.empty()) return {GuardResult::Broken, fmt::format("The {} guard {} is broken: {}", name, shown, answer.broken)};
      if (answer.truth != (name == "only_if")) return {GuardResult::Skip, fmt::format("{} {}", name, shown)};
    }
  }
  return {};
}

} // namespace pupc::runtime
