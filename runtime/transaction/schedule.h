#pragma once
// Schedules: whether a resource may be looked at now.
#include "runtime/provider/provider.h"

#include <string>
#include <string_view>

namespace pupc {

/// Whether the catalog or the program has a schedule of that name (puppet, hourly, daily, weekly, monthly, never are built in).
bool known_schedule(RunContext& run, std::string_view name);

/// Whether the schedule allows evaluating now what was last evaluated at `checked` (nanoseconds since the epoch, 0 = never).
bool schedule_matches(RunContext& run, std::string_view name, int64_t checked, std::string_view reference);

} // namespace pupc
