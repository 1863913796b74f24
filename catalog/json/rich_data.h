#pragma once
// Values as the catalog document has them: JSON scalars, `Type[title]` for references, hashes with `__ptype` for rich data.
#include "catalog/json/json_writer.h"
#include "catalog/value/value.h"

namespace pupc {

/// How values that read_rich_value gives are marked, so that they are written as they were read: a text that stands for a time, a version
/// or a pattern (its kind in Value::aux, an index of read_text_kinds) and a hash that is rich data of a type or an object.
inline constexpr uint8_t read_text_flag = 8;
inline constexpr uint8_t read_hash_flag = 16;
inline constexpr std::string_view read_text_kinds[] = {"Timestamp", "Timespan", "SemVer", "SemVerRange", "Regexp", "URI"};

/// Writes one value. `scratch` takes what types and objects build for it (Opaque::to_rich_data).
/// Strings that are not UTF-8 become Binary, hashes with other than string keys (or a `__ptype` key) a key-value list.
void write_rich_value(JsonWriter& json, const Value& value, Arena& scratch);

} // namespace pupc
