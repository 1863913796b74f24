#include "tools/pupc/puppet/puppet_options.h"

#include "catalog/base/paths.h"
#include "catalog/base/similar_names.h"
#include "tools/pupc/command.h"

#include <algorithm>
#include <cstdio>
#include <fmt/format.h>

namespace pupc::cli {

bool parse_puppet_options(PuppetOptions& o, std::span<const std::string_view> words) {
  std::vector<Option> table = compile_option_table(o.compile);
  // For Puppet's faces, -e passes the text that the face checks or renders, not a main manifest.
  std::erase_if(table, [](const Option& option) { return option.names.starts_with("-e ") || option.names.starts_with("--facts"); });
  auto flag = [](bool& into) { return [&into](std::string_view v) { into = v == "true"; }; };
  auto text = [](std::optional<std::string>& into) { return [&into](std::string_view v) { into = std::string(v); }; };
  table.push_back({"-e --e", "CODE", "the text itself", text(o.code)});
  table.push_back({"--render-as", "FORMAT", "how the result is shown", text(o.render_as)});
  table.push_back({"--format", "FORMAT", "of a dump", text(o.format)});
  table.push_back({"--out", "FILE", "where to write", text(o.out)});
  table.push_back({"--force", "", "types too that have not changed", [](std::string_view) {}});
  table.push_back({"--pretty", "", "a dump with line ends", flag(o.pretty)});
  table.push_back({"--values", "HASH", "the template's parameters", [&](std::string_view v) { o.values = v; }});
  table.push_back({"--values-file", "FILE", "the same from a file in the language", [&](std::string_view v) {
                     const auto found = v.ends_with(".pp") ? read_whole_file(std::string(v)) : std::nullopt;
                     if (!found) throw UsageError{fmt::format("only files in the language (.pp) are supported, not '{}'", v)};
                     o.values = *found;
                   }});
  table.push_back({"--node", "NAME", "the node", [&](std::string_view v) { o.compile.node = v; }});
  table.push_back({"--facts", "FILE", "facts, JSON or YAML", [&](std::string_view v) { o.compile.facts_file = v; }});
  table.push_back({"--[no-]continue-on-error", "", "look at the next file too", flag(o.continue_on_error)});
  table.push_back({"--[no-]header", "", "the names of several files", flag(o.header)});
  table.push_back({"--store", "FILE", "exported resources", [&](std::string_view v) { o.compile.store = v; }});
  table.push_back({"--tree", "", "dependencies below each module", [](std::string_view) {}});
  table.push_back({"--verbose -v", "", "log at level info", [&](std::string_view) { o.compile.log_level = LogLevel::Info; }});
  table.push_back({"--debug -d", "", "log at level debug", [&](std::string_view) { o.compile.log_level = LogLevel::Debug; }});
  table.push_back({"--terminus --extra", "TEXT", "as Puppet has it", [](std::string_view) {}});
  table.push_back({"--color", "WHEN", "as Puppet has it; lines are plain", [](std::string_view) {}});
  bool help = false;
  try {
    o.operands = Options("", std::move(table), &o.compile.configuration).parse(words, help);
  } catch (const UsageError& e) {
    constexpr std::string_view unknown = "unknown option ";
    if (!e.message.starts_with(unknown)) throw;
    std::string option = e.message.substr(unknown.size(), e.message.find(';') - unknown.size());
    std::erase(option, '\'');
    for (const std::string_view word : words) // with its value, as it was written
      if (word.starts_with(option + "=")) option = word;
    throw UsageError{"invalid option: " + option};
  }
  return !help;
}

void tell_nearest(std::string_view word, const std::vector<std::string_view>& names) {
  if (const std::string question = did_you_mean(word, names); !question.empty()) fmt::print(stderr, "{}\n", question);
}

int puppet_face_with_own_command(std::string_view face, std::span<const std::string_view> words,
                                 int (*run)(int (*command)(std::span<const std::string_view>), std::span<const std::string_view>, bool)) {
  if (face == "facts") {
    if (!words.empty() && (words[0] == "show" || words[0] == "find")) words = words.subspan(1);
    return run(facts_command, words, false);
  }
  if (face == "config") {
    const auto action = std::find_if(words.begin(), words.end(), [](std::string_view w) { return !w.starts_with('-'); });
    if (!words.empty() && (words[0] == "--help" || words[0] == "-h")) return run(config_command, words, false);
    if (action == words.end()) {
      fmt::print(stderr, "Error: 'config' has no default action.  See `puppet help config`.\n");
      return exit_failure;
    }
    if (*action != "print" && *action != "set" && *action != "delete") {
      fmt::print(stderr, "Error: 'config' has no '{}' action.  See `puppet help config`.\n", *action);
      tell_nearest(*action, {"print", "set", "delete"});
      return exit_failure;
    }
    return run(config_command, words, false);
  }
  return run(describe_command, words, false);
}

} // namespace pupc::cli
