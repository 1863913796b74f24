#pragma once
// Small texts of values that types and values share.
#include "catalog/value/regex.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace pupc {

/// A string as Puppet source: in single quotes when possible, else in double quotes with escapes.
std::string to_puppet_quoted(std::string_view s);
/// The pattern with options in front as Ruby's Regexp#to_s, or plain when it has none.
std::string regex_source(const Regex& r);
/// Standard base64 with padding, no line breaks.
std::string base64_encode(std::string_view bytes);
/// `/pattern/`, with options in front as Ruby writes them and slashes escaped.
std::string regex_literal(const Regex& r);
/// "2020-01-01T00:00:00.000000000 UTC"
std::string timestamp_to_string(int64_t nanoseconds);
/// "0-03:07:00.0": days-hours:minutes:seconds.fraction
std::string timespan_to_string(int64_t nanoseconds);

} // namespace pupc
