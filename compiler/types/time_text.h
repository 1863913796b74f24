#pragma once
// Timestamps and timespans as text by formats, in both directions.
#include "compiler/types/type.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace pupc {

/// Formats as a conversion was given them: none (the defaults), one, or several to try in turn.
struct TimeFormats {
  std::span<const std::string_view> list;
  bool several = false; // a list was given, even of one element: the message is another
};

/// strftime of a Timestamp, with Ruby's flags and directives. `timezone`: an offset "+02:00", the name of a zone, "current", or "" for UTC.
/// Throws CompileError "Illegal timezone '…'".
std::string format_timestamp(int64_t nanoseconds, std::string_view format, std::string_view timezone = {});
/// strftime of a Timespan: %D %H %M %S %L %N with the flags - _ 0 and widths; the highest unit takes what is above it.
/// Throws CompileError "Bad format specifier '…' in '…', at position N".
std::string format_timespan(int64_t nanoseconds, std::string_view format);

/// Nanoseconds since the epoch of a text. `timezone` as above, for texts that name none. Throws CompileError with Puppet's words.
int64_t parse_timestamp(std::string_view text, const TimeFormats& formats = {}, std::string_view timezone = {});
/// Nanoseconds of a text. Throws CompileError with Puppet's words.
int64_t parse_timespan(std::string_view text, const TimeFormats& formats = {});

/// Seconds (with fraction) as nanoseconds, cut toward zero. Throws CompileError when 64 bits do not suffice.
int64_t nanoseconds_of_seconds(const Value& seconds);

/// The bound of a Timestamp or Timespan type, or a time from a number of seconds, a text, a hash. Throws CompileError.
int64_t to_timestamp(TypeContext& ctx, const Value& v);
int64_t to_timespan(TypeContext& ctx, const Value& v);
/// {days => 1, hours => 2, negative => true} or {string => "…", format => "…"}.
int64_t timespan_of_hash(const Hash& h);
int64_t timestamp_of_hash(const Hash& h);
/// Days, hours, minutes, seconds, milliseconds, microseconds, nanoseconds.
int64_t timespan_of_fields(bool negative, const int64_t (&fields)[7]);

} // namespace pupc
