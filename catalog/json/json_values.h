#pragma once
// Builds values from a JSON text without a document tree in between. Inside of the two readers of JSON: json_reader (documents) and
// formats/json_data (data files, with the places that Ruby's library tells).
#include "catalog/value/value.h"

#include <string>
#include <string_view>

namespace pupc::catalog {

struct JsonValuesOptions {
  size_t most_levels = 10000; // nothing is nested deeper
  bool comments = false;      // C's and C++'s comments are skipped, as Ruby's library does
  bool big_integers = false;  // integers beyond 64 bits become marked Strings, not floats
};

struct JsonValues {
  bool ok = false; // false: the text is malformed or too deep
  Value value;
  bool too_deep = false;
  size_t failed_at = 0;       // how many bytes the parser had read, the wrong one included
  std::string parser_message; // of nlohmann's parser
};

JsonValues read_json_values(std::string_view text, Arena& arena, const JsonValuesOptions& options);

} // namespace pupc::catalog
