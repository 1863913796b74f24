#pragma once
// Converts values for the Ruby process and back: to JSON, and to hashes with the key `__pupc` for values without a JSON form
// (facade/provider_wire.rb).
#include "catalog/json/json_writer.h"
#include "catalog/value/value.h"

namespace pupc::runtime {

void write_ruby_value(JsonWriter& w, const Value& value);
/// Converts JSON to a value in `arena` and decodes hashes with `__pupc`. Returns the content of a Sensitive and sets `sensitive`.
Value read_ruby_value(Arena& arena, const Value& json, bool& sensitive);
/// The same, but a Sensitive stays one.
Value read_ruby_value_as_it_is(Arena& arena, const Value& json);

} // namespace pupc::runtime
