#pragma once
// Calendar days, and time zones by name or offset.
#include "catalog/base/namespaces.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace pupc::catalog {

/// Converts a date of the proleptic Gregorian calendar to the number of days since 1970-01-01, and back.
int64_t days_from_civil(int64_t year, int month, int day);
void civil_from_days(int64_t days, int64_t& year, int& month, int& day);

/// The zone name at the beginning of a text, as strptime's %z reads it: its length (0 = none), and its offset in seconds if known.
struct ZoneText {
  size_t length = 0;
  std::optional<int64_t> offset;
};
ZoneText read_zone(std::string_view text);

/// The offset in seconds of "+02:00", "CET", "current", … Throws CompileError "Illegal timezone '…'".
int64_t utc_offset(std::string_view timezone);
/// The offset for printing a time, rounded down to minutes. Also throws CompileError for offsets of a day or more.
int64_t local_offset(std::string_view timezone);

} // namespace pupc::catalog
