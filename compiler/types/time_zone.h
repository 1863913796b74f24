#pragma once
// Days of the calendar, and time zones by name or offset.
#include <cstdint>
#include <optional>
#include <string_view>

namespace pupc {

/// Day number since 1970-01-01 of a date of the proleptic Gregorian calendar, and back.
int64_t days_from_civil(int64_t year, int month, int day);
void civil_from_days(int64_t days, int64_t& year, int& month, int& day);

/// The part of `text` at its beginning that names a zone as strptime's %z reads it (0 = none), and its offset in seconds when it is known.
struct ZoneText {
  size_t length = 0;
  std::optional<int64_t> offset;
};
ZoneText read_zone(std::string_view text);

/// Offset in seconds of "+02:00", "CET", "current", … Throws CompileError "Illegal timezone '…'".
int64_t utc_offset(std::string_view timezone);
/// The same for showing a time, cut to minutes; throws CompileError when a clock cannot have that offset.
int64_t local_offset(std::string_view timezone);

} // namespace pupc
