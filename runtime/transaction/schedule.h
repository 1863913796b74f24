#pragma once
// Schedules: whether a resource may be evaluated now.
#include "runtime/provider/provider.h"

#include <string>
#include <string_view>

namespace pupc::runtime {

/// Whether a schedule of that name is in the catalog or built in (puppet, hourly, daily, weekly, monthly, never).
bool known_schedule(RunContext& run, std::string_view name);

/// Whether the schedule allows the resource `reference` to be evaluated now. `checked` is the time of its last evaluation in
/// nanoseconds since the epoch; 0 = never.
bool schedule_matches(RunContext& run, std::string_view name, int64_t checked, std::string_view reference);

} // namespace pupc::runtime
