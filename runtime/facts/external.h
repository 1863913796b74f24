#pragma once
// External facts: from files and programs in fact directories, and from environment variables FACTER_name.
#include "catalog/base/log.h"
#include "runtime/facts/fact_value.h"
#include "runtime/facts/sources.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace pupc::runtime {

struct FactMessage {
  LogLevel level;
  std::string source; // "Facter", or the name of a program
  std::string message;
};

/// Reads a YAML text; throws std::runtime_error with the reason. The caller passes the reader in, because it belongs to the compiler.
using YamlReader = std::function<Value(Arena& arena, std::string_view text)>;

struct ExternalOptions {
  std::vector<std::string> directories;
  YamlReader yaml;
  std::function<void(const FactMessage&)> log; // may be empty
};

/// The default directories of external facts: for root /etc/facter/facts.d and the directories of packages, for other users directories
/// below HOME.
std::vector<std::string> default_external_directories(System& system);

/// Adds external facts, which override present ones. Of several external facts with the same name the first one counts: directories in
/// the given order, in each the files in reverse order of their names, as in Puppet. A txt file has name=value lines, a yaml or json file
/// one map; an executable file prints YAML or name=value lines. Logs and skips a broken file.
void add_external_facts(FactSources& from, Facts& facts, const ExternalOptions& options);

/// Adds the facts from FACTER_name variables; they override all others.
void add_environment_facts(FactSources& from, Facts& facts);

} // namespace pupc::runtime
