#pragma once
// Writes values as in the catalog document: JSON scalars, `Type[title]` for references, hashes with `__ptype` for rich data.
#include "catalog/json/json_writer.h"
#include "catalog/value/value.h"
#include "catalog/value/value_flags.h"

namespace pupc::catalog {

/// What a text with read_text_flag stands for: Value::aux is the index.
inline constexpr std::string_view read_text_kinds[] = {"Timestamp", "Timespan", "SemVer", "SemVerRange", "Regexp", "URI"};

/// Writes one value. `scratch` holds temporary data of types and objects (Opaque::to_rich_data).
/// Strings that are not UTF-8 become Binary. Hashes with a key that is no string, or with a `__ptype` key, become key-value lists.
void write_rich_value(JsonWriter& json, const Value& value, Arena& scratch);

} // namespace pupc::catalog
