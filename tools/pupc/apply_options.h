#pragma once
// What a run of `pupc apply` is told, by its options and by Puppet's settings.
#include "tools/pupc/compile_settings.h"
#include "tools/pupc/render.h"
#include "tools/pupc/resource_query.h"

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace pupc {

struct ApplyOptions {
  CompileOptions compile;
  std::string catalog_file, report_file, vardir, statedir;
  // Files of the run; in statedir and vardir unless the settings say otherwise.
  std::string statefile, transactionstorefile, lastrunreport, lastrunfile, classfile, resourcefile, clientbucketdir;
  std::string prerun_command, postrun_command;
  std::string logdest; // places with commas between them; empty = the console
  std::string syslogfacility;
  std::string graphdir;
  bool graph = false, trace = false;
  std::vector<std::string> tags, skip_tags;
  bool agent = false; // keeps what an agent keeps
  bool noop = false, detailed_exitcodes = false, show_diff = false, catalog_summary = false, ignore_schedules = false, summarize = false,
       keep_state = true, keep_report = true;
  bool verbose = false, debug = false;
  std::chrono::milliseconds provider_timeout{3600000}; // of one step of a provider in Ruby
  ColorMode color = ColorMode::Auto;
  const ResourceQuery* query = nullptr; // of `pupc resource`: it is the catalog, and its answer is printed
};

/// Runs: loads, compiles, converges; the exit code.
int run_apply(ApplyOptions& options);

/// The parts between commas, without white space around them.
std::vector<std::string> split_commas(std::string_view text);

/// Takes what the settings (of puppet.conf, read before, and of the command line) say about the run. What the program's own options gave
/// stays. Throws CompileError for a value that is not supported.
void take_apply_settings(ApplyOptions& options);

} // namespace pupc
