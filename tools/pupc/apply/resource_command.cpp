// pupc resource: prints the state of a resource, or of all of a type, as code or YAML. With attributes it changes the resource first.
#include "catalog/base/text.h"
#include "compiler/load/load_error.h"
#include "compiler/ruby/worker/libraries.h"
#include "tools/pupc/apply/apply_options.h"
#include "tools/pupc/command.h"
#include "tools/pupc/options.h"
#include "tools/pupc/settings/puppet_conf.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <unistd.h>

namespace pupc::cli {
namespace {

/// Thrown when the command cannot start, with Puppet's message.
struct CannotRun {
  std::string message;
};

bool is_name(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
}

ResourceQuery query_of(std::span<const std::string_view> words) {
  ResourceQuery query;
  if (words.empty()) throw CannotRun{"You must specify the type to display"};
  query.type = ascii_lower(words[0]);
  if (words.size() > 1) query.title = words[1];
  for (const std::string_view word : words.subspan(std::min<size_t>(2, words.size()))) {
    const size_t equals = word.find('=');
    if (equals == std::string_view::npos || equals + 1 == word.size() || !is_name(word.substr(0, equals)))
      throw CannotRun{fmt::format("Invalid parameter setting {}", word)};
    query.settings.emplace_back(word.substr(0, equals), word.substr(equals + 1));
  }
  return query;
}

std::vector<Option> option_table(ApplyOptions& options, ResourceQuery& query, bool& types) {
  std::vector<Option> table = compile_option_table(options.compile);
  // Remove -e (code to compile): here -e is Puppet's short form of --edit.
  std::erase_if(table, [](const Option& option) { return option.names.starts_with("-e "); });
  auto flag = [](bool& target) { return [&target](std::string_view v) { target = v == "true"; }; };
  table.push_back({"--to_yaml -y", "", "print YAML, as Hiera and create_resources take it", flag(query.yaml)});
  table.push_back({"--types -t", "", "print the names of all types", flag(types)});
  table.push_back({"--param -p", "NAME", "print this parameter too", [&](std::string_view v) { query.more.emplace_back(v); }});
  table.push_back({"--fail -f", "", "exit with 1 when the resource could not be changed", flag(query.must_succeed)});
  table.push_back({"--edit -e", "", "let $EDITOR change the text, and apply it", flag(query.edit)});
  table.push_back({"--[no-]noop", "", "say what would change and change nothing", flag(options.noop)});
  table.push_back({"--verbose -v", "", "log at level info", flag(options.verbose)});
  table.push_back({"--debug -d", "", "log at level debug", flag(options.debug)});
  table.push_back(
      {"--color", "WHEN", "auto, always or never", [&](std::string_view v) { options.color = parse_color(v == "false" ? "never" : v); }});
  table.push_back({"--provider-timeout", "SECONDS", "for one step of one resource whose provider is written in Ruby (3600)",
                   [&](std::string_view v) { options.provider_timeout = std::chrono::seconds(positive_number("--provider-timeout", v)); }});
  return table;
}

int run_resource(std::span<const std::string_view> words) {
  ApplyOptions options;
  options.compile.configuration.set_mode(RunMode::User);
  options.keep_state = false;
  ResourceQuery given;
  bool types = false, help = false;
  const auto rest = Options(
                        "Usage: pupc resource [options] TYPE [TITLE [ATTRIBUTE=VALUE…]]\n\nPrints the resources of a type as they are on "
                        "this machine, or the one of a title. With attributes it is made so first.",
                        option_table(options, given, types), &options.compile.configuration)
                        .parse(words, help);
  if (help) return exit_success;
  ResourceQuery query = types ? ResourceQuery() : query_of(rest);
  query.yaml = given.yaml;
  query.more = std::move(given.more);
  query.must_succeed = given.must_succeed;
  query.edit = given.edit;
  if (query.edit && query.yaml) throw CannotRun{"Editing with Yaml output is not supported"};
  options.compile.environment.code = "";
  read_puppet_conf(options.compile, nullptr);
  take_apply_settings(options);
  if (options.verbose) options.compile.log_level = LogLevel::Info;
  if (options.debug) options.compile.log_level = LogLevel::Debug;
  if (types) {
    const auto environment = open_environment(options.compile, nullptr);
    for (const std::string& name : known_type_names(autoload_directories(*environment))) fmt::print("{}\n", name);
    return exit_success;
  }
  options.query = &query;
  return run_apply(options);
}

} // namespace

int resource_command(std::span<const std::string_view> words) {
  try {
    return run_resource(words);
  } catch (const CannotRun& e) { fmt::print(stderr, "Error: Could not run: {}\n", e.message); } catch (const CompileError& e) {
    fmt::print(stderr, "Error: {}\n", e.diagnostic.puppet_text());
  }
  return exit_failure;
}

} // namespace pupc::cli
