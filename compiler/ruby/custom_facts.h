#pragma once
// Custom facts, written in Ruby: in lib/facter of modules and in directories that the user names.
#include "catalog/value/value.h"

#include <chrono>
#include <functional>
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
  std::chrono::seconds limit{60};       // of a resolution that names no timeout
  /// Called every second while a fact is resolved.
  std::function<void(std::string_view fact, std::chrono::seconds since)> progress;
};

struct CustomFacts {
  Value facts;                                          // a hash, in the order of Facter.add
  std::vector<std::pair<std::string, std::string>> log; // level ("warning", "error") and text
  std::vector<std::pair<std::string, double>> seconds;  // what each fact took, with those that it asked for
};

/// Whether any of the directories has a Ruby file. Otherwise no Ruby process is needed.
bool has_custom_facts(const std::vector<std::string>& directories);

/// Runs a Ruby process that loads the files of the directories and resolves the facts (Facter.add with confine, weight, aggregate, chunk).
/// Follows Facter: the heaviest suitable resolution that has a value wins; if its weight is 0, the machine's own fact of the same name
/// wins. A fact that fails or takes longer than its limit is logged and left out. A process that ends early, or hangs where Ruby cannot
/// interrupt it, costs the facts that it has not told yet, with a line in the log. Throws std::runtime_error when Ruby is missing.
CustomFacts run_custom_facts(const CustomFactsRequest& request, Arena& arena);

/// Text of compiler/ruby/facade/facter.rb.
std::string_view custom_facts_source();

} // namespace pupc
