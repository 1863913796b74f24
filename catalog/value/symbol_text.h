#pragma once
// Ruby symbols (`:name`) in data. The language has no such values; they occur only in documents that Ruby programs write.
#include "catalog/value/value.h"

namespace pupc {

/// Set in Value::flags of a String that stands for a symbol.
inline constexpr uint8_t symbol_flag = 1;
inline bool is_symbol(const Value& v) { return v.is_string() && v.flags == symbol_flag; }

/// The symbol with that name. The text must outlive it.
inline Value symbol_text(std::string_view name) {
  Value v = Value::string(name);
  v.flags = symbol_flag;
  return v;
}

} // namespace pupc
