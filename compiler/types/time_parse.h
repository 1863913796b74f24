#pragma once
// Timestamps and timespans from values and texts.
#include "compiler/types/type.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace pupc {

/// Nanoseconds of a Timestamp, or of a number of seconds or a text in one of the default formats. Throws CompileError.
int64_t to_timestamp(TypeContext& ctx, const Value& v);
/// Nanoseconds of a Timespan, or of a number of seconds or a text "D-HH:MM:SS.F", "HH:MM:SS", "MM:SS", "SS". Throws CompileError.
int64_t to_timespan(TypeContext& ctx, const Value& v);

/// Reads a text by a strptime-like format; nothing when it does not match.
std::optional<int64_t> parse_timestamp(std::string_view text, std::string_view format, std::string_view timezone = {});
std::optional<int64_t> parse_timespan(std::string_view text, std::string_view format);

/// strftime of Puppet's Timestamp (Ruby's directives) and of Timespan (%D %H %M %S %L %N with flags and widths).
/// `timezone`: offset "+02:00", or empty for UTC.
std::string format_timestamp(int64_t nanoseconds, std::string_view format, std::string_view timezone = {});
std::string format_timespan(int64_t nanoseconds, std::string_view format);

} // namespace pupc
