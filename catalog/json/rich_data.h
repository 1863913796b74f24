#pragma once
// Writes values as in the catalog document: JSON scalars, `Type[title]` for references, hashes with `__ptype` for rich data.
#include "catalog/json/json_writer.h"
#include "catalog/value/value.h"

namespace pupc {

/// Marks on values from read_rich_value, so that they can be written back as they were read. read_text_flag: a text that stands for a
/// time, version or pattern (Value::aux is its index in read_text_kinds). read_hash_flag: a hash that is rich data of a type or object.
inline constexpr uint8_t read_text_flag = 8;
inline constexpr uint8_t read_hash_flag = 16;
inline constexpr std::string_view read_text_kinds[] = {"Timestamp", "Timespan", "SemVer", "SemVerRange", "Regexp", "URI"};

/// Writes one value. `scratch` holds temporary data of types and objects (Opaque::to_rich_data).
/// Strings that are not UTF-8 become Binary. Hashes with a key that is no string, or with a `__ptype` key, become key-value lists.
void write_rich_value(JsonWriter& json, const Value& value, Arena& scratch);

} // namespace pupc
