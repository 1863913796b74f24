#pragma once
// Default text of Timestamp and Timespan values, as strings and catalogs have it.
#include <cstdint>
#include <string>

namespace pupc {

/// "2020-01-01T00:00:00.500000000 UTC" of nanoseconds since the epoch.
std::string format_timestamp(int64_t nanoseconds);

/// "1-02:03:04.5" (days-hours:minutes:seconds.fraction); the fraction is the number of nanoseconds without trailing zeros, as
/// Puppet prints it (so 1 ns is ".1").
std::string format_timespan(int64_t nanoseconds);

} // namespace pupc
