#pragma once
// Reads YAML, JSON and HOCON as Puppet's Ruby libraries do. Used for Hiera data and configuration, facts and metadata.json.
#include "catalog/base/arena.h"
#include "catalog/value/symbol_text.h"
#include "catalog/value/value.h"
#include "catalog/value/value_flags.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pupc::catalog {

/// Whether a value is an integer beyond 64 bits (big_integer_flag).
inline bool is_big_integer(const Value& v) { return v.is_string() && v.flags == big_integer_flag; }
/// Puppet's message for the first such integer in a value ("Use of a Ruby Integer outside of Puppet Integer max range, got '0x…'").
/// Empty if there is none.
std::string big_integer_error(const Value& value);

enum class DataFormat : uint8_t { Yaml, Json, Hocon };

/// Notes about the entries of a root hash, by entry number.
struct DataEntryNotes {
  std::vector<bool> special; // contains `%{`, a symbol, an integer beyond 64 bits or a key that is neither string nor number; lookups
  // share all other values unchanged
  std::vector<uint32_t> lines; // 1-based line of the key; empty for JSON
};

/// The content of a data file. It is immutable after reading. Many compiles share its values, which live as long as the environment.
struct DataFile {
  Arena arena;
  Value root;              // undef for an empty document
  bool read = false;       // false: the system could not read the file, and `error` has the reason
  std::string error;       // why the file cannot be read, or the message of Puppet's library for malformed content; empty = none
  uint32_t error_line = 0; // 1-based, 0 = unknown
  uint32_t error_column = 0;
  DataEntryNotes notes;
};

struct DataError {
  std::string message; // the message of Psych or json
  uint32_t line = 0;
  uint32_t column = 0;
  // Of JSON: where the text itself is wrong, which Ruby's library does not tell, and the token there; empty: its end.
  uint32_t wrong_line = 0;
  uint32_t wrong_column = 0;
  std::string wrong_token = {};
};

/// A key that its mapping has on an earlier line already.
struct RepeatedKey {
  std::string_view key; // of the arena
  uint32_t line, first; // 1-based
};

struct YamlOptions {
  std::string_view file;      // name in messages
  bool dates = false;         // read dates and times as strings; otherwise they are errors, as in Psych's safe_load
  bool aliases = true;        // allow aliases; otherwise they are errors, as in Psych's load
  bool big_integers = false;  // keep integers beyond 64 bits as marked Strings (is_big_integer); otherwise they are errors
  bool symbol_keys = false;   // keep symbols as keys (is_symbol); otherwise they become strings, as in Puppet's data
  bool undef_symbols = false; // read the symbol :undef as undef, as in Hiera data; otherwise it remains a symbol
  bool object_tags = false;   // read mappings with a tag `!ruby/object:…` as plain hashes; otherwise they are errors
  std::vector<RepeatedKey>* repeated = nullptr; // where keys that stand twice in a mapping are told; null: nowhere
};

/// Reads the first document of a YAML 1.1 text into `arena` by the rules of Ruby's Psych (safe_load with aliases and symbols).
/// Plain scalars become null, booleans, integers (octal, hex, binary, with _ and , between digits, sexagesimal), floats or symbols.
/// Supports merge keys `<<` and anchors. Of duplicate keys the last value wins, at the position of the first. Returns an error with
/// Psych's text for malformed or disallowed input. `notes` may be null.
std::optional<DataError> read_yaml(std::string_view text, Arena& arena, Value& out, const YamlOptions& options,
                                   DataEntryNotes* notes = nullptr);

/// Reads a JSON text. Integers beyond 64 bits become floats, or with `big_integers` marked Strings (is_big_integer).
std::optional<DataError> read_json(std::string_view text, Arena& arena, Value& out, bool big_integers = false);

/// An error for the first duplicate key in a well-formed JSON text, which HOCON's library rejects. Its line is where the value of the
/// key begins.
std::optional<DataError> duplicate_json_key(std::string_view text);

/// Reads a HOCON text, replaces its substitutions and reads its includes, as Puppet's library does. Most messages are those of the
/// library.
std::optional<DataError> read_hocon(std::string_view text, Arena& arena, Value& out);

/// Reads a file in the given format into `out`. Errors are stored there, too.
void load_data_file(const std::string& path, DataFormat format, DataFile& out);

/// The criterion of DataEntryNotes::special.
bool is_special(const Value& value);
/// Whether the value is plain data that Hiera accepts: without symbols, and all keys are strings or numbers.
bool is_rich_data(const Value& value);

} // namespace pupc::catalog
