#pragma once
// External facts: files and programs in directories, and FACTER_name variables of the environment.
#include "catalog/base/log.h"
#include "runtime/facts/fact_value.h"
#include "runtime/facts/sources.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace pupc {

struct FactMessage {
  LogLevel level;
  std::string source; // "Facter", or the name of a program
  std::string message;
};

/// Reads a YAML text; throws std::runtime_error with the reason. The collector does not know the reader, which belongs to the compiler.
using YamlReader = std::function<Value(Arena& arena, std::string_view text)>;

struct ExternalOptions {
  std::vector<std::string> directories;
  YamlReader yaml;
  std::function<void(const FactMessage&)> log; // may be empty
};

/// Where external facts are when no directory is given: of root /etc/facter/facts.d and the places of packages, of others below HOME.
std::vector<std::string> default_external_directories(System& system);

/// Adds external facts over those that are there. Of facts with the same name the first counts: directories in the order given, in each the
/// files backwards by name, as in Puppet. txt: name=value lines; yaml, json: one map; executable files: their output as YAML or
/// name=value lines. A broken file is logged and left out.
void add_external_facts(FactSources& from, Facts& facts, const ExternalOptions& options);

/// Adds the facts of FACTER_name variables; they count above all others.
void add_environment_facts(FactSources& from, Facts& facts);

} // namespace pupc
