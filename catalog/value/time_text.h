#pragma once
// Formats timestamps and timespans by a given format, and parses them. Their default text: time_format.h.
#include "catalog/value/value.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace pupc::catalog {

/// The formats that a conversion got: none (use the defaults), one, or several to try in turn.
struct TimeFormats {
  std::span<const std::string_view> list;
  bool several = false; // a list was given, even of one element: Puppet's message differs then
};

/// strftime of a Timestamp, with Ruby's flags and directives. `timezone` is an offset ("+02:00"), the name of a zone, "current", or ""
/// for UTC. Throws CompileError "Illegal timezone '…'".
std::string format_timestamp(int64_t nanoseconds, std::string_view format, std::string_view timezone = {});
/// strftime of a Timespan: %D %H %M %S %L %N with widths and the flags - _ 0. The highest unit of the format also shows the larger
/// ones (%H alone shows days as hours). Throws CompileError "Bad format specifier '…' in '…', at position N".
std::string format_timespan(int64_t nanoseconds, std::string_view format);

/// Parses a text to nanoseconds since the epoch. `timezone` (as above) applies to a text that names none. Throws CompileError with
/// Puppet's message.
int64_t parse_timestamp(std::string_view text, const TimeFormats& formats = {}, std::string_view timezone = {});
/// Parses a text to nanoseconds. Throws CompileError with Puppet's message.
int64_t parse_timespan(std::string_view text, const TimeFormats& formats = {});

/// Seconds (with fraction) as nanoseconds, truncated toward zero. Throws CompileError when 64 bits do not suffice.
int64_t nanoseconds_of_seconds(const Value& seconds);

inline bool is_time(const Value& v) { return v.is(Kind::Timespan) || v.is(Kind::Timestamp); }

/// Nanoseconds from a Timestamp or Timespan, a number of seconds, a text or a hash; also used for bounds of types. Throws CompileError.
int64_t to_timestamp(const Value& v);
int64_t to_timespan(const Value& v);
/// {days => 1, hours => 2, negative => true} or {string => "…", format => "…"}.
int64_t timespan_of_hash(const Hash& h);
int64_t timestamp_of_hash(const Hash& h);
/// Days, hours, minutes, seconds, milliseconds, microseconds, nanoseconds.
int64_t timespan_of_fields(bool negative, const int64_t (&fields)[7]);

} // namespace pupc::catalog
