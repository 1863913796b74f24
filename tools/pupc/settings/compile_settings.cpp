#include "tools/pupc/settings/compile_settings.h"

#include "catalog/base/paths.h"
#include "catalog/base/stack.h"
#include "catalog/value/map_leaves.h"
#include "compiler/discovery/checkout.h"
#include "compiler/load/load_error.h"
#include "tools/pupc/settings/trusted_directory.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <unistd.h>

namespace pupc::cli {
namespace {

std::string absolute(std::string_view path) {
  std::error_code ignored;
  auto full = std::filesystem::absolute(path, ignored);
  return ignored ? std::string(path) : full.lexically_normal().string();
}

/// Where the code is, from a word of the command line, as an absolute path.
std::string given_place(CompileOptions& options, std::string_view place) {
  std::error_code ignored;
  if (!place.starts_with('/')) options.shown_below = std::filesystem::current_path(ignored).string();
  return absolute(place);
}

} // namespace

LogLevel parse_log_level(std::string_view name) {
  for (LogLevel l : {LogLevel::Debug, LogLevel::Info, LogLevel::Notice, LogLevel::Warning, LogLevel::Err, LogLevel::Alert, LogLevel::Emerg,
                     LogLevel::Crit})
    if (name_of(l) == name) return l;
  throw UsageError{fmt::format("'{}' is not a log level (debug, info, notice, warning, err, alert, emerg, crit)", name)};
}

std::chrono::milliseconds parse_seconds(std::string_view option, std::string_view text) {
  double seconds = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (error != std::errc() || end != text.data() + text.size() || !(seconds >= 0 && seconds <= 1e9))
    throw UsageError{fmt::format("{} takes a number of seconds, not '{}'", option, text)};
  return std::chrono::milliseconds(static_cast<int64_t>(seconds * 1000 + 0.5));
}

std::string read_standard_input() {
  std::string text;
  char buffer[65536];
  for (ssize_t n; (n = ::read(STDIN_FILENO, buffer, sizeof buffer)) != 0;) {
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) throw UsageError{fmt::format("Could not read standard input: {}", std::strerror(errno))};
    text.append(buffer, static_cast<size_t>(n));
    if (text.size() > most_file_bytes) throw UsageError{fmt::format("Could not read standard input: {}", file_problem(EFBIG))};
  }
  return text;
}

void take_source(CompileOptions& options, std::string_view source) {
  if (!options.environment.manifest.empty() || options.environment.code) throw UsageError{"give a source, --manifest or -e, not several"};
  if (source == "-") {
    options.environment.code = read_standard_input();
    return;
  }
  std::error_code ignored;
  if (!std::filesystem::exists(source, ignored)) throw UsageError{fmt::format("Could not find file {}", source)};
  options.environment.manifest = given_place(options, source);
}

bool has_source(const CompileOptions& options) {
  return !options.environment.manifest.empty() || options.environment.code || !options.environmentpath.empty() || !options.checkout.empty();
}

void take_checkout(CompileOptions& options) {
  if (options.as_puppet) options.shown_below.clear();
  if (options.as_puppet || !options.environmentpath.empty() || !options.environment.modulepath.empty() ||
      options.configuration.given_on_command_line("config"))
    return;
  std::error_code problem;
  const std::string here = std::filesystem::current_path(problem).string();
  const auto found = problem ? std::nullopt : checkout_around(here);
  if (!found) return;
  const std::string& directory = found->environment.empty() ? found->environmentpath : found->environment;
  if (!belongs_to_caller(directory)) {
    if (has_source(options)) return;
    throw UsageError{
        fmt::format("another user can change the environment here, '{}', and that code would run: --environmentpath or --modulepath "
                    "and --manifest name it",
                    directory)};
  }
  options.checkout = found->environment;
  options.shown_below = here;
  options.environmentpath = found->environmentpath;
}

void set_strict(CompileOptions& o, std::string_view v) {
  if (v == "off") {
    o.settings.strict = Strict::Off;
    o.environment.check.strict = Strict::Off;
  } else if (v == "warning") {
    o.settings.strict = Strict::Warning;
    o.environment.check.strict = Strict::Warning;
  } else if (v == "error") {
    o.settings.strict = Strict::Error;
    o.environment.check.strict = Strict::Error;
  } else {
    throw UsageError{fmt::format("--strict is off, warning or error, not '{}'", v)};
  }
}

