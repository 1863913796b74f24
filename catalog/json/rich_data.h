#pragma once
// Values as the catalog document has them: JSON scalars, `Type[title]` for references, hashes with `__ptype` for rich data.
#include "catalog/json/json_writer.h"
#include "catalog/value/value.h"

namespace pupc {

/// Writes one value. `scratch` takes what types and objects build for it (Opaque::to_rich_data).
/// Strings that are not UTF-8 become Binary, hashes with other than string keys (or a `__ptype` key) a key-value list.
void write_rich_value(JsonWriter& json, const Value& value, Arena& scratch);

} // namespace pupc
