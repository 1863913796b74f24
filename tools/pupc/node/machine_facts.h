#pragma once
// Facts of machines that are not at hand: of a usual machine with a system's release, and of nodes that a server knows.
#include "catalog/value/value.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pupc::cli {

/// The systems that usual_facts knows: "debian-12".
std::vector<std::string_view> usual_systems();

/// The facts of a small virtual machine with this system, in Facter 4's structure. `fqdn`: its name. Throws UsageError for a system that is
/// not known.
Value usual_facts(Arena& arena, std::string_view system, std::string_view fqdn);

/// Sets facts by "a.b.c=VALUE" in a Hash of facts; VALUE is JSON, or else a text. Throws UsageError when a part on the way is no hash.
Value with_facts(Arena& arena, Value facts, const std::vector<std::string>& assignments);

struct NodeFacts {
  std::string name;
  Value facts;
};

/// The facts of all nodes in a directory of facts files, as a server keeps them (YAML or JSON), sorted by name. Throws CompileError for a
/// broken file, UsageError for a directory that cannot be read or has none.
std::vector<NodeFacts> stored_facts(Arena& arena, const std::string& directory);

} // namespace pupc::cli
