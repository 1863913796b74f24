#pragma once
// Reads a JSON text as a value, for facts, batch requests and catalogs.
#include "catalog/value/value.h"

#include <string>
#include <string_view>

namespace pupc::catalog {

struct JsonError {
  std::string message; // what the reader found and what it expected, without the place
  size_t offset = 0;   // byte at which reading failed
  size_t line = 1, column = 1;
};

/// Reads one JSON text into `arena`. For duplicate keys the last value wins, at the position of the first. Integers beyond 64 bits
/// become floats. Returns false and fills `error` for a malformed text, or one nested deeper than 10,000 levels.
bool parse_json(std::string_view text, Arena& arena, Value& out, JsonError& error);

} // namespace pupc::catalog
