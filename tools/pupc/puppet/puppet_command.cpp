// pupc puppet …, or pupc started under the name puppet: Puppet's own command line, with its exit codes and output streams.
#include "catalog/base/paths.h"
#include "catalog/base/version.h"
#include "catalog/formats/yaml_writer.h"
#include "catalog/json/catalog_writer.h"
#include "catalog/json/json_reader.h"
#include "compiler/ast/pn_printer.h"
#include "compiler/ast/tree_dump.h"
#include "compiler/load/facts_file.h"
#include "compiler/load/load_error.h"
#include "compiler/load/parsed_files.h"
#include "compiler/parse/parser.h"
#include "runtime/sys/posix_system.h"
#include "tools/pupc/command.h"
#include "tools/pupc/node/facts_terminus.h"
#include "tools/pupc/node/local_facts.h"
#include "tools/pupc/node/node_setup.h"
#include "tools/pupc/node/puppetdb_nodes.h"
#include "tools/pupc/options.h"
#include "tools/pupc/puppet/puppet_missing.h"
#include "tools/pupc/puppet/puppet_options.h"
#include "tools/pupc/puppet/strings_document.h"
#include "tools/pupc/settings/puppet_conf.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <iostream>

namespace pupc::cli {
namespace {

namespace fs = std::filesystem;

using Words = std::span<const std::string_view>;

/// Ends a command as Puppet's faces do: the text on standard error, exit code 1.
struct PuppetFailure {
  std::string message;
};

void tell_error(std::string_view message) { fmt::print(stderr, "Error: {}\n", message); }

// ---------------------------------------------------------------------------------------------------------------------
// parser and epp

/// The files to check: the given files, and all files with the extension below the given directories.
std::vector<std::string> files_of(Words paths, std::string_view extension, bool as_array = false) {
  std::vector<std::string> out, missing;
  for (std::string_view path : paths) {
    std::error_code ignored;
    const std::string name(path);
    if (fs::is_directory(name, ignored)) {
      std::vector<std::string> found;
      for (auto it = fs::recursive_directory_iterator(name, fs::directory_options::skip_permission_denied, ignored);
           it != fs::recursive_directory_iterator(); it.increment(ignored))
        if (it->is_regular_file(ignored) && it->path().string().ends_with(extension)) found.push_back(it->path().string());
      std::sort(found.begin(), found.end());
      out.insert(out.end(), found.begin(), found.end());
    } else if (fs::exists(name, ignored)) {
      out.push_back(name);
    } else {
      missing.push_back(name);
    }
  }
  if (!missing.empty()) {
    std::string list;
    for (const std::string& m : missing)
      list += as_array ? fmt::format("{}\"   {}\\n\"", list.empty() ? "" : ", ", m) : fmt::format("{}   {}", list.empty() ? "" : "\n", m);
    throw PuppetFailure{fmt::format("One or more file(s) specified did not exist:\n{}", as_array ? "[" + list + "]" : list)};
  }
  return out;
}

/// Loads a manifest as an environment does, and logs Puppet's messages. False when the manifest has errors.
bool load_manifest(EnvironmentOptions options, LogSink& log, bool tasks) {
  std::shared_ptr<const Environment> environment; // outlives the errors, which point into its texts
  RegexCache regexes;
  LoadedFile plan;
  try {
    if (tasks) {
      std::string text = options.code ? *options.code : read_whole_file(options.manifest).value_or(std::string());
      load_text(plan, options.code ? "" : options.manifest, std::move(text), false, regexes, options.check,
                fmt::format("Could not parse for environment {}: ", options.name), true);
      plan.report(&log);
      return true;
    }
    environment = open_environment(std::move(options));
    environment->main_manifests(&log);
    return true;
  } catch (const CompileError& e) {
    tell_error(e.diagnostic.log_text.empty() ? e.diagnostic.puppet_text() : e.diagnostic.log_text);
    return false;
  }
}

int parser_validate(PuppetOptions& given) {
  EnvironmentOptions options;
  options.name = given.compile.configuration.value("environment");
  options.check = given.compile.environment.check;
  ConsoleLog log(given.compile.log_level, false);
  bool good = true;
  if (given.operands.empty() && isatty(fileno(stdin)) == 0) {
    options.code = read_standard_input();
    good = load_manifest(options, log, given.tasks);
  } else {
    std::vector<std::string> files = files_of(given.operands, ".pp", true);
    if (given.operands.empty()) {
      fmt::print("Notice: No manifest specified. Validating the default manifest {}\n", given.compile.environment.manifest);
      files = {given.compile.environment.manifest};
    }
    for (const std::string& file : files) {
      options.manifest = fs::absolute(file).lexically_normal().string();
      good = load_manifest(options, log, given.tasks) && good;
    }
  }
  return good ? exit_success : exit_failure;
}

int dump(PuppetOptions& given, bool epp) {
  const std::string format = given.format.value_or("old");
  RegexCache regexes;
  std::string out;
  auto show = [&](const std::string& name, std::string text, bool with_name) {
    ParseOptions options;
    options.epp = epp;
    options.tasks = given.tasks;
    ParseResult parsed = parse("", std::move(text), regexes, options); // the errors must not name a file
    if (!parsed.file) {
      if (with_name) tell_error("--- " + name);
      tell_error(parsed.diagnostics.front().puppet_text());
      return;
    }
    if (format == "json") { // Puppet leaves out the names of files there
      out += print_pn(*parsed.file, given.pretty, true);
      return;
    }
    if (with_name && (!epp || given.header)) out += fmt::format("--- {}{}", name, epp ? "\n" : "");
    out += format == "old" ? dump_tree(*parsed.file) + "\n" : print_pn(*parsed.file, given.pretty);
  };
  if (given.code) {
    show("", *given.code, false);
  } else if (given.operands.empty() && isatty(fileno(stdin)) == 0) {
    show("", read_standard_input(), false);
  } else if (given.operands.empty()) {
    throw PuppetFailure{"No input to parse given on command line or stdin"};
  } else {
    std::vector<std::string> files, missing;
    for (std::string_view operand : given.operands) (fs::exists(operand) ? files : missing).emplace_back(operand);
    for (const std::string& file : files) show(file, read_whole_file(file).value_or(std::string()), !epp || files.size() > 1);
    if (!missing.empty()) {
      const std::string told = "One or more file(s) specified did not exist:\n   " + fmt::format("{}", fmt::join(missing, "\n   "));
      if (epp) throw PuppetFailure{told};
      out += told;
    }
  }
  fmt::print("{}{}", out, out.ends_with('\n') ? "" : "\n");
  return exit_success;
}

int epp_validate(PuppetOptions& given) {
  RegexCache regexes;
  bool good = true;
  auto check = [&](const std::string& name, std::string text) {
    ParseOptions options;
    options.epp = true;
    ParseResult parsed = parse(name, std::move(text), regexes, options);
    for (const Diagnostic& d : parsed.diagnostics)
      if (d.severity == Severity::Error) {
        tell_error(d.puppet_text());
        good = false;
        break; // Puppet's parser stops at the first
      }
  };
  if (given.operands.empty() && isatty(fileno(stdin)) == 0)
    check("", read_standard_input());
  else
    for (const std::string& file : files_of(given.operands, ".epp")) {
      check(file, read_whole_file(file).value_or(std::string()));
      if (!good && !given.continue_on_error) break;
    }
  if (!good) throw PuppetFailure{"Errors while validating epp"};
  return exit_success;
}

/// `text` as a string literal of the Puppet language.
std::string string_literal(std::string_view text) {
  std::string out = "'";
  for (char c : text) {
    if (c == '\\' || c == '\'') out += '\\';
    out += c;
  }
  return out + "'";
}

std::shared_ptr<const Environment> set_up(PuppetOptions& given, Environments& environments, NodeData& node, LogSink& log,
                                          bool of_catalog = false);

/// The name by which epp() finds a template: that of a module's template, else the file's absolute path. Empty when there is neither.
std::string template_name(const std::string& name, const EnvironmentOptions& environment) {
  std::error_code ignored;
  const size_t slash = name.find('/');
  if (slash != 0 && slash != std::string::npos)
    for (const std::string& directory : environment.modulepath)
      if (fs::is_regular_file(fmt::format("{}/{}/templates/{}", directory, name.substr(0, slash), name.substr(slash + 1)), ignored))
        return name;
  return fs::exists(name, ignored) ? fs::absolute(name).lexically_normal().string() : std::string();
}

int epp_render(PuppetOptions& given) {
  const CompileOptions& compile_options = given.compile;
  ConsoleLog console(compile_options.log_level, false);
  WithoutErrors log(console);
  std::vector<std::pair<std::string, std::string>> templates; // as shown, the call
  const bool is_inline = given.operands.empty();
  if (is_inline) {
    if (!given.code && isatty(fileno(stdin)) != 0) throw PuppetFailure{"No input to process given on command line or stdin"};
    templates.emplace_back("", "inline_epp(" + string_literal(given.code ? *given.code : read_standard_input()));
  }
  for (std::string_view path : given.operands) {
    const std::string name(path), found = template_name(name, compile_options.environment);
    if (found.empty()) {
      tell_error(fmt::format("Could not find template '{}'", name));
      throw PuppetFailure{"error while rendering epp"};
    }
    templates.emplace_back(name, "epp(" + string_literal(found));
  }
  auto failed = [&](std::string message) {
    if (is_inline || message.starts_with("epp(): Invalid EPP")) return PuppetFailure{std::move(message)};
    tell_error(message);
    return PuppetFailure{"error while rendering epp"};
  };
  RubyPool ruby(compile_options.ruby);
  for (const auto& [name, call] : templates) {
    NodeData node;
    given.compile.environment.code = fmt::format("notify {{ 'epp': message => {}, {}) }}", call, given.values);
    Environments environments(given.compile);
    try {
      const auto environment = set_up(given, environments, node, log);
      CompileResult result = compile(environment, node, compile_options.settings, log, &ruby);
      if (!result.ok()) {
        constexpr std::string_view around = "Evaluation Error: Error while evaluating a Function Call, ";
        const Diagnostic& d = *result.error; // in the call that pupc added itself
        throw failed(d.message.starts_with(around) ? d.message.substr(around.size()) : d.puppet_text());
      }
      const Catalog& catalog = *result.catalog;
      for (ResourceId id = 0; id < catalog.size(); ++id)
        if (catalog.reference(id) == "Notify[epp]")
          for (const Param& p : catalog[id].parameters())
            if (p.name.str() == "message" && p.value.is_string()) {
              if (templates.size() > 1 && given.header) fmt::print("--- {}\n", name);
              fmt::print("{}{}", p.value.str(), p.value.str().ends_with('\n') ? "" : "\n");
            }
    } catch (const CompileError& e) { throw failed(e.diagnostic.puppet_text()); }
  }
  return exit_success;
}

// ---------------------------------------------------------------------------------------------------------------------
// catalog

/// The node's facts, from a file or from `terminus`. A terminus without facts of the node leaves it without any, as in Puppet.
TerminusFacts facts_of(PuppetOptions& given, const std::string& terminus, const std::string& name, Environments& environments, LogSink& log,
                       Arena& arena) {
  const CompileOptions& options = given.compile;
  if (!options.facts_file.empty()) return {read_facts_file(arena, options.facts_file), {}};
  try {
    TerminusFacts found = find_facts(options, terminus, name, arena,
                                     [&] { return local_facts_as_puppet(options, *environments.open("", &log), arena); });
    if (found.facts.is_undef()) found.facts = HashBuilder(arena).finish();
    return found;
  } catch (CompileError& e) {
    e.diagnostic.message = fmt::format("Failed when searching for node {0}: Could not retrieve facts for {0}: {1}", name,
                                       e.diagnostic.message);
    throw;
  }
}

std::shared_ptr<const Environment> set_up(PuppetOptions& given, Environments& environments, NodeData& node, LogSink& log, bool of_catalog) {
  CompileOptions& options = given.compile;
  std::string name = options.node;
  if (name.empty()) name = options.configuration.value("certname");
  const std::string terminus = facts_terminus(options, of_catalog ? "catalog" : "epp", "facter");
  const TerminusFacts known = given.wants_facts ? facts_of(given, terminus, name, environments, log, *node.arena) : TerminusFacts();
  const auto environment = set_up_node(options, environments, node, name, known.facts, &log, known.trusted);
  if (of_catalog) {
    trust_parameters(options, node, terminus == "facter");
    trust_known(options, node, known.trusted);
  }
  return environment;
}

int catalog_compile(PuppetOptions& given) {
  static constexpr std::string_view formats[] = {"console", "json", "pson", "yaml", "rich_data_json", "s", "dot", "msgpack"};
  const std::string format = given.render_as.value_or("console");
  if (std::find(std::begin(formats), std::end(formats), format) == std::end(formats))
    throw UsageError{fmt::format("I don't know how to render '{}'", format)};
  if (format != "console" && format != "json" && format != "pson" && format != "rich_data_json" && format != "yaml")
    throw PuppetFailure{fmt::format("rendering as {} is not supported: json and yaml are", format)};
  CompileOptions& options = given.compile;
  ConsoleLog log(options.log_level, false, true);
  NodeData node;
  Environments environments(options);
  auto fail = [&](const std::string& message) {
    for (int i = 0; i < 2; ++i) tell_error(fmt::format("Could not call 'find' on 'catalog': {}", message));
    tell_error("Try 'puppet help catalog compile' for usage");
    return exit_failure;
  };
  const auto begin = std::chrono::steady_clock::now();
  std::shared_ptr<const Environment> environment;
  try {
    if (!given.operands.empty()) options.node = given.operands[0];
    environment = set_up(given, environments, node, log, true);
  } catch (const CompileError& e) {
    const std::string text = e.diagnostic.puppet_text();
    constexpr std::string_view facts = ": Could not retrieve facts for ";
    const size_t at = text.find(facts), cause = at == std::string::npos ? at : text.find(": ", at + facts.size());
    tell_error(cause == std::string::npos ? text : fmt::format("{}\nWrapped exception:\n{}", text, text.substr(cause + 2)));
    return fail(text);
  }
  RubyPool ruby(options.ruby);
  CompileResult result = compile(environment, node, options.settings, log, &ruby);
  if (!result.ok()) {
    tell_error(result.error_text);
    return fail(result.error_text);
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  log.log(
      {LogLevel::Notice, "",
       fmt::format("Compiled catalog for {} in environment {} in {:.2f} seconds", node.input.name, environment->options().name, seconds)});
  std::string text;
  CatalogWriteOptions how;
  how.pretty = format == "console";
  write_catalog(*result.catalog, text, how);
  if (format == "yaml") {
    Value document;
    JsonError error;
    Arena& arena = *node.arena;
    if (!parse_json(arena.copy(text), arena, document, error)) throw PuppetFailure{error.message};
    text = write_yaml(document, {}, environment->regexes(), [](const Value&) { return std::string(); });
    if (text.starts_with("---")) text = "--- !ruby/object:Puppet::Resource::Catalog" + text.substr(3);
  }
  if (!text.ends_with('\n')) text += '\n';
  std::fflush(stdout);
  return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0 ? exit_success : exit_failure;
}

// ---------------------------------------------------------------------------------------------------------------------
// node, module

/// Removes the stored data of nodes: their facts and exported resources.
int node_clean(PuppetOptions& given) {
  if (given.operands.empty()) throw PuppetFailure{"At least one node should be passed"};
  const PuppetSettings& conf = given.compile.configuration;
  int code = exit_success;
  for (std::string_view name : given.operands) {
    if (name.find('/') != std::string_view::npos) throw PuppetFailure{fmt::format("'{}' is no name of a node", name)};
    for (const char* directory : {"yamldir", "clientyamldir"})
      for (const char* kind : {"facts", "node"}) {
        std::error_code ignored;
        fs::remove(fmt::format("{}/{}/{}.yaml", conf.value(directory), kind, name), ignored);
      }
    if (!given.compile.store.empty()) {
      const std::string_view words[] = {given.compile.store, "--forget", name};
      code = std::max(code, store_command(words));
    }
    fmt::print("{}\n", name);
  }
  return code;
}

std::vector<std::string> operands(const PuppetOptions& given) { return {given.operands.begin(), given.operands.end()}; }

int node_deactivate(PuppetOptions& given) {
  if (given.operands.empty()) throw PuppetFailure{"Please provide at least one node for deactivation"};
  return deactivate_nodes(given.compile, operands(given));
}

int node_status(PuppetOptions& given) {
  if (given.operands.empty()) throw PuppetFailure{"Please provide at least one node"};
  return tell_nodes(given.compile, operands(given));
}

int module_list(PuppetOptions& given) {
  ConsoleLog log(given.compile.log_level, false);
  const auto environment = open_environment(given.compile, &log);
  for (const std::string& directory : environment->options().modulepath) {
    std::vector<const Module*> here;
    for (const Module& m : environment->modules())
      if (fs::path(m.path).parent_path() == directory) here.push_back(&m);
    std::error_code ignored;
    if (!fs::is_directory(directory, ignored)) continue;
    fmt::print("{}{}\n", directory, here.empty() ? " (no modules installed)" : "");
    for (const Module* m : here) {
      fmt::print("{} {}", m == here.back() ? "└──" : "├──", m->name);
      fmt::print(" ({})\n", m->version.empty() ? "\033[0;36m???\033[0m" : "\033[0;36mv" + m->version + "\033[0m");
    }
  }
  return exit_success;
}

/// Only opens the environment, to report its errors. Puppet also writes a description of each type into the environment, so that
/// environments do not share Ruby classes; pupc's environments never share them.
int generate_types(PuppetOptions& given) {
  if (given.format && *given.format != "pcore")
    throw PuppetFailure{fmt::format("'{}' is not a supported format for type generation.", *given.format)};
  ConsoleLog log(given.compile.log_level, false);
  open_environment(given.compile, &log);
  log.log({LogLevel::Notice, "", "Nothing to generate: each environment's types are read from its own modules"});
  return exit_success;
}

/// Writes the documentation of the module in the working directory.
int strings_generate(PuppetOptions& given) {
  const std::string format = given.format.value_or("html");
  if (format != "json") throw PuppetFailure{fmt::format("the format '{}' is not supported: json is", format)};
  if (!given.operands.empty()) throw PuppetFailure{"search patterns are not supported: the whole module in this directory is described"};
  const StringsDocument document = strings_document(".");
  if (!document.problem.empty()) fmt::print(stderr, "Warning: left out: {}\n", document.problem);
  if (document.ruby_left_out) fmt::print(stderr, "Warning: functions, types and providers in Ruby are left out\n");
  if (given.out) {
    make_posix_system()->write_file(*given.out, document.json, 0644, std::nullopt, std::nullopt, false);
    return exit_success;
  }
  return std::fwrite(document.json.data(), 1, document.json.size(), stdout) == document.json.size() && std::fflush(stdout) == 0
             ? exit_success
             : exit_failure;
}

// ---------------------------------------------------------------------------------------------------------------------

struct Action {
  std::string_view face, action; // action "": the face itself
  int (*run)(PuppetOptions& given);
  RunMode mode;
  bool wants_facts;
};

constexpr Action actions[] = {
    {"parser", "validate", parser_validate, RunMode::User, false},
    {"parser", "dump", [](PuppetOptions& o) { return dump(o, false); }, RunMode::User, false},
    {"epp", "validate", epp_validate, RunMode::User, false},
    {"epp", "render", epp_render, RunMode::User, true},
    {"epp", "dump", [](PuppetOptions& o) { return dump(o, true); }, RunMode::User, false},
    {"catalog", "compile", catalog_compile, RunMode::Server, true},
    {"catalog", "find", catalog_compile, RunMode::Server, true},
    {"node", "clean", node_clean, RunMode::Server, false},
    {"node", "deactivate", node_deactivate, RunMode::User, false},
    {"node", "status", node_status, RunMode::User, false},
    {"module", "list", module_list, RunMode::User, false},
    {"generate", "types", generate_types, RunMode::User, false},
    {"strings", "generate", strings_generate, RunMode::User, false},
};

constexpr std::string_view own_commands[] = {"agent", "apply", "config", "describe", "facts", "lookup", "resource", "ssl"};

} // namespace

bool is_puppet_subcommand(std::string_view name) {
  return std::find(std::begin(own_commands), std::end(own_commands), name) != std::end(own_commands) ||
         std::any_of(std::begin(actions), std::end(actions), [&](const Action& a) { return a.face == name; }) ||
         !replacement_of(name).empty();
}

namespace {

void tell_nearest_subcommand(std::string_view word) {
  std::vector<std::string_view> names(std::begin(own_commands), std::end(own_commands));
  for (const Action& a : actions) names.push_back(a.face);
  for (const std::string_view name : missing_subcommands()) names.push_back(name);
  tell_nearest(word, names);
}

/// Says what to use in the place of a subcommand or an action that pupc lacks. False when it lacks none.
bool tell_replacement(std::string_view name, std::string_view action = {}) {
  const std::string_view instead = replacement_of(name, action);
  if (!instead.empty()) tell_error(fmt::format("pupc has no '{}{}{}': {}", name, action.empty() ? "" : " ", action, instead));
  return !instead.empty();
}

/// Refuses an action that a subcommand does not have.
int unknown_action(std::string_view name, std::string_view action) {
  if (tell_replacement(name, action)) return exit_failure;
  tell_error(fmt::format("'{0}' has no '{1}' action.  See `puppet help {0}`.", name, action));
  std::vector<std::string_view> names = missing_actions(name);
  for (const Action& a : actions)
    if (a.face == name) names.push_back(a.action);
  tell_nearest(action, names);
  return exit_failure;
}

int run_action(const Action& action, Words words) {
  PuppetOptions given;
  given.compile.as_puppet = true;
  given.compile.configuration.set_mode(action.mode);
  given.wants_facts = action.wants_facts;
  try {
    if (!parse_puppet_options(given, words)) {
      fmt::print("USAGE: puppet {} {} [options]\n\nSee `pupc help {}` for what pupc has in its place.\n", action.face, action.action,
                 action.face);
      return exit_success;
    }
    ConsoleLog log(given.compile.log_level, false);
    read_puppet_conf(given.compile, &log);
    given.tasks = given.compile.configuration.value("tasks") == "true";
    return action.run(given);
  } catch (const UsageError& e) {
    tell_error(fmt::format("Could not parse application options: {}", e.message));
  } catch (const PuppetFailure& e) {
    tell_error(e.message);
    tell_error(fmt::format("Try 'puppet help {} {}' for usage", action.face, action.action));
  } catch (const CompileError& e) { tell_error(e.diagnostic.puppet_text()); }
  return exit_failure;
}

/// Runs the pupc command of the same name with the same words, but with Puppet's default paths if `as_puppet`.
int run_own(int (*command)(Words), Words words, bool as_puppet) {
  std::vector<std::string_view> all;
  if (as_puppet) all.emplace_back("--as-puppet");
  for (std::string_view w : words)
    if (w != "--report") all.push_back(w); // Puppet's default; pupc's --report has another meaning
  try {
    return command(all);
  } catch (const UsageError& e) {
    const std::string_view unknown = "unknown option ";
    if (e.message.starts_with(unknown)) {
      std::string option = e.message.substr(unknown.size(), e.message.find(';') - unknown.size());
      std::erase(option, '\'');
      tell_error(fmt::format("Could not parse application options: invalid option: {}", option));
    } else {
      tell_error(
          fmt::format("Could not run: {}", e.message == "no keys were given to lookup" ? "No keys were given to lookup." : e.message));
    }
    return exit_failure;
  }
}

int as_puppet(int (*command)(Words), Words words) {
  std::vector<std::string_view> all{"--as-puppet"};
  all.insert(all.end(), words.begin(), words.end());
  return command(all);
}

void print_usage() {
  fmt::print("\nUsage: puppet <subcommand> [options] <action> [options]\n\nAvailable subcommands:\n\n");
  for (std::string_view own : own_commands) fmt::print("    {}\n", own);
  for (const Action& a : actions) fmt::print("    {} {}\n", a.face, a.action);
  fmt::print("\nOf Puppet's other subcommands `puppet help <subcommand>` tells what to use in their place.\n");
  fmt::print("\npupc {} answers as Puppet {}.\n", PUPC_VERSION, puppet_version);
}

/// `puppet help`, `puppet help apply`, `puppet help module install`.
int help_command(Words words) {
  const std::string_view name = words.empty() || words[0].starts_with('-') ? "" : words[0];
  const std::string_view action = words.size() < 2 || words[1].starts_with('-') ? "" : words[1];
  static constexpr std::string_view help[] = {"--help"};
  if (name == "agent" || name == "ssl") return as_puppet(name == "agent" ? agent_command : ssl_command, help);
  if (name == "apply") return run_own(run_apply, help, true);
  if (name == "resource") return run_own(resource_command, help, true);
  if (name == "lookup") return run_own(lookup_command, help, true);
  if (name == "config") return run_own(config_command, help, false);
  if (name == "facts" && action.empty()) return run_own(facts_command, help, false);
  if (tell_replacement(name, name.empty() ? "" : action) || (!action.empty() && tell_replacement(name))) return exit_failure;
  if (!name.empty() && !is_puppet_subcommand(name)) {
    tell_error(fmt::format("Could not load help for the face {}.", name));
    tell_nearest_subcommand(name);
    return exit_failure;
  }
  print_usage();
  return exit_success;
}

} // namespace

int node_command(std::span<const std::string_view> words) {
  const bool help = !words.empty() && (words[0] == "--help" || words[0] == "-h");
  if (help || words.empty()) {
    fmt::print(
        help ? stdout : stderr,
        "Usage: pupc node clean|deactivate|status NODE… [--SETTING VALUE]…\n\n"
        "`deactivate` tells PuppetDB that a node is gone: what it exported is not collected any more. `status` prints what PuppetDB\n"
        "knows of a node. `clean` removes its certificate and what is kept of it here. Settings are Puppet's, as --confdir DIR.\n");
    return help ? exit_success : exit_usage;
  }
  std::vector<std::string_view> all{"node"};
  all.insert(all.end(), words.begin(), words.end());
  return puppet_command(all);
}

int puppet_command(std::span<const std::string_view> words) {
  const std::string_view see = "See 'puppet help' for help on available puppet subcommands";
  if (words.empty()) {
    fmt::print("{}\n", see);
    return exit_success;
  }
  const std::string_view name = words[0];
  const bool version = std::find_if(words.begin(), words.end(), [](auto w) { return w == "--version" || w == "-V"; }) != words.end();
  if (version && (name.starts_with('-') || is_puppet_subcommand(name))) {
    fmt::print("{}\n", puppet_version);
    return exit_success;
  }
  const Words rest = words.subspan(1);
  if (name == "help" || name == "--help" || name == "-h") return help_command(rest);
  if (!rest.empty() && (name == "facts" || name == "config") && tell_replacement(name, rest[0])) return exit_failure;
  if (name == "agent" || name == "ssl") return as_puppet(name == "agent" ? agent_command : ssl_command, rest);
  if (name == "apply") return run_own(run_apply, rest, true);
  if (name == "resource") return run_own(resource_command, rest, true);
  if (name == "lookup") return run_own(lookup_command, rest, true);
  if (name == "config" || name == "facts" || name == "describe") return puppet_face_with_own_command(name, rest, run_own);
  bool face = false;
  for (const Action& a : actions) {
    if (a.face != name) continue;
    face = true;
    if (!rest.empty() && a.action == rest[0]) return run_action(a, rest.subspan(1));
  }
  if (face) {
    if (!rest.empty() && !rest[0].starts_with('-')) return unknown_action(name, rest[0]);
    if (!rest.empty() && (rest[0] == "--help" || rest[0] == "-h")) return help_command(words.first(1));
    tell_error(fmt::format("'{0}' has no default action.  See `puppet help {0}`.", name));
    return exit_failure;
  }
  if (tell_replacement(name)) return exit_failure;
  fmt::print("Error: Unknown Puppet subcommand '{}'\n{}\n", name, version ? puppet_version : see);
  tell_nearest_subcommand(name);
  return exit_failure;
}

} // namespace pupc::cli
