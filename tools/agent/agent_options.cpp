#include "tools/agent/agent_options.h"

#include "tools/pupc/settings/puppet_conf.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <filesystem>
#include <fmt/format.h>

namespace pupc::cli::agent {
namespace {

/// `--disable` takes a message or none: the words with it taken out.
std::vector<std::string_view> without_message(AgentOptions& options, std::span<const std::string_view> words) {
  std::vector<std::string_view> out;
  for (size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--disable") {
      options.disable = true;
      if (i + 1 < words.size() && !words[i + 1].starts_with('-')) options.disable_message = words[++i];
    } else if (words[i].starts_with("--disable=")) {
      options.disable = true;
      options.disable_message = words[i].substr(10);
    } else {
      out.push_back(words[i]);
    }
  }
  return out;
}

std::vector<Option> table_of(AgentOptions& options) {
  ApplyOptions& run = options.run;
  PuppetSettings& settings = run.compile.configuration;
  const auto flag = [](bool& target) { return [&target](std::string_view v) { target = v == "true"; }; };
  const auto set = [&settings](const char* name) { return [&settings, name](std::string_view v) { settings.set(name, v); }; };
  std::vector<Option> table;
  for (Option& option : compile_option_table(run.compile)) {
    static constexpr std::string_view wanted[] = {"--config", "--as-puppet", "--ruby", "--ruby-program"};
    if (std::ranges::find(wanted, option.names) != std::end(wanted)) table.push_back(std::move(option));
  }
  table.push_back({"--test -t", "", "one run in the foreground: verbose, differences shown, detailed exit codes", [&](std::string_view) {
                     run.verbose = run.detailed_exitcodes = run.show_diff = true;
                     for (const auto& [name, value] : {std::pair("usecacheonfailure", "false"),
                                                       {"splay", "false"},
                                                       {"show_diff", "true"},
                                                       {"daemonize", "false"},
                                                       {"onetime", "true"}})
                       settings.set(name, value);
                   }});
  table.push_back({"-o", "", "one run", [&settings](std::string_view) { settings.set("onetime", "true"); }});
  table.push_back({"-D", "", "go into the background", [&settings](std::string_view) { settings.set("daemonize", "true"); }});
  table.push_back({"--verbose -v", "", "log at level info", flag(run.verbose)});
  table.push_back({"--debug -d", "", "log at level debug", flag(run.debug)});
  table.push_back({"--detailed-exitcodes --detailed_exitcodes", "", "2 = changes, 4 = failures, 6 = both", flag(run.detailed_exitcodes)});
  table.push_back({"--logdest -l", "PLACES", "console, syslog, absolute paths (.json, .jsonl), with commas between them",
                   [&run](std::string_view v) { run.logdest = v; }});
  table.push_back({"--enable", "", "permit runs again", flag(options.enable)});
  table.push_back({"--disable", "[MESSAGE]", "permit no runs until --enable; the message says why", [](std::string_view) {}});
  table.push_back({"--fingerprint", "", "print the fingerprint of this machine's certificate or request", flag(options.fingerprint)});
  table.push_back({"--digest", "NAME", "algorithm of --fingerprint (SHA256)", [&](std::string_view v) { options.digest = v; }});
  table.push_back({"--waitforcert -w", "SECONDS", "between two questions for the certificate; 0: do not wait", [&](std::string_view v) {
                     int64_t seconds = 0;
                     const auto [end, ec] = std::from_chars(v.data(), v.data() + v.size(), seconds);
                     if (ec != std::errc() || end != v.data() + v.size())
                       throw UsageError{fmt::format("--waitforcert takes seconds, not '{}'", v)};
                     options.waitforcert = seconds;
                   }});
  table.push_back({"--fqdn -f", "NAME", "the name of this machine's certificate", set("certname")});
  table.push_back({"--job-id", "ID", "a name of this run for the report", [&](std::string_view v) { options.job_id = v; }});
  table.push_back({"--fact-timeout", "SECONDS", "for one fact written in Ruby that names no timeout of its own (60)",
                   [&run](std::string_view v) { run.fact_limit = std::chrono::seconds(positive_number("--fact-timeout", v)); }});
  table.push_back({"--provider-timeout", "SECONDS", "for one step of one resource whose provider is written in Ruby (3600)",
                   [&run](std::string_view v) { run.provider_timeout = std::chrono::seconds(positive_number("--provider-timeout", v)); }});
  table.push_back(
      {"--color", "WHEN", "auto, always or never", [&run](std::string_view v) { run.color = parse_color(v == "false" ? "never" : v); }});
  return table;
}

/// What an agent compiles is on the server: here are only the plugins that it has got from there.
void use_plugins_only(ApplyOptions& run) {
  const PuppetSettings& settings = run.compile.configuration;
  EnvironmentOptions& environment = run.compile.environment;
  run.compile.environmentpath.clear();
  run.compile.checkout.clear();
  run.compile.basemodulepath.clear();
  run.compile.classifier.clear();
  environment.modulepath.clear();
  environment.manifest.clear();
  environment.hiera_config.clear();
  // Functions in Ruby, for Deferred, are looked for in `lib` of this directory.
  const std::filesystem::path plugins = settings.value("plugindest");
  environment.path = plugins.filename() == "lib" ? plugins.parent_path().string() : std::string();
}

} // namespace

std::optional<int64_t> seconds_of(const PuppetSettings& settings, std::string_view name) {
  const std::string text = settings.value(name);
  int64_t seconds = 0;
  const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  return ec == std::errc() && end == text.data() + text.size() ? std::optional(seconds) : std::nullopt;
}

void read_agent_options(AgentOptions& options, std::span<const std::string_view> words, std::string_view usage) {
  ApplyOptions& run = options.run;
  PuppetSettings& settings = run.compile.configuration;
  for (const std::string_view word : words) options.words.emplace_back(word);
  const std::vector<std::string_view> rest = without_message(options, words);
  for (const std::string_view word : Options(std::string(usage), table_of(options), &settings).parse(rest, options.help))
    options.operands.emplace_back(word);
  if (options.help) return;
  if (!run.compile.as_puppet && !settings.given_on_command_line("vardir")) settings.set_default("vardir", default_vardir());
  read_puppet_conf(run.compile, nullptr);
  run.sends_reports = true;
  run.agent = true;
  run.catalog_summary = settings.truth("write_catalog_summary");
  take_apply_settings(run);
  use_plugins_only(run);
  if (run.verbose) run.compile.log_level = LogLevel::Info;
  if (run.debug) run.compile.log_level = LogLevel::Debug;
}

} // namespace pupc::cli::agent
