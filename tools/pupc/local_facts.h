#pragma once
// The facts of this machine for the commands that need them: facts and apply.
#include "runtime/facts/collect.h"
#include "runtime/sys/system.h"

#include <string>
#include <vector>

namespace pupc {

struct LocalFactsOptions {
  bool external = true;
  std::vector<std::string> external_directories; // empty = the usual ones
};

/// Collects the facts; what goes wrong with external ones is logged to standard error in the reference's form.
Facts collect_local_facts(System& system, const LocalFactsOptions& options, std::vector<FactTiming>* timings = nullptr);

} // namespace pupc