std::vector<Option> compile_option_table(CompileOptions& o) {
  return {
      {"--config", "FILE", "puppet.conf: settings that no option gives",
       [&](std::string_view v) { o.configuration.set("config", absolute(v)); }},
      {"--as-puppet", "", "Puppet's own places, defaults and streams, as `pupc puppet` has them",
       [&](std::string_view) { o.as_puppet = true; }},
      {"--run-mode", "MODE", "whose section of puppet.conf counts: user, agent or server",
       [&](std::string_view v) {
         const auto mode = parse_run_mode(v);
         if (!mode) throw UsageError{fmt::format("--run-mode is user, agent or server, not '{}'", v)};
         o.configuration.set_mode(*mode);
       }},
      {"--environmentpath", "DIR", "directory of environments", [&](std::string_view v) { o.environmentpath = given_place(o, v); }},
      {"--environment", "NAME", "environment to compile in (production)",
       [&](std::string_view v) {
         o.environment.name = v;
         o.environment_named = true;
       }},
      {"--modulepath", "A:B", "directories of modules",
       [&](std::string_view v) {
         o.environment.modulepath.clear();
         while (!v.empty()) {
           size_t end = std::min(v.find(':'), v.size());
           if (end > 0) o.environment.modulepath.push_back(given_place(o, v.substr(0, end)));
           v.remove_prefix(std::min(end + 1, v.size()));
         }
       }},
      {"--manifest", "FILE|DIR", "main manifest", [&](std::string_view v) { o.environment.manifest = given_place(o, v); }},
      {"-e --execute", "CODE", "code in the place of the main manifest", [&](std::string_view v) { o.environment.code = std::string(v); }},
      {"--node --certname", "NAME", "node to compile for",
       [&](std::string_view v) {
         o.node = v;
         o.configuration.set_default("certname", std::string(v));
       }},
      {"--facts", "PLACE",
       "facts of the node: a file of JSON or YAML, or a directory with a file of the node's name; or its last facts, from puppetdb:QUERY, "
       "PuppetDB's answer in a file, or store:FILE",
       [&](std::string_view v) { o.facts_file = v; }},
      {"--trusted", "FILE", "trusted data of the node, JSON or YAML", [&](std::string_view v) { o.trusted_file = v; }},
      {"--server-facts", "FILE", "$server_facts besides serverversion and environment, JSON or YAML",
       [&](std::string_view v) { o.server_facts_file = v; }},
      {"--[no-]legacy-facts", "", "derive the flat names of facts ($operatingsystem) from structured ones",
       [&](std::string_view v) { o.legacy_facts = v == "true"; }},
      {"--enc --external-nodes", "CLASSIFIER",
       "external node classifier (classes, parameters, environment): a command, FILE.yaml, foreman:https://HOST or "
       "console:https://HOST:4433/classifier-api",
       [&](std::string_view v) { o.classifier = v; }},
      {"--hiera-config", "FILE", "global hiera.yaml", [&](std::string_view v) { o.environment.hiera_config = absolute(v); }},
      {"--strict", "LEVEL", "off, warning or error (default)",
       [&](std::string_view v) {
         set_strict(o, v);
         o.strict_given = true;
       }},
      {"--[no-]strict-variables", "", "unknown variables are errors (default)",
       [&](std::string_view v) {
         o.settings.strict_variables = v == "true";
         o.strict_variables_given = true;
       }},
      {"--log-level", "LEVEL", "least level that is shown (notice)",
       [&](std::string_view v) {
         o.log_level = parse_log_level(v);
         o.log_level_given = true;
       }},
      {"--ruby", "MODE", "auto (default): for what needs it; never; always: templates too that would not need it",
       [&](std::string_view v) {
         if (v == "auto")
           o.ruby.mode = RubyMode::Auto;
         else if (v == "never")
           o.ruby.mode = RubyMode::Never;
         else if (v == "always")
           o.ruby.mode = RubyMode::Always;
         else
           throw UsageError{fmt::format("--ruby is auto, never or always, not '{}'", v)};
       }},
      {"--ruby-program", "PATH", "the Ruby interpreter (ruby)", [&](std::string_view v) { o.ruby.program = v; }},
      {"--ruby-timeout", "SECONDS", "for one call of a function or template in Ruby (60)",
       [&](std::string_view v) { o.ruby.timeout = std::chrono::seconds(positive_number("--ruby-timeout", v)); }},
      {"--explain-ruby", "", "list on standard error what needed Ruby and what it cost", [&](std::string_view) { o.explain_ruby = true; }},
      {"--max-time", "SECONDS", "for one compile, also each of --batch and --all-nodes (600; 0: none)",
       [&](std::string_view v) { o.limits.time = parse_seconds("--max-time", v); }},
      {"--max-memory", "MB", "for one compile, and for each Ruby process (4096; 0: none)",
       [&](std::string_view v) {
         o.ruby.memory = o.limits.memory = v == "0" ? 0 : size_t(positive_number("--max-memory", v)) * 1024 * 1024;
       }},
      {"--max-output", "MB", "of one catalog document (1024; 0: none)",
       [&](std::string_view v) { o.limits.output = v == "0" ? 0 : size_t(positive_number("--max-output", v)) * 1024 * 1024; }},
      {"--max-depth", "N", "calls and bodies that run within one another (0: what the stack holds)",
       [&](std::string_view v) { o.limits.depth = v == "0" ? 0 : positive_number("--max-depth", v); }},
      {"--jobs", "N", "compiles at the same time", [&](std::string_view v) { o.jobs = positive_number("--jobs", v); }},
  };
}

