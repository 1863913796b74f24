#include "runtime/provider/script/script_run.h"

#include "runtime/provider/system_tools.h"

#include <fmt/format.h>

namespace pupc::runtime {
namespace {

struct Interpreter {
  std::string_view type;
  std::vector<std::string_view> programs; // candidates: the first installed one runs the script
  std::vector<std::string_view> flags;
};

const Interpreter* interpreter_of(std::string_view type) {
  static const Interpreter table[] = {
      {"bash", {"bash"}, {}},
      {"csh", {"csh", "tcsh"}, {"-f"}},
      {"ksh", {"ksh", "ksh93", "mksh"}, {}},
      {"zsh", {"zsh"}, {}},
      {"perl", {"perl"}, {}},
      {"python", {"python", "python3"}, {}},
      {"ruby", {"ruby"}, {}},
      {"powershell_script",
       {"pwsh", "powershell.exe"},
       {"-NoLogo", "-NonInteractive", "-NoProfile", "-ExecutionPolicy", "Bypass", "-File"}},
      {"batch", {"cmd.exe"}, {"/c"}},
  };
  for (const Interpreter& i : table)
    if (i.type == type) return &i;
  return nullptr;
}

std::optional<std::string> find_program(std::string_view name, const Script& script, RunContext& run) {
  if (!script.settings.path.empty())
    if (auto found = run.system.which(name, &script.settings.path)) return found;
  return run.system.which(name);
}

/// Wraps PowerShell code so that a Boolean result becomes the exit code. Any other result keeps the script's own exit code.
std::string with_boolean_return(const std::string& code) {
  return "$pupc_value = & {\n" + code +
         "\n}\n"
         "$pupc_good = $?\n"
         "$pupc_value\n"
         "if ($pupc_value -is [System.Boolean]) { if ($pupc_value) { exit 0 } else { exit 1 } }\n"
         "if ($LASTEXITCODE) { exit $LASTEXITCODE }\n"
         "if (-not $pupc_good) { exit 1 }\n"
         "exit 0\n";
}

} // namespace

Script read_script(const ManagedResource& r, RunContext& run) {
  Script s;
  s.settings = read_command_settings(r);
  s.code = r.text("code");
  s.flags = r.texts("flags");
  if (s.flags.size() == 1) { // one text may hold several flags
    std::vector<std::string> words;
    std::string_view rest = s.flags[0];
    while (!rest.empty()) {
      size_t end = std::min(rest.find(' '), rest.size());
      if (end > 0) words.emplace_back(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    s.flags = std::move(words);
  }
  s.interpreter = r.text("interpreter");
  s.powershell = r.type == "powershell_script";
  s.batch = r.type == "batch";
  s.convert_boolean_return = r.truth("convert_boolean_return", false);
  s.sensitive = r.sensitive("code") || r.sensitive("environment");
  const Interpreter* known = interpreter_of(r.type);
  if (known == nullptr) {
    if (s.interpreter.empty()) throw ResourceError("a script needs an interpreter");
    return s;
  }
  if (s.flags.empty())
    for (auto f : known->flags) s.flags.emplace_back(f);
  else if (s.powershell)
    s.flags.emplace_back("-File");
  if (s.interpreter.empty()) {
    for (auto program : known->programs)
      if (find_program(program, s, run)) {
        s.interpreter = program;
        break;
      }
    if (s.interpreter.empty()) s.interpreter = known->programs.front();
  }
  return s;
}

CommandResult run_script(const Script& script, RunContext& run) {
  auto program = find_program(script.interpreter, script, run);
  if (!program) throw ResourceError(fmt::format("The interpreter '{}' is not installed", script.interpreter));
  Command command;
  prepare_command(command, script.settings, run);
  const PrivateDirectory directory(run.system, temporary_directory(run.system), command.uid);
  const std::string path = directory.path() + "/pupc-script" + (script.powershell ? ".ps1" : script.batch ? ".bat" : "");
  run.system.write_file(path, script.powershell && script.convert_boolean_return ? with_boolean_return(script.code) : script.code, 0700,
                        command.uid, command.gid);
  command.argv = {*program};
  command.argv.insert(command.argv.end(), script.flags.begin(), script.flags.end());
  command.argv.push_back(path);
  CommandResult result = run.system.run(command);
  if (result.not_started) throw ResourceError(fmt::format("Could not run '{}': {}", *program, SystemError(result.error, *program).what()));
  return result;
}

} // namespace pupc::runtime
