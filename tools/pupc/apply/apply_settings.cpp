#include "tools/pupc/apply/apply_options.h"

#include "compiler/load/load_error.h"

#include <cstdlib>
#include <fmt/format.h>
#include <unistd.h>

namespace pupc::cli {
namespace {

/// Refuses report processors other than these: reports are kept in the state directory, and sent to PuppetDB.
void check_reports(const PuppetSettings& conf) {
  for (const std::string& name : split_commas(conf.value("reports")))
    if (name != "store" && name != "none" && name != "log" && name != "puppetdb" && conf.given("reports"))
      throw_load_error(fmt::format("The setting reports = {} is not supported: it is store, log, puppetdb or none", name), conf.file());
}

void take_places(ApplyOptions& options) {
  const PuppetSettings& conf = options.compile.configuration;
  const bool own_places = !options.compile.as_puppet;
  if (options.vardir.empty()) options.vardir = conf.given("vardir") || !own_places ? conf.value("vardir") : default_vardir();
  if (options.statedir.empty())
    options.statedir = conf.given("statedir") || !own_places ? conf.value("statedir") : options.vardir + "/state";
  auto place = [&](std::string& into, const char* setting, std::string usual) {
    into = conf.given(setting) || !own_places ? conf.value(setting) : std::move(usual);
  };
  place(options.statefile, "statefile", options.statedir + "/state.yaml");
  place(options.transactionstorefile, "transactionstorefile", options.statedir + "/transactionstore.yaml");
  place(options.lastrunreport, "lastrunreport", options.statedir + "/last_run_report.yaml");
  place(options.lastrunfile, "lastrunfile", options.statedir + "/last_run_summary.yaml");
  place(options.classfile, "classfile", options.statedir + "/classes.txt");
  place(options.resourcefile, "resourcefile", options.statedir + "/resources.txt");
  place(options.graphdir, "graphdir", options.statedir + "/graphs");
  place(options.clientbucketdir, "clientbucketdir", options.vardir + "/clientbucket");
}

} // namespace

std::string default_vardir() {
  if (::geteuid() == 0) return "/var/lib/pupc";
  const char* state = std::getenv("XDG_STATE_HOME");
  if (state != nullptr && *state == '/') return std::string(state) + "/pupc";
  const char* home = std::getenv("HOME");
  return std::string(home == nullptr ? "/tmp" : home) + "/.local/state/pupc";
}

std::vector<std::string> split_commas(std::string_view text) {
  std::vector<std::string> out;
  while (!text.empty()) {
    size_t end = std::min(text.find(','), text.size());
    std::string_view part = text.substr(0, end);
    while (part.starts_with(' ')) part.remove_prefix(1);
    while (part.ends_with(' ')) part.remove_suffix(1);
    if (!part.empty()) out.emplace_back(part);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

void take_apply_settings(ApplyOptions& options) {
  const PuppetSettings& conf = options.compile.configuration;
  auto flag = [&](bool& into, const char* setting) {
    if (conf.given(setting)) into = conf.truth(setting);
  };
  flag(options.noop, "noop");
  flag(options.summarize, "summarize");
  flag(options.ignore_schedules, "ignoreschedules");
  flag(options.catalog_summary, "write_catalog_summary");
  flag(options.keep_report, "report");
  // --test shows differences whatever puppet.conf says; an explicit --no-show_diff still hides them.
  if (conf.given_on_command_line("show_diff") || !options.show_diff) flag(options.show_diff, "show_diff");
  if (options.tags.empty()) options.tags = split_commas(conf.value("tags"));
  if (options.skip_tags.empty()) options.skip_tags = split_commas(conf.value("skip_tags"));
  options.prerun_command = conf.value("prerun_command");
  options.postrun_command = conf.value("postrun_command");
  if (conf.given("color") && conf.value("color") == "false") options.color = ColorMode::Never;
  flag(options.trace, "evaltrace");
  flag(options.graph, "graph");
  if (options.logdest.empty() && conf.given("logdest")) options.logdest = conf.value("logdest");
  options.syslogfacility = conf.value("syslogfacility");
  if (!options.sends_reports) check_reports(conf);
  take_places(options);
}

} // namespace pupc::cli
