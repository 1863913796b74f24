#pragma once
// Plain data as JSON: facts, reports, parameters.
#include "catalog/json/json_writer.h"
#include "catalog/value/value.h"

namespace pupc::catalog {

/// Writes hashes, lists, strings, numbers and booleans; any other value is null, and a key that is no string is "".
void write_plain_json(JsonWriter& w, const Value& v);

} // namespace pupc::catalog
