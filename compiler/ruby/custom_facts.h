#pragma once
// Facts written in Ruby: lib/facter of modules and directories that are named.
#include "catalog/value/value.h"

#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace pupc {

struct CustomFactsRequest {
  std::string program = "ruby";
  std::vector<std::string> directories; // with the facts' files
  std::vector<std::string> libraries;   // for what they require: lib of modules
  std::string facts;                    // those that Facter.value tells of, as a JSON object
  std::string external = "{}";          // the same of external ones, which count above most
  std::string environment = "{}";       // and of those that FACTER_… variables give, which count above all
  std::chrono::milliseconds timeout{60000};
};

struct CustomFacts {
  Value facts;                                          // a hash, in the order in which they were added
  std::vector<std::pair<std::string, std::string>> log; // level ("warning", "error") and text
};

/// Whether any of the directories has a Ruby file: only then is a process started.
bool has_custom_facts(const std::vector<std::string>& directories);

/// Loads the files of the directories by a Ruby process and resolves the facts (Facter.add with confine, weight, aggregate and chunk).
/// Facter's rules hold: the heaviest suitable resolution that has a value; where its weight is 0, the machine's own fact of the name
/// counts. A fact that fails is logged and left out. Throws std::runtime_error when Ruby is missing, ends or does not answer.
CustomFacts run_custom_facts(const CustomFactsRequest& request, Arena& arena);

/// Text of compiler/ruby/facade/facter.rb.
std::string_view custom_facts_source();

} // namespace pupc
