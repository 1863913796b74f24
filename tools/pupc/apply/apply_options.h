#pragma once
// The options of a run of `pupc apply`, from its command line and from Puppet's settings.
#include "tools/pupc/apply/resource_query.h"
#include "tools/pupc/render.h"
#include "tools/pupc/settings/compile_settings.h"

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace pupc::cli {

struct ApplyOptions {
  CompileOptions compile;
  std::string catalog_file, report_file, vardir, statedir;
  // Files of the run. They are in statedir and vardir unless the settings name other places.
  std::string statefile, transactionstorefile, lastrunreport, lastrunfile, classfile, resourcefile, clientbucketdir;
  std::string prerun_command, postrun_command;
  std::string logdest; // places with commas between them; empty = the console
  std::string syslogfacility;
  std::string graphdir;
  std::chrono::seconds fact_limit{60}; // for one fact written in Ruby
  bool graph = false, trace = false;
  std::vector<std::string> tags, skip_tags;
  bool agent = false;         // keeps the files that an agent keeps
  bool sends_reports = false; // to a server, whose processors are its own matter
  bool noop = false, detailed_exitcodes = false, show_diff = false, catalog_summary = false, ignore_schedules = false, summarize = false,
       keep_state = true, keep_report = true;
  bool verbose = false, debug = false;
  std::chrono::milliseconds provider_timeout{3600000}; // for one step of a Ruby provider
  ColorMode color = ColorMode::Auto;
  const ResourceQuery* query = nullptr; // for `pupc resource`: it replaces the catalog, and the run prints its answer
};

/// Loads, compiles and converges. Returns the exit code.
int run_apply(ApplyOptions& options);

/// Where pupc keeps what it needs between runs, when no setting says it.
std::string default_vardir();

/// The parts between commas, without white space around them.
std::vector<std::string> split_commas(std::string_view text);

/// Copies the settings that concern the run into `options`, from puppet.conf (the caller has read it) and the command line. Values from
/// pupc's own options stay. Throws CompileError for a value that is not supported.
void take_apply_settings(ApplyOptions& options);

} // namespace pupc::cli
