#pragma once
// The default text form of Timestamp and Timespan values, in strings and catalogs; times in this machine's zone, for people.
#include "catalog/base/namespaces.h"

#include <cstdint>
#include <string>

namespace pupc::catalog {

inline constexpr int64_t ns_per_second = 1'000'000'000;

/// Formats nanoseconds since the epoch: "2020-01-01T00:00:00.500000000 UTC".
std::string format_timestamp(int64_t nanoseconds);

/// Formats nanoseconds as "1-02:03:04.5" (days-hours:minutes:seconds.fraction). As in Puppet, the fraction is the number of nanoseconds
/// without trailing zeros, so 1 ns is ".1".
std::string format_timespan(int64_t nanoseconds);

/// Formats nanoseconds since the epoch in this machine's time zone, as Ruby prints a time: "2026-11-22 09:48:47 +0000".
std::string local_time_text(int64_t nanoseconds);

} // namespace pupc::catalog
