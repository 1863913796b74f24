#pragma once
// Facts in Ruby: resolved by the process that later serves the types and providers of the run.
#include "catalog/base/log.h"
#include "catalog/ruby/ruby_worker.h"
#include "runtime/ruby/ruby_answers.h"

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace pupc::runtime {

struct RubyFactsRequest {
  std::string program = "ruby";
  std::vector<std::string> directories;   // hold the files of the facts
  std::vector<std::string> libraries;     // lib directories of modules, for `require`
  Value facts;                            // a hash: the facts of the machine, with the flat names of old
  Value external;                         // external facts, which override most resolutions
  Value environment;                      // facts of FACTER_… variables, which override practically all
  std::chrono::seconds limit{60};         // of a resolution that names no timeout
  LogLevel log_level = LogLevel::Warning; // least level that Ruby tells
  SettingReader setting;
  std::function<void(LogLevel level, std::string source, std::string text)> log;
  /// Called every second while a fact is resolved.
  std::function<void(std::string_view fact, std::chrono::seconds since)> progress;
  std::function<bool()> stopped; // whether the user wants no more; may be empty
};

struct RubyFacts {
  Value facts;                                         // a hash, in the order of Facter.add
  std::vector<std::pair<std::string, double>> seconds; // what each fact took, with those that it asked for
  std::unique_ptr<RubyWorker> worker;                  // the process, which goes on to know its facts; null when it is lost
};

/// Starts a Ruby process that loads the files of the directories and resolves the facts. Tells by `log` what failed: the facts that were
/// resolved until then are returned in any case.
RubyFacts resolve_ruby_facts(const RubyFactsRequest& request, Arena& arena);

} // namespace pupc::runtime
