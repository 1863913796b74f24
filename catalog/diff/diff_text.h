#pragma once
// How the outputs of a comparison show values and texts. Inside this room.
#include "catalog/value/value.h"

#include <string>
#include <string_view>

namespace pupc {

class JsonWriter;

/// A value of a document as it stood there, but for what is Sensitive in it.
void write_json_value(JsonWriter& json, const Value& v);
std::string json_of(const Value& v);

/// The text with control characters as JSON escapes: none may reach a terminal.
std::string printable(std::string_view line);

/// Whether it is a text of several lines, which is compared line by line.
bool has_lines(const Value& v);

} // namespace pupc