std::shared_ptr<const Environment> open_environment(const CompileOptions& options, LogSink* log) {
  EnvironmentOptions environment = options.environment;
  const bool in_directory = !options.environmentpath.empty() || !options.checkout.empty();
  if (in_directory && !options.as_puppet && !valid_environment_name(environment.name))
    throw_load_error(fmt::format("No environment can be named '{}': its name has only letters, digits and _", environment.name));
  if (in_directory) {
    const auto& base = options.basemodulepath.empty() ? environment.modulepath : options.basemodulepath;
    EnvironmentOptions found = options.checkout.empty()
                                   ? directory_environment(options.environmentpath, environment.name, base, log, options.default_manifest)
                                   : environment_of_checkout(options.checkout, base, log);
    found.name = environment.name;
    found.check = environment.check;
    found.hiera_config = environment.hiera_config;
    if (environment.code) found.code = environment.code;
    if (!environment.manifest.empty()) found.manifest = environment.manifest;
    if (!environment.modulepath.empty()) found.modulepath = environment.modulepath;
    found.watch = environment.watch;
    environment = std::move(found);
  }
  auto opened = open_environment(std::move(environment));
  for (const auto& directory : split_path(options.environmentpath))
    opened->watch(absolute_path(directory) + "/" + options.environment.name);
  if (in_directory) opened->watch(opened->options().path + "/environment.conf");
  return opened;
}

namespace {

bool has_null(const Value& v) {
  check_native_stack();
  if (v.is_list()) return std::ranges::any_of(v.items(), has_null);
  if (v.is_hash()) return std::ranges::any_of(v.hash->entries(), [](const HashEntry& e) { return has_null(e.value); });
  return v.is_undef();
}

/// Facts as Puppet passes them to a compile (Node::Facts#sanitize): null becomes the empty string.
Value sanitized_facts(Arena& arena, const Value& facts) {
  if (!has_null(facts)) return facts;
  return map_leaves(arena, facts, [](const Value& leaf) { return leaf.is_undef() ? Value::string("") : leaf; });
}

} // namespace

void set_node_data(NodeData& data, const std::string& name, Value facts, const std::string& environment) {
  Arena& arena = *data.arena;
  data.input.name = name;
  data.input.environment = environment;
  data.input.facts = facts.is_hash() ? sanitized_facts(arena, facts) : HashBuilder(arena).finish();
  data.input.trusted = local_trusted_data(arena, name);
}

std::string_view console_word(LogLevel level) {
  switch (level) {
  case LogLevel::Debug: return "Debug";
  case LogLevel::Info: return "Info";
  case LogLevel::Notice: return "Notice";
  case LogLevel::Warning: return "Warning";
  case LogLevel::Err: return "Error";
  case LogLevel::Alert: return "Alert";
  case LogLevel::Emerg: return "Emergency";
  case LogLevel::Crit: return "Critical";
  }
  return "Notice";
}

void ConsoleLog::log(LogEntry entry) {
  if (entry.level < least_) return;
  std::string line = fmt::format("{}: {}{}{}", console_word(entry.level), entry.source, entry.source.empty() ? "" : ": ", entry.message);
  line = with_paths_below(std::move(line), below_);
  const char* colour = entry.level >= LogLevel::Err       ? "\033[1;31m"
                       : entry.level == LogLevel::Warning ? "\033[1;33m"
                       : entry.level == LogLevel::Notice  ? "\033[0;36m"
                                                          : "";
  if (color_ && *colour != '\0') line = colour + line + "\033[0m";
  line += '\n';
  std::FILE* to = notices_ && entry.level < LogLevel::Warning ? stdout : stderr;
  if (to == stderr) std::fflush(stdout); // keep the order of lines when both streams go to the same place
  std::fwrite(line.data(), 1, line.size(), to);
}

} // namespace pupc::cli
