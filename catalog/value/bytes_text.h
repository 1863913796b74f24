#pragma once
// Texts without an encoding. Some functions of Puppet return Ruby strings that are marked as bytes (ASCII-8BIT). In the language
// they are ordinary Strings, but the catalog document shows them as Binary.
#include "catalog/value/value.h"
#include "catalog/value/value_flags.h"

namespace pupc::catalog {

/// The same String, marked so that catalogs show it as Binary.
inline Value bytes_text(Value text) {
  PUPC_ASSERT(text.is_string(), "only a String is marked as bytes");
  text.flags |= bytes_text_flag;
  return text;
}
inline bool is_bytes_text(const Value& value) { return value.is_string() && (value.flags & bytes_text_flag) != 0; }

} // namespace pupc::catalog
