#pragma once
// YAML and JSON as values, as Puppet's Ruby libraries read them. Used for Hiera data and configuration, facts, metadata.json.
#include "catalog/base/arena.h"
#include "catalog/value/symbol_text.h"
#include "catalog/value/value.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pupc {

/// Set in Value::flags of a String that stands for an integer beyond 64 bits, as it was written: no value of the language, an error where
/// it is used.
inline constexpr uint8_t big_integer_flag = 4;
inline bool is_big_integer(const Value& v) { return v.is_string() && v.flags == big_integer_flag; }
/// What Puppet says of the first such integer in a value ("Use of a Ruby Integer outside of Puppet Integer max range, got '0x…'");
/// empty: there is none.
std::string big_integer_error(const Value& value);

enum class DataFormat : uint8_t { Yaml, Json, Hocon };

/// What is known about the entries of a root hash, by entry number.
struct DataEntryNotes {
  std::vector<bool> special; // contains `%{`, a symbol, an integer beyond 64 bits or a key that is neither string nor number; other values
                             // are shared as they are
  std::vector<uint32_t> lines; // 1-based line of the key; empty for JSON
};

/// A data file's content. Immutable once read; many compiles share its values, which live as long as the environment.
struct DataFile {
  Arena arena;
  Value root;              // undef for an empty document
  bool read = false;       // false: `error` tells why the system did not give it
  std::string error;       // why it cannot be read, or what Puppet's library says of a broken file; empty = fine
  uint32_t error_line = 0; // 1-based, 0 = unknown
  uint32_t error_column = 0;
  DataEntryNotes notes;
};

struct DataError {
  std::string message; // in the words of Psych or json
  uint32_t line = 0;
  uint32_t column = 0;
  // Of JSON: where the text itself is wrong, which Ruby's library does not tell, and the token there; empty: its end.
  uint32_t wrong_line = 0;
  uint32_t wrong_column = 0;
  std::string wrong_token;
};

struct YamlOptions {
  std::string_view file;      // name in messages
  bool dates = false;         // take dates and times as strings in their text; else they are errors, as in Psych's safe_load
  bool aliases = true;        // else they are errors, as in Psych's load
  bool big_integers = false;  // keep integers beyond 64 bits for who asks for them (is_big_integer); else an error
  bool symbol_keys = false;   // keep symbols among keys (is_symbol); else they are strings, which Puppet makes of them in data
  bool undef_symbols = false; // values that are the symbol :undef are undef, as in data of Hiera; else they are symbols
  bool object_tags = false;   // take mappings with a tag `!ruby/object:…` as plain hashes; else an error
};

/// Reads the first document of a YAML 1.1 text into `arena` with the rules of Ruby's Psych (safe_load with aliases and symbols):
/// plain scalars become null, booleans, integers (octal, hex, binary, with _ and , between digits, sexagesimal), floats or symbols; merge
/// keys `<<`; anchors; the last of duplicate keys wins in the first one's place. Returns an error with Psych's text for
/// malformed or disallowed input. `notes` may be null.
std::optional<DataError> read_yaml(std::string_view text, Arena& arena, Value& out, const YamlOptions& options,
                                   DataEntryNotes* notes = nullptr);

/// Reads a JSON text. Integers beyond 64 bits become floats, or are kept with `big_integers` (is_big_integer).
std::optional<DataError> read_json(std::string_view text, Arena& arena, Value& out, bool big_integers = false);

/// The first key of a well-formed JSON text that its object has already, as HOCON's library refuses it, with the line on which its value
/// begins.
std::optional<DataError> duplicate_json_key(std::string_view text);

/// Reads a HOCON text with its substitutions replaced and its includes read as in Puppet's library, whose words most messages have.
std::optional<DataError> read_hocon(std::string_view text, Arena& arena, Value& out);

/// Reads a file into `out` by its format; what goes wrong is left in it.
void load_data_file(const std::string& path, DataFormat format, DataFile& out);

/// What DataEntryNotes::special tells of a value.
bool is_special(const Value& value);
/// Whether the value is plain data as Hiera takes it: no symbols, keys are strings or numbers.
bool is_rich_data(const Value& value);

} // namespace pupc
