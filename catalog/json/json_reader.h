#pragma once
// Reads a JSON text as a value: facts, batch requests, catalogs.
#include "catalog/value/value.h"

#include <string>
#include <string_view>

namespace pupc {

struct JsonError {
  std::string message; // what was found and what was expected, without the place
  size_t offset = 0;   // byte at which reading failed
  size_t line = 1, column = 1;
};

/// Reads one JSON text into `arena`. Of duplicate keys the last value wins, in the first one's place. Integers beyond 64 bits become
/// floats. Returns false and fills `error` for anything malformed or nested deeper than 10,000 levels.
bool parse_json(std::string_view text, Arena& arena, Value& out, JsonError& error);

} // namespace pupc
