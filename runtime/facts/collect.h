#pragma once
// Collects all facts of the machine.
#include "runtime/facts/external.h"
#include "runtime/facts/fact_value.h"

#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace pupc::runtime {

struct FactTiming {
  std::string resolver; // of a fact written in Ruby: "custom:" and its name
  std::chrono::nanoseconds time;
};

/// Runs all resolvers and adds the legacy facts; `timings` may be null. Leaves out facts that it cannot determine.
Facts collect_core_facts(FactSources& from, std::vector<FactTiming>* timings = nullptr);

} // namespace pupc::runtime
