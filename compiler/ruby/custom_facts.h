#pragma once
// Custom facts, written in Ruby: in lib/facter of modules and in directories that the user names.
#include "catalog/value/value.h"

#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace pupc {

struct CustomFactsRequest {
  std::string program = "ruby";
  std::vector<std::string> directories; // hold the files of the facts
  std::vector<std::string> libraries;   // lib directories of modules, for `require`
  std::string facts;                    // JSON object: the facts of the machine, for Facter.value
  std::string external = "{}";          // JSON object: external facts, which override most resolutions
  std::string environment = "{}";       // JSON object: facts of FACTER_… variables, which override practically all
  std::chrono::milliseconds timeout{60000};
};

struct CustomFacts {
  Value facts;                                          // a hash, in the order of Facter.add
  std::vector<std::pair<std::string, std::string>> log; // level ("warning", "error") and text
};

/// Whether any of the directories has a Ruby file. Otherwise no Ruby process is needed.
bool has_custom_facts(const std::vector<std::string>& directories);

/// Runs a Ruby process that loads the files of the directories and resolves the facts (Facter.add with confine, weight, aggregate, chunk).
/// Follows Facter: the heaviest suitable resolution that has a value wins; if its weight is 0, the machine's own fact of the same name
/// wins. A fact that fails is logged and left out. Throws std::runtime_error when Ruby is missing, ends early or does not answer in time.
CustomFacts run_custom_facts(const CustomFactsRequest& request, Arena& arena);

/// Text of compiler/ruby/facade/facter.rb.
std::string_view custom_facts_source();

} // namespace pupc
