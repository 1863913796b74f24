#pragma once
// All facts of the machine.
#include "runtime/facts/external.h"
#include "runtime/facts/fact_value.h"

#include <chrono>
#include <string_view>
#include <utility>
#include <vector>

namespace pupc {

struct FactTiming {
  std::string_view resolver;
  std::chrono::nanoseconds time;
};

/// Runs all resolvers and adds the legacy names; `timings` may be null. A fact that cannot be found out is left out.
Facts collect_core_facts(FactSources& from, std::vector<FactTiming>* timings = nullptr);

/// Core facts with the external ones and those of the environment over them.
Facts collect_facts(FactSources& from, const ExternalOptions& external, std::vector<FactTiming>* timings = nullptr);

} // namespace pupc
