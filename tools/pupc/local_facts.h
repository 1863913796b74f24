#pragma once
// Collects the facts of this machine for the commands facts and apply.
#include "runtime/facts/collect.h"
#include "runtime/sys/system.h"

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace pupc {

class JsonWriter;

struct LocalFactsOptions {
  bool external = true;
  std::vector<std::string> external_directories; // empty = the usual ones
  std::vector<std::string> custom_directories;   // of facts written in Ruby, in addition to FACTERLIB
  std::vector<std::string> modulepath;           // modules whose lib/facter has more of them
  bool ruby = true;                              // whether to evaluate facts written in Ruby
  std::string ruby_program = "ruby";
  std::chrono::seconds fact_limit{60}; // for one fact written in Ruby that names no timeout
  bool puppet_version = false;         // whether to add the fact puppetversion, as Puppet does
  bool problems = true;                // whether to tell of external facts and facts in Ruby that fail
};

/// The directories of "A:B".
std::vector<std::string> split_directories(std::string_view list);

/// A fact's value as JSON.
void write_plain_json(JsonWriter& w, const Value& v);

/// Collects the facts. Logs problems with external facts to standard error in Puppet's form.
Facts collect_local_facts(System& system, const LocalFactsOptions& options, std::vector<FactTiming>* timings = nullptr);

} // namespace pupc
