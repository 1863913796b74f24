#pragma once
// Formats values and texts for the outputs of a comparison. Private to catalog/diff.
#include "catalog/value/value.h"

#include <string>
#include <string_view>

namespace pupc::catalog {

class JsonWriter;

/// Writes a value as in its document, except for Sensitive values inside it.
void write_json_value(JsonWriter& json, const Value& v);
std::string json_of(const Value& v);

/// The text with control characters as JSON escapes, because they must not reach a terminal.
std::string printable(std::string_view line);

/// Whether the value is a text of several lines, which is compared line by line.
bool has_lines(const Value& v);

} // namespace pupc::catalog
