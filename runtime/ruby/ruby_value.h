#pragma once
// Values on their way to the Ruby process and back: JSON, and hashes with the key `__pupc` for what JSON cannot tell (facade/wire.rb).
#include "catalog/json/json_writer.h"
#include "catalog/value/value.h"

namespace pupc {

void write_ruby_value(JsonWriter& w, const Value& value);
/// What `__pupc` marks becomes what it means; Sensitive values come as what they hold, and `sensitive` is set.
Value read_ruby_value(Arena& arena, const Value& json, bool& sensitive);

} // namespace pupc
